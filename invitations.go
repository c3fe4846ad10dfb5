package hiring

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode"

	"github.com/hiring-assessment/hiring-go/internal/paging"
)

// InvitationService invites candidates to assessments.
//
//	GET  /assessments/{id}/invitations                            read
//	POST /assessments/{id}/invitations                            write
//	POST /assessments/{id}/invitations/{invitation_id}/resend     write (Dialect.ResendInvitation)
//	POST /assessments/{id}/invitations/{invitation_id}/revoke     write (Dialect.RevokeInvitation)
type InvitationService struct{ core *core }

var (
	invitationsRoute = documented("GET /assessments/{id}/invitations")
	inviteRoute      = documented("POST /assessments/{id}/invitations")
)

func (s *InvitationService) use() *core { return (*service)(s).use() }

// List returns an assessment's invitations, newest first. Scope read; costs one read a
// page.
func (s *InvitationService) List(assessmentID string) Pager[Invitation] {
	return newPager(list[Invitation]{
		List:    paging.List{Style: paging.ByPage, MaxSize: maxPageSize},
		core:    s.use(),
		request: newRequest("Invitations.List", invitationsRoute, pathID{"assessmentID", assessmentID}),
		id:      func(i *Invitation) string { return i.ID },
	})
}

// Send invites a candidate and returns the invitation (assumed: resource response), also if
// the address has an invitation already. With a live key the candidate receives an e-mail.
// Send consumes plan quota and returns [ErrPlanLimitReached] when none is left. Scope
// write; costs one write.
//
// The client retries a POST only when the API certainly did not process it. After
// [ErrOutcomeUnknown] the e-mail may have been sent. Check with List before you call Send
// again, or use [InvitationService.Ensure], which does both.
//
// Ensure and EnsureAll never invite a candidate again whose invitation was revoked or has
// expired. Use Send for that, and check the existing invitation first: it has expired when
// ExpiresAt has passed. It may be revoked when Status has none of the documented values,
// because the status of a revoked invitation is not documented. Resend sends an existing
// invitation's e-mail again.
func (s *InvitationService) Send(ctx context.Context, assessmentID string, in NewInvitation) (Invitation, error) {
	return do[Invitation](ctx, s.use(), newInviteRequest(s.core, assessmentID, in))
}

// Resend sends an invitation's e-mail again, with an empty request (assumed: no body).
// Whether it consumes plan quota is not documented. Scope write; costs one write.
//
// The client retries it only when the API certainly did not process it.
func (s *InvitationService) Resend(ctx context.Context, assessmentID, invitationID string) (Invitation, error) {
	r := newRequest("Invitations.Resend", s.use().dialect.ResendInvitation,
		pathID{"assessmentID", assessmentID}, pathID{"invitationID", invitationID}).assume("ResendInvitation", "")
	return do[Invitation](ctx, s.use(), r)
}

// Revoke revokes an invitation. Any 2xx response of the API is success (assumed: any
// response). The API does not document what Revoke does once the candidate has begun, nor
// whether the plan gets the invitation back. The next [InvitationService.Ensure] for its
// address lists the invitations. Scope write; costs one write.
//
// The client retries it only when the API certainly did not process it.
func (s *InvitationService) Revoke(ctx context.Context, assessmentID, invitationID string) error {
	r := newRequest("Invitations.Revoke", s.use().dialect.RevokeInvitation,
		pathID{"assessmentID", assessmentID}, pathID{"invitationID", invitationID}).assume("RevokeInvitation", "")
	err := s.use().makeCall(ctx, r, nil)
	if err == nil || errors.Is(err, ErrOutcomeUnknown) {
		s.core.shared.invited.revoke(invitationID)
	}
	return err
}

// NewInvitation is the input of [InvitationService.Send], [InvitationService.Ensure] and
// [InvitationService.EnsureAll]. Email and Name are required (assumed: required name).
type NewInvitation struct {
	Email string         // Sent as it is. Ensure and EnsureAll compare addresses by AddressKey.
	Name  string         // The e-mail may show it.
	Extra map[string]any // Further members of the body.
}

func newInviteRequest(k *core, assessmentID string, in NewInvitation) request {
	r, d := newRequest("Invitations.Send", inviteRoute, pathID{"assessmentID", assessmentID}), &k.dialect
	if problem := addressProblem(in.Email); problem != "" {
		r = r.refuseField("Email", d.InvitationEmail, problem)
	}
	if in.Name == "" {
		r = r.refuseField("Name", d.InvitationName, "must not be empty")
	}
	return r.withMembers([]member{
		{name: d.InvitationEmail, value: in.Email, field: "InvitationEmail"},
		{name: d.InvitationName, value: in.Name, field: "InvitationName"},
	}, in.Extra)
}

// addressProblem returns why an e-mail address is refused, or "" if it is accepted.
func addressProblem(email string) string {
	switch {
	case AddressKey(email) == "":
		return "must not be empty"
	case strings.ContainsFunc(email, func(c rune) bool { return unicode.IsControl(c) || c == '\u2028' || c == '\u2029' }):
		return "must not contain control characters or line breaks"
	}
	return ""
}

