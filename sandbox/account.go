package sandbox

import (
	"net/http"
)

func getAccount(c *call) response { return c.data(http.StatusOK, c.world.Account().Value) }

func listMembers(c *call) response {
	all := c.world.Members()
	return listRange(c, all, 0, all.Len(), "")
}

var accountDrift = &driftRules{nullable: []string{"custom_domain"}, nested: map[string]*driftRules{
	"plan":     {enums: map[string]string{"subscription_status": anyValue}},
	"usage":    {},
	"branding": {nullable: []string{"primary_color", "logo_url", "sender_name", "support_email"}},
}}

var memberDrift = &driftRules{enums: map[string]string{"role": anyValue}}
