package server

import (
	"net/http"

	hiring "github.com/hiring-assessment/hiring-go"
)

func init() {
	addRoutes(func(hiring.Dialect) []route {
		return []route{
			newRoute("Account.Get", "GET /account", accountShape, getAccount),
			newRoute("Members.List", "GET /members", memberShape, listMembers),
		}
	})
}

func getAccount(c *call) reply { return c.data(http.StatusOK, body(c.world.Account())) }

func listMembers(c *call) reply {
	all := c.world.Members()
	return stretch(c, all, 0, all.Len(), "")
}

var accountShape = &shape{null: []string{"custom_domain"}, in: map[string]*shape{
	"plan":     {open: map[string]string{"subscription_status": anyValue}},
	"usage":    {},
	"branding": {null: []string{"primary_color", "logo_url", "sender_name", "support_email"}},
}}

var memberShape = &shape{open: map[string]string{"role": anyValue}}
