package sandbox

func listChallenges(c *call) response { return numberedPage(c, c.world.Challenges) }

func getChallenge(c *call) response { return getOne(c, c.world.Challenges) }
