package operations

import (
	"context"

	hiring "github.com/hiring-assessment/hiring-go"
)

func init() {
	add(Operation{
		Name: "OpenAPI", Route: "GET /openapi.json", Cost: "1 read", Test: "OpenAPI", Response: `{"openapi":"3.1.0"}`, NoID: true,
		Call: func(ctx context.Context, c *hiring.Client, _ []string) (any, error) { return c.OpenAPI(ctx) },
	})
	tests["OpenAPI"] = OpenAPI
}
