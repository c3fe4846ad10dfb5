package hiring

import (
	"context"
	"encoding/json"
	"time"
)

// AccountService reads the organization of the API key.
//
//	GET /account   read
type AccountService struct{ core *core }

var accountRoute = registerRoute("GET /account")

func (s *AccountService) mustCore() *core { return (*service)(s).mustCore() }

// Get returns the organization with its plan, its usage in the current period and its
// branding. Scope read; costs one read.
func (s *AccountService) Get(ctx context.Context) (Account, error) {
	return do[Account](ctx, s.mustCore(), newRequest("Account.Get", accountRoute))
}

// Account is an organization. Nil pointers mean not set.
type Account struct {
	ID                   string                     `json:"id"`
	Name                 string                     `json:"name"`
	Slug                 string                     `json:"slug"`
	Plan                 Plan                       `json:"plan"`
	Usage                Usage                      `json:"usage"`
	Branding             Branding                   `json:"branding"`
	CustomDomain         *string                    `json:"custom_domain"`
	CustomDomainVerified bool                       `json:"custom_domain_verified"`
	CreatedAt            time.Time                  `json:"created_at,omitzero"`
	Extra                map[string]json.RawMessage `json:",unknown,embed"`
}

func (Account) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (a Account) MarshalJSON() ([]byte, error) { return encode(a) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (a *Account) UnmarshalJSON(data []byte) error { return decode(data, a) }

// InvitationsLeft returns the number of invitations that the plan allows until the end of
// the current period, at least 0. If limited is false, the API does not enforce the limit
// (assumed: enforced limits), and n has no meaning.
func (a Account) InvitationsLeft() (n int, limited bool) {
	return max(0, a.Usage.AssessmentsLimit-a.Usage.AssessmentsUsed), a.Plan.LimitsEnforced
}

func (a Account) check(wanted string) error { return checkID(a.ID, wanted) }

// Plan is the organization's plan. The API never returns billing identifiers.
type Plan struct {
	ID                 string                     `json:"id"`
	SubscriptionStatus string                     `json:"subscription_status"`
	BillingCurrency    string                     `json:"billing_currency"`
	LimitsEnforced     bool                       `json:"limits_enforced"` // False: the limit in Usage is not enforced.
	Extra              map[string]json.RawMessage `json:",unknown,embed"`
}

func (Plan) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (p Plan) MarshalJSON() ([]byte, error) { return encode(p) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (p *Plan) UnmarshalJSON(data []byte) error { return decode(data, p) }

// Usage counts the invitations sent in the current period. Creating an assessment does not
// count.
type Usage struct {
	PeriodStart      time.Time                  `json:"period_start,omitzero"`
	AssessmentsUsed  int                        `json:"assessments_used"`
	AssessmentsLimit int                        `json:"assessments_limit"`
	Extra            map[string]json.RawMessage `json:",unknown,embed"`
}

func (Usage) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (u Usage) MarshalJSON() ([]byte, error) { return encode(u) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (u *Usage) UnmarshalJSON(data []byte) error { return decode(data, u) }

// Branding is the branding of the account. Nil pointers mean not set.
type Branding struct {
	AccentColor  string                     `json:"accent_color"` // Hex, as in "#1a2b3c".
	PrimaryColor *string                    `json:"primary_color"`
	LogoURL      *string                    `json:"logo_url"`
	SenderName   *string                    `json:"sender_name"`
	SupportEmail *string                    `json:"support_email"`
	Extra        map[string]json.RawMessage `json:",unknown,embed"`
}

func (Branding) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (b Branding) MarshalJSON() ([]byte, error) { return encode(b) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (b *Branding) UnmarshalJSON(data []byte) error { return decode(data, b) }
