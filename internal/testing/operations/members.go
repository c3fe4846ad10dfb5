package operations

import (
	"context"

	hiring "github.com/hiring-assessment/hiring-go"
)

func init() {
	add(Operation{
		Name: "Members.List", Route: "GET /members", Cost: "1 read", Test: "Members",
		Call: func(ctx context.Context, c *hiring.Client, _ []string) (any, error) {
			return c.Members.List().Page(ctx)
		},
	})
	tests["Members"] = Members
}
