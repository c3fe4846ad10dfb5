package sandbox

import (
	"net/http"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func getAccount(c *call) reply { return c.data(http.StatusOK, body(c.world.Account(), accountOnWire)) }

func listMembers(c *call) reply {
	all := c.world.Members()
	return stretch(c, all, memberOnWire, 0, all.Len(), "")
}

var accountShape = &shape{null: []string{"custom_domain"}, in: map[string]*shape{
	"plan":     {open: map[string]string{"subscription_status": anyValue}},
	"usage":    {},
	"branding": {null: []string{"primary_color", "logo_url", "sender_name", "support_email"}},
}}

var memberShape = &shape{open: map[string]string{"role": anyValue}}

type wireAccount struct {
	ID                   string       `json:"id"`
	Name                 string       `json:"name"`
	Slug                 string       `json:"slug"`
	Plan                 wirePlan     `json:"plan"`
	Usage                wireUsage    `json:"usage"`
	Branding             wireBranding `json:"branding"`
	CustomDomain         *string      `json:"custom_domain"`
	CustomDomainVerified bool         `json:"custom_domain_verified"`
	CreatedAt            world.Moment `json:"created_at"`
}

type wirePlan struct {
	ID                 string `json:"id"`
	SubscriptionStatus string `json:"subscription_status"`
	BillingCurrency    string `json:"billing_currency"`
	LimitsEnforced     bool   `json:"limits_enforced"`
}

type wireUsage struct {
	PeriodStart      world.Moment `json:"period_start"`
	AssessmentsUsed  int          `json:"assessments_used"`
	AssessmentsLimit int          `json:"assessments_limit"`
}

type wireBranding struct {
	AccentColor  string  `json:"accent_color"`
	PrimaryColor *string `json:"primary_color"`
	LogoURL      *string `json:"logo_url"`
	SenderName   *string `json:"sender_name"`
	SupportEmail *string `json:"support_email"`
}

func accountOnWire(a world.Account) any {
	return wireAccount{
		ID: a.ID, Name: a.Name, Slug: a.Slug, Plan: wirePlan(a.Plan), Usage: wireUsage(a.Usage), Branding: wireBranding(a.Branding),
		CustomDomain: a.CustomDomain, CustomDomainVerified: a.CustomDomainVerified, CreatedAt: a.CreatedAt,
	}
}

type wireMember struct {
	ID        string       `json:"id"`
	Email     string       `json:"email"`
	Name      string       `json:"name"`
	Role      string       `json:"role"`
	CreatedAt world.Moment `json:"created_at"`
}

func memberOnWire(m world.Member) any { return wireMember(m) }
