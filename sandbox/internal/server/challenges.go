package server

import hiring "github.com/hiring-assessment/hiring-go"

func init() {
	addRoutes(func(d hiring.Dialect) []route {
		return []route{
			newRoute("Challenges.List", d.ListChallenges, challengeShape, listChallenges),
			newRoute("Challenges.Get", "GET /challenges/{id}", challengeShape, getChallenge),
		}
	})
}

func listChallenges(c *call) reply { return numbered(c, c.world.Challenges()) }

func getChallenge(c *call) reply { return one(c, c.world.Challenges()) }

var challengeShape = &shape{
	open: map[string]string{"domain": anyValue, "difficulty": anyValue, "level": anyValue, "stack": anyValue},
	in:   map[string]*shape{"tasks": {open: map[string]string{"kind": anyValue}}},
}