// Validate returns what [InvitationService.Send] and [InvitationService.Ensure] would refuse
// locally, a [ParamError], or nil. It uses the names of [DefaultDialect] and sends nothing.
func (in NewInvitation) Validate() error {
	return newInviteRequest(&core{dialect: DefaultDialect()}, "-", in).err
}

// AddressKey returns the same text for all spellings of one e-mail address: it removes zero-width
// characters, then the white space around the address, then lowers each letter (assumed:
// addresses). It is "" for an empty address. [SubmissionService.FindByEmail],
// [InvitationService.Ensure] and [InvitationService.EnsureAll] compare addresses by it. Programs
// may store it: it is the same in every version.
//
// Unicode normal forms, the two forms of an international domain (punycode), a final dot of
// the domain and quotes in the local part make different addresses. Capitals that Unicode has
// added after version 15 are not lowered.
func AddressKey(address string) string {
	visible := strings.Map(func(c rune) rune {
		if c >= '\u200b' && c <= '\u200d' || c == '\u2060' || c == '\ufeff' {
			return -1
		}
		return c
	}, address)
	return strings.Map(func(c rune) rune {
		if unicode.Is(lowered, c) {
			return unicode.ToLower(c)
		}
		return c
	}, strings.TrimSpace(visible))
}

// lowered has the ranges of Unicode 15 that have capitals, without unassigned code points: those
// may become capitals in a later version, and then in a later version of Go.
var lowered = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x0041, 0x0376, 1}, {0x037f, 0x037f, 1}, {0x0386, 0x038a, 1}, {0x038c, 0x038c, 1}, {0x038e, 0x03a1, 1}, {0x03a3, 0x052e, 1},
		{0x0531, 0x0556, 1}, {0x10a0, 0x10c5, 1}, {0x10c7, 0x10c7, 1}, {0x10cd, 0x10cd, 1}, {0x13a0, 0x13f5, 1}, {0x1c90, 0x1cba, 1},
		{0x1cbd, 0x1cbf, 1}, {0x1e00, 0x1f0f, 1}, {0x1f18, 0x1f1d, 1}, {0x1f28, 0x1f3f, 1}, {0x1f48, 0x1f4d, 1}, {0x1f59, 0x1f59, 1},
		{0x1f5b, 0x1f5b, 1}, {0x1f5d, 0x1f5d, 1}, {0x1f5f, 0x1f6f, 1}, {0x1f88, 0x1faf, 1}, {0x1fb8, 0x1fbc, 1}, {0x1fc8, 0x1fcc, 1},
		{0x1fd8, 0x1fdb, 1}, {0x1fe8, 0x1fec, 1}, {0x1ff8, 0x1ffc, 1}, {0x2126, 0x2183, 1}, {0x24b6, 0x24cf, 1}, {0x2c00, 0x2cf2, 1},
		{0xa640, 0xa69a, 1}, {0xa722, 0xa7c9, 1}, {0xa7d0, 0xa7d0, 1}, {0xa7d6, 0xa7d8, 1}, {0xa7f5, 0xa7f5, 1}, {0xff21, 0xff3a, 1},
	},
	R32: []unicode.Range32{
		{0x10400, 0x10427, 1}, {0x104b0, 0x104d3, 1}, {0x10570, 0x1057a, 1}, {0x1057c, 0x1058a, 1}, {0x1058c, 0x10592, 1}, {0x10594, 0x10595, 1},
		{0x10c80, 0x10cb2, 1}, {0x118a0, 0x118bf, 1}, {0x16e40, 0x16e5f, 1}, {0x1e900, 0x1e921, 1},
	},
}

// Invitation is a candidate's invitation to an assessment. A nil time means that the step
// has not happened.
type Invitation struct {
	ID                string                     `json:"id"`
	AssessmentID      string                     `json:"assessment_id"`
	CandidateEmail    string                     `json:"candidate_email"`
	CandidateName     string                     `json:"candidate_name"`
	Status            InvitationStatus           `json:"status"`
	RecruiterDecision RecruiterDecision          `json:"recruiter_decision"`
	SentAt            *time.Time                 `json:"sent_at"`
	OpenedAt          *time.Time                 `json:"opened_at"`
	StartedAt         *time.Time                 `json:"started_at"`
	SubmittedAt       *time.Time                 `json:"submitted_at"`
	ExpiresAt         time.Time                  `json:"expires_at,omitzero"`
	CreatedAt         time.Time                  `json:"created_at,omitzero"`
	Extra             map[string]json.RawMessage `json:",unknown,embed"`
}

func (i Invitation) identity() string { return i.ID }

func (i Invitation) isOf(id string) bool { return sameID(i.ID, id) }

// InvitationStatus is the status of an invitation. The set is open. The sandbox also
// returns "revoked", which is not documented.
type InvitationStatus string

// The documented statuses.
const (
	InvitationSent      InvitationStatus = "sent"
	InvitationOpened    InvitationStatus = "opened"
	InvitationStarted   InvitationStatus = "started"
	InvitationEvaluated InvitationStatus = "evaluated"
)

// RecruiterDecision is a recruiter's decision about a candidate. The set is open.
type RecruiterDecision string

// The documented decisions. In the sandbox only invitations of the sample data are
// shortlisted.
const (
	DecisionNone        RecruiterDecision = "none"
	DecisionShortlisted RecruiterDecision = "shortlisted"
)
