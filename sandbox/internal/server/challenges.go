package server

func listChallenges(c *call) reply { return numbered(c, c.world.Challenges()) }

func getChallenge(c *call) reply { return one(c, c.world.Challenges()) }

var challengeShape = &shape{
	open: map[string]string{"domain": anyValue, "difficulty": anyValue, "level": anyValue, "stack": anyValue},
	in:   map[string]*shape{"tasks": {open: map[string]string{"kind": anyValue}}},
}
