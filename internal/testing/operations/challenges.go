package operations

import (
	"context"

	hiring "github.com/hiring-assessment/hiring-go"
)

func init() {
	add(Operation{
		Name: "Challenges.List", Route: "GET /challenges", Query: "page_size=100", Cost: "1 read a page", Test: "Challenges",
		Call: func(ctx context.Context, c *hiring.Client, _ []string) (any, error) {
			return c.Challenges.List().PageSize(100).Page(ctx)
		},
	})
	add(Operation{
		Name: "Challenges.Get", Route: "GET /challenges/{id}", Cost: "1 read", Test: "Challenges",
		IDs: []string{multiTaskChallenge}, OtherIDs: [][]string{{singleTaskChallenge}},
		Call: func(ctx context.Context, c *hiring.Client, id []string) (any, error) {
			return c.Challenges.Get(ctx, id[0])
		},
	})
	tests["Challenges"] = Challenges
}
