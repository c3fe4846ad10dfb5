package hiring

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	stdjson "encoding/json"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/paging"
)

// InvitationService invites candidates to assessments.
//
//	GET  /assessments/{id}/invitations                            read
//	POST /assessments/{id}/invitations                            write
//	POST /assessments/{id}/invitations/{invitation_id}/resend     write (Dialect.ResendInvitation)
//	POST /assessments/{id}/invitations/{invitation_id}/revoke     write (Dialect.RevokeInvitation)
type InvitationService struct {
	core *core
	sent *sentInvitations // Shared with the client's variants.
}

func (s *InvitationService) use() *core {
	if s == nil {
		s = new(InvitationService)
	}
	return (&service{s.core}).use()
}

// List walks an assessment's invitations, newest first. Scope read; costs one
// read a page.
func (s *InvitationService) List(assessmentID string) Pager[Invitation] {
	return newPager(&list[Invitation]{
		core:    s.use(),
		request: newRequest("Invitations.List", "GET /assessments/{id}/invitations", pathID{"assessmentID", assessmentID}),
		List: paging.List[Invitation]{
			Style:   paging.ByPage,
			MaxSize: maxPageSize,
			ID:      func(i *Invitation) string { return i.ID },
		},
	})
}

// Send invites a candidate, who gets an e-mail when the key is live, whether or
// not the address has an invitation already. It consumes plan quota, and fails
// with [ErrPlanLimitReached] when none is left. It returns the invitation
// (assumed: resource reply). Scope write; costs one write.
//
// It is repeated only when the service certainly did nothing. When the error is
// [ErrOutcomeUnknown], the mail may be out: look with List before you repeat it,
// or let [InvitationService.Ensure] do both.
//
// It is the way to invite again somebody whose invitation was revoked or has
// expired, which Ensure and SendAll never do. Look at that invitation first: it
// is over when its ExpiresAt has passed, and perhaps when its Status is none of
// those that this package names, for that of a revoked one is not documented.
// Resend mails the one that there is.
func (s *InvitationService) Send(ctx context.Context, assessmentID string, in NewInvitation) (invitation Invitation, err error) {
	s.use()
	who := inviting.To(assessmentID, in.Email)
	clock := &s.core.shared.clock
	s.sent.Join(who, clock.Now())
	last := &lastSend{At: clock.Now(), Lost: unreturned}
	defer func() { s.sent.Release(who, last) }()
	invitation, err = s.post(ctx, assessmentID, in, requestHooks{})
	last = endedAs(invitation, err, clock.Now())
	return invitation, err
}

// post sends an invitation without recording it in s.sent.
func (s *InvitationService) post(ctx context.Context, assessmentID string, in NewInvitation, hooks requestHooks) (Invitation, error) {
	r := newRequest("Invitations.Send", "POST /assessments/{id}/invitations", pathID{"assessmentID", assessmentID})
	r.requestHooks = hooks
	return do[Invitation](ctx, s.use(), in.apply(r, s.use().dialect))
}

// Resend mails an invitation once more, with an empty request (assumed: no body). Scope write; costs one write. Whether it
// consumes plan quota is not documented. It is repeated only when the service
// certainly did nothing.
func (s *InvitationService) Resend(ctx context.Context, assessmentID, invitationID string) (Invitation, error) {
	r := guessed("ResendInvitation", "Invitations.Resend", s.use().dialect.ResendInvitation, pathID{"assessmentID", assessmentID}, pathID{"invitationID", invitationID})
	return do[Invitation](ctx, s.use(), r)
}

// Revoke takes an invitation back. Scope write; costs one write. It is repeated
// only when the service certainly did nothing. Any 2xx of the service is success
// (assumed: any reply).
func (s *InvitationService) Revoke(ctx context.Context, assessmentID, invitationID string) error {
	return s.use().do(ctx, guessed("RevokeInvitation", "Invitations.Revoke", s.use().dialect.RevokeInvitation, pathID{"assessmentID", assessmentID}, pathID{"invitationID", invitationID}))
}

// NewInvitation is a candidate to invite. Email and Name are required (assumed:
// required name).
type NewInvitation struct {
	Email string
	Name  string
	Extra map[string]any // Further members of the body.
}

