package sandbox

func listChallenges(c *call) response { return numberedPage(c, c.world.Challenges) }
