package hiring

import (
	"context"
	"time"

	stdjson "encoding/json"

	"github.com/hiring-assessment/hiring-go/internal/paging"
)

// AccountService reads the key's organization.
//
//	GET /account   read
type AccountService struct{ core *core }

func (s *AccountService) use() *core { return (*service)(s).use() }

// Get returns the organization with its plan, its usage of the current period
// and its branding. Scope read; costs one read.
func (s *AccountService) Get(ctx context.Context) (Account, error) {
	return do[Account](ctx, s.use(), newRequest("Account.Get", "GET /account"))
}

// Account is an organization.
type Account struct {
	ID                   string                        `json:"id"`
	Name                 string                        `json:"name"`
	Slug                 string                        `json:"slug"`
	Plan                 Plan                          `json:"plan"`
	Usage                Usage                         `json:"usage"`
	Branding             Branding                      `json:"branding"`
	CustomDomain         *string                       `json:"custom_domain"`
	CustomDomainVerified bool                          `json:"custom_domain_verified"`
	CreatedAt            time.Time                     `json:"created_at,omitzero"`
	Extra                map[string]stdjson.RawMessage `json:",unknown,embed"`
}

// InvitationsLeft returns how many invitations the plan still allows in the
// current period, never less than 0. limited is false when the plan's limits
// are not enforced (assumed: enforced limits); n then says nothing.
func (a Account) InvitationsLeft() (n int, limited bool) {
	return max(0, a.Usage.AssessmentsLimit-a.Usage.AssessmentsUsed), a.Plan.LimitsEnforced
}

func (a Account) identity() string { return a.ID }

// Plan is what the organization pays for. Billing identifiers are never exposed.
type Plan struct {
	ID                 string                        `json:"id"`
	SubscriptionStatus string                        `json:"subscription_status"`
	BillingCurrency    string                        `json:"billing_currency"`
	LimitsEnforced     bool                          `json:"limits_enforced"` // False: the limit of Usage stops nothing.
	Extra              map[string]stdjson.RawMessage `json:",unknown,embed"`
}

// Usage counts the invitations sent in the current period; creating an
// assessment costs nothing.
type Usage struct {
	PeriodStart      time.Time                     `json:"period_start,omitzero"`
	AssessmentsUsed  int                           `json:"assessments_used"`
	AssessmentsLimit int                           `json:"assessments_limit"`
	Extra            map[string]stdjson.RawMessage `json:",unknown,embed"`
}

// Branding is the branding of the account. Nil means not set.
type Branding struct {
	AccentColor  string                        `json:"accent_color"` // Hex, as in "#1a2b3c".
	PrimaryColor *string                       `json:"primary_color"`
	LogoURL      *string                       `json:"logo_url"`
	SenderName   *string                       `json:"sender_name"`
	SupportEmail *string                       `json:"support_email"`
	Extra        map[string]stdjson.RawMessage `json:",unknown,embed"`
}

// MemberService reads the people of the key's organization.
//
//	GET /members   read
type MemberService struct{ core *core }

func (s *MemberService) use() *core { return (*service)(s).use() }

// List walks the organization's members. The list takes no page size. Scope
// read; costs one read.
func (s *MemberService) List() Pager[Member] {
	return newPager(&list[Member]{
		core:    s.use(),
		request: newRequest("Members.List", "GET /members"),
		List: paging.List[Member]{
			ID: func(m *Member) string { return m.ID },
		},
	})
}

// Member is somebody who works with the organization's assessments.
type Member struct {
	ID        string                        `json:"id"`
	Email     string                        `json:"email"`
	Name      string                        `json:"name"`
	Role      MemberRole                    `json:"role"`
	CreatedAt time.Time                     `json:"created_at,omitzero"`
	Extra     map[string]stdjson.RawMessage `json:",unknown,embed"`
}

// MemberRole is an open set.
type MemberRole string

// The documented roles.
const (
	MemberRoleAdmin  MemberRole = "admin"
	MemberRoleMember MemberRole = "member"
)
