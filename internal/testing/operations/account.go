package operations

import (
	"context"

	hiring "github.com/hiring-assessment/hiring-go"
)

func init() {
	add(Operation{
		Name: "Account.Get", Route: "GET /account", Cost: "1 read", Test: "Account",
		Call: func(ctx context.Context, c *hiring.Client, _ []string) (any, error) { return c.Account.Get(ctx) },
	})
	tests["Account"] = Account
}
