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
	invitationsRoute = registerRoute("GET /assessments/{id}/invitations")
	inviteRoute      = registerRoute("POST /assessments/{id}/invitations")
)

func (s *InvitationService) mustCore() *core { return (*service)(s).mustCore() }

// List returns an assessment's invitations, newest first. Scope read; costs one read a
// page.
func (s *InvitationService) List(assessmentID string) Pager[Invitation] {
	return newPager(list[Invitation]{
		List:    paging.List{Style: paging.ByPage, MaxSize: maxPageSize},
		core:    s.mustCore(),
		request: newRequest("Invitations.List", invitationsRoute, pathID("assessmentID", assessmentID)),
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
	return do[Invitation](ctx, s.mustCore(), newInviteRequest(s.core.dialect, assessmentID, in))
}

// Resend sends an invitation's e-mail again, with an empty request (assumed: no body).
// Whether it consumes plan quota is not documented. Scope write; costs one write.
//
// The client retries it only when the API certainly did not process it.
func (s *InvitationService) Resend(ctx context.Context, assessmentID, invitationID string) (Invitation, error) {
	r := newRequest("Invitations.Resend", s.mustCore().dialect.ResendInvitation,
		pathID("assessmentID", assessmentID), pathID("invitationID", invitationID)).assume("ResendInvitation", "")
	return do[Invitation](ctx, s.mustCore(), r)
}

// Revoke revokes an invitation. Any 2xx response of the API is success (assumed: any
// response). The API does not document what Revoke does once the candidate has begun, nor
// whether the plan gets the invitation back. The next [InvitationService.Ensure] for its
// address lists the invitations. Scope write; costs one write.
//
// The client retries it only when the API certainly did not process it.
func (s *InvitationService) Revoke(ctx context.Context, assessmentID, invitationID string) error {
	r := newRequest("Invitations.Revoke", s.mustCore().dialect.RevokeInvitation,
		pathID("assessmentID", assessmentID), pathID("invitationID", invitationID)).assume("RevokeInvitation", "")
	err := s.mustCore().makeCall(ctx, r, nil)
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

func newInviteRequest(d Dialect, assessmentID string, in NewInvitation) request {
	r := newRequest("Invitations.Send", inviteRoute, pathID("assessmentID", assessmentID))
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
	return newInviteRequest(DefaultDialect(), "-", in).err
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

func (Invitation) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (i Invitation) MarshalJSON() ([]byte, error) { return encode(i) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (i *Invitation) UnmarshalJSON(data []byte) error { return decode(data, i) }

func (i Invitation) check(wanted string) error { return checkID(i.ID, wanted) }

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
