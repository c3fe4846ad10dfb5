package operations

import hiring "github.com/hiring-assessment/hiring-go"

func init() {
	list(Operation{Name: "Members.List", Route: "GET /members", Cost: "1 read", Test: "Members"}, 0,
		func(c *hiring.Client, _ []string) hiring.Pager[hiring.Member] { return c.Members.List() })
	tests["Members"] = Members
}
