package operations

import (
	"context"

	hiring "github.com/hiring-assessment/hiring-go"
)

func init() {
	list(Operation{
		Name: "Challenges.List", Route: "GET /challenges", Query: "page_size=100", Cost: "1 read a page", Test: "Challenges",
	}, 100, func(c *hiring.Client, _ []string) hiring.Pager[hiring.Challenge] { return c.Challenges.List() })
	add(Operation{
		Name: "Challenges.Get", Route: "GET /challenges/{id}", Cost: "1 read", Test: "Challenges",
		IDs: []string{multiTaskChallenge}, OtherIDs: [][]string{{singleTaskChallenge}},
		Call: func(ctx context.Context, c *hiring.Client, id []string) (any, error) {
			return c.Challenges.Get(ctx, id[0])
		},
	})
	tests["Challenges"] = Challenges
}
