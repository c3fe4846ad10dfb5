package sandbox

import hiring "github.com/hiring-assessment/hiring-go"

func init() {
	addRoutes(func(d hiring.Dialect) []*route {
		return []*route{
			newRoute("Challenges.List", d.ListChallenges, challengeDrift, listChallenges),
			newRoute("Challenges.Get", "GET /challenges/{id}", challengeDrift, getChallenge),
		}
	})
}

func listChallenges(c *call) response { return numberedPage(c, c.world.Challenges()) }

func getChallenge(c *call) response { return getOne(c, c.world.Challenges()) }

var challengeDrift = &driftRules{
	enums:  map[string]string{"domain": anyValue, "difficulty": anyValue, "level": anyValue, "stack": anyValue},
	nested: map[string]*driftRules{"tasks": {enums: map[string]string{"kind": anyValue}}},
}