func (in NewInvitation) apply(r request, d Dialect) request {
	if problem := addressProblem(in.Email); problem != "" {
		r = r.refuseField("Email", d.InvitationEmail, problem)
	}
	if in.Name == "" {
		r = r.refuseField("Name", d.InvitationName, "must not be empty")
	}
	r = r.assume(d.InvitationEmail, "InvitationEmail").assume(d.InvitationName, "InvitationName")
	return r.members(map[string]any{d.InvitationEmail: in.Email, d.InvitationName: in.Name}, in.Extra)
}

// addressProblem returns what is wrong with an e-mail address, "" when the client
// has no objection.
func addressProblem(email string) string {
	switch {
	case inviting.Address(email) == "":
		return "must not be empty"
	case strings.ContainsFunc(email, func(c rune) bool { return unicode.IsControl(c) || c == '\u2028' || c == '\u2029' }):
		return "must not contain control characters or line breaks"
	}
	return ""
}

// Invitation is a candidate's way into an assessment. A nil time means not yet.
type Invitation struct {
	ID                string                        `json:"id"`
	AssessmentID      string                        `json:"assessment_id"`
	CandidateEmail    string                        `json:"candidate_email"`
	CandidateName     string                        `json:"candidate_name"`
	Status            InvitationStatus              `json:"status"`
	RecruiterDecision RecruiterDecision             `json:"recruiter_decision"`
	SentAt            *time.Time                    `json:"sent_at"`
	OpenedAt          *time.Time                    `json:"opened_at"`
	StartedAt         *time.Time                    `json:"started_at"`
	SubmittedAt       *time.Time                    `json:"submitted_at"`
	ExpiresAt         time.Time                     `json:"expires_at,omitzero"`
	CreatedAt         time.Time                     `json:"created_at,omitzero"`
	Extra             map[string]stdjson.RawMessage `json:",unknown,embed"`
}

func (v Invitation) identity() string { return v.ID }

// InvitationStatus is an open set.
type InvitationStatus string

// The documented statuses.
const (
	InvitationSent      InvitationStatus = "sent"
	InvitationOpened    InvitationStatus = "opened"
	InvitationStarted   InvitationStatus = "started"
	InvitationEvaluated InvitationStatus = "evaluated"
)

// RecruiterDecision is an open set.
type RecruiterDecision string

// The documented decisions.
const (
	DecisionNone        RecruiterDecision = "none"
	DecisionShortlisted RecruiterDecision = "shortlisted"
)

// readableInvitations decodes a listing for Ensure and SendAll. Of an invitation
// that cannot be decoded it keeps the readable fields: the address is enough to know
// that the candidate has an invitation.
type readableInvitations struct {
	broken     []string // Where the invitations of the page cannot be decoded.
	unreadable error    // Set when an invitation has no readable address.
}

func (l *readableInvitations) begin() { l.broken, l.unreadable = nil, nil }

func (l *readableInvitations) codec() *jsoncodec.Codec {
	return wire.Forgiving(jsoncodec.OrPart(l.part))
}

func (l *readableInvitations) check(any) string {
	if len(l.broken) == 0 {
		return ""
	}
	return fmt.Sprintf("%d invitations cannot be decoded; their addresses were used: %s", len(l.broken), l.broken[0])
}

// part returns what can be decoded of an invitation.
func (l *readableInvitations) part(place string, why error, read func(v any) error) Invitation {
	var raw struct {
		ID        RawValue `json:"id"`
		Email     RawValue `json:"candidate_email"`
		Name      RawValue `json:"candidate_name"`
		Status    RawValue `json:"status"`
		CreatedAt RawValue `json:"created_at"`
		ExpiresAt RawValue `json:"expires_at"`
	}
	_ = read(&raw) // Without members when it is not an object.
	v := Invitation{CreatedAt: looseTime(raw.CreatedAt), ExpiresAt: looseTime(raw.ExpiresAt)}
	v.ID, _ = raw.ID.Text()
	v.CandidateEmail, _ = raw.Email.Text()
	v.CandidateName, _ = raw.Name.Text()
	status, _ := raw.Status.Text()
	v.Status = InvitationStatus(status)
	l.broken = append(l.broken, jsoncodec.WhereIn(place, why))
	if inviting.Address(v.CandidateEmail) == "" && l.unreadable == nil {
		l.unreadable = &Error{
			Operation: "Invitations.List", Method: http.MethodGet, Route: "/assessments/{id}/invitations", Status: http.StatusOK, Attempts: 1,
			Message: "an invitation without a readable address cannot be decoded: " + jsoncodec.WhereIn(place, why),
		}
	}
	return v
}
