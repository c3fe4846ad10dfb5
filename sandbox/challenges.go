package sandbox

func listChallenges(c *call) response { return numberedPage(c, c.world.Challenges()) }

func getChallenge(c *call) response { return getOne(c, c.world.Challenges()) }

var challengeDrift = &driftRules{
	enums:  map[string]string{"domain": anyValue, "difficulty": anyValue, "level": anyValue, "stack": anyValue},
	nested: map[string]*driftRules{"tasks": {enums: map[string]string{"kind": anyValue}}},
}
