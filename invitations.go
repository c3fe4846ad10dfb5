package hiring

import (
	"context"
	"time"

	stdjson "encoding/json"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
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
	sent *ledger // Shared with the client's variants.
}

// List walks an assessment's invitations, newest first. Scope read; costs one
// read a page.
func (s *InvitationService) List(assessmentID string) Pager[Invitation] {
	return newPager(&list[Invitation]{
		core:    s.core,
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
	ledger, who := s.sent, inviting.To(assessmentID, in.Email)
	ledger.Join(who, time.Now())
	last := &lastSend{At: time.Now(), Lost: unreturned}
	defer func() { ledger.Release(who, last) }()
	invitation, err = s.post(ctx, assessmentID, in, nil)
	last = endedAs(invitation, err)
	return invitation, err
}

// post is Send without a word to the ledger. See request for before.
func (s *InvitationService) post(ctx context.Context, assessmentID string, in NewInvitation, before func(waited bool) error) (Invitation, error) {
	r := newRequest("Invitations.Send", "POST /assessments/{id}/invitations", pathID{"assessmentID", assessmentID})
	r.before = before
	return do[Invitation](ctx, s.core, in.apply(r, s.core.dialect))
}

// Resend mails an invitation once more, with an empty request (assumed: no body). Scope write; costs one write. Whether it
// consumes plan quota is not documented. It is repeated only when the service
// certainly did nothing.
func (s *InvitationService) Resend(ctx context.Context, assessmentID, invitationID string) (Invitation, error) {
	r := guessed("ResendInvitation", "Invitations.Resend", s.core.dialect.ResendInvitation, pathID{"assessmentID", assessmentID}, pathID{"invitationID", invitationID})
	return do[Invitation](ctx, s.core, r)
}

// Revoke takes an invitation back. Scope write; costs one write. It is repeated
// only when the service certainly did nothing. Any 2xx of the service is success
// (assumed: any reply).
func (s *InvitationService) Revoke(ctx context.Context, assessmentID, invitationID string) error {
	return s.core.do(ctx, guessed("RevokeInvitation", "Invitations.Revoke", s.core.dialect.RevokeInvitation, pathID{"assessmentID", assessmentID}, pathID{"invitationID", invitationID}))
}

// NewInvitation is a candidate to invite. Email and Name are required (assumed:
// required name).
type NewInvitation struct {
	Email string
	Name  string
	Extra map[string]any // Further members of the body.
}

func (in NewInvitation) apply(r request, d Dialect) request {
	if blank(in.Email) {
		r = r.refuseField("Email", d.InvitationEmail, "must not be empty")
	}
	if in.Name == "" {
		r = r.refuseField("Name", d.InvitationName, "must not be empty")
	}
	r = r.assume(d.InvitationEmail, "InvitationEmail").assume(d.InvitationName, "InvitationName")
	return r.members(map[string]any{d.InvitationEmail: in.Email, d.InvitationName: in.Name}, in.Extra)
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

func (Invitation) resource() {}

// MarshalJSON writes the service's names, and Extra beside them.
func (v Invitation) MarshalJSON() ([]byte, error) { return encode(v) }

// UnmarshalJSON keeps what it does not know in Extra.
func (v *Invitation) UnmarshalJSON(b []byte) error { return decode(b, v) }
