package world

import (
	"errors"
	"time"
)

var (
	errNotBegun  = errors.New("the attempt has not begun: begin it first")
	errPlanLimit = errors.New("the plan's invitations for this period are used up")
)

// Invite sends an invitation to an assessment of any organization.
func (l *Live) Invite(assessmentID, email, name string, now time.Time) (invitationID string, err error) {
	for _, o := range l.organizations {
		assessment := o.assessments.Find(assessmentID)
		if assessment == nil {
			continue
		}
		switch o.advance(now); {
		case assessment.Value.Status == "closed":
			return "", errClosed
		case !o.MayInvite(email):
			return "", errPlanLimit
		}
		at := MomentOf(now)
		return o.SaveInvitation(Invitation{
			ID: l.NewID(), AssessmentID: assessmentID, CandidateEmail: email, CandidateName: name, Status: "sent",
			RecruiterDecision: "none", SentAt: &at, ExpiresAt: at.plus(InvitationLifetime), CreatedAt: at,
		}).ID, nil
	}
	return "", ErrUnknown
}

// Open opens an invitation.
func (l *Live) Open(invitationID string, now time.Time) error {
	return l.changeInvited(invitationID, now, (*candidate).open)
}

// Begin begins an attempt. It opens the invitation if necessary.
func (l *Live) Begin(invitationID string, now time.Time) (submissionID string, err error) {
	c, err := l.candidateOfInvitation(invitationID, now)
	if err != nil {
		return "", err
	}
	if err := c.begin(MomentOf(now)); err != nil {
		return "", err
	}
	return c.attempt.ID, nil
}

// Submit submits an attempt.
func (l *Live) Submit(submissionID string, now time.Time) error {
	return l.changeAttempt(submissionID, now, (*candidate).submit)
}

// SubmitInvited is like Submit, with the id of the invitation.
func (l *Live) SubmitInvited(invitationID string, now time.Time) (submissionID string, err error) {
	c, err := l.candidateOfInvitation(invitationID, now)
	if err != nil {
		return "", err
	}
	if c.attempt == nil {
		return "", errNotBegun
	}
	if err := c.submit(MomentOf(now)); err != nil {
		return "", err
	}
	return c.attempt.ID, nil
}

// Append adds an event to a log for each payload.
func (l *Live) Append(submissionID string, now time.Time, kind string, payloads ...RawJSON) error {
	return l.changeAttempt(submissionID, now, func(c *candidate, at Moment) error {
		if kind == "" {
			return errors.New("the kind is empty")
		}
		c.append(at, kind, payloads...)
		return nil
	})
}

// Evaluate evaluates a submission, after submitting it if necessary. The result must pass
// Check.
func (l *Live) Evaluate(submissionID string, now time.Time, r Result) error {
	return l.changeAttempt(submissionID, now, func(c *candidate, at Moment) error { return c.evaluate(at, r) })
}
