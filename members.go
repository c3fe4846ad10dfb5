package hiring

import (
	"encoding/json"
	"time"
)

// MemberService reads the members of the organization.
//
//	GET /members   read
type MemberService struct{ core *core }

var membersRoute = registerRoute("GET /members")

func (s *MemberService) mustCore() *core { return (*service)(s).mustCore() }

// List returns the organization's members. The list has no page size. Scope read; costs
// one read.
func (s *MemberService) List() Pager[Member] {
	return newPager(list[Member]{
		core:    s.mustCore(),
		request: newRequest("Members.List", membersRoute),
		id:      func(m *Member) string { return m.ID },
	})
}

// Member is a user of the organization's account.
type Member struct {
	ID        string                     `json:"id"`
	Email     string                     `json:"email"`
	Name      string                     `json:"name"`
	Role      MemberRole                 `json:"role"`
	CreatedAt time.Time                  `json:"created_at,omitzero"`
	Extra     map[string]json.RawMessage `json:",unknown,embed"`
}

func (Member) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (m Member) MarshalJSON() ([]byte, error) { return encode(m) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (m *Member) UnmarshalJSON(data []byte) error { return decode(data, m) }

// MemberRole is the role of a member. The set is open.
type MemberRole string

// The documented roles. The sandbox returns no others.
const (
	MemberRoleAdmin  MemberRole = "admin"
	MemberRoleMember MemberRole = "member"
)
