package world

import (
	"errors"
	"time"
)

var (
	errNotBegun = errors.New("the attempt has not begun: begin it first")
	errPlan     = errors.New("the plan's invitations for this period are used up")
)

// Invite sends an invitation to an assessment of any organization.
func (l *Live) Invite(assessmentID, email, name string, now time.Time) (invitationID string, err error) {
	for _, o := range l.organizations {
		posting := o.assessments.Find(assessmentID)
		if posting == nil {
			continue
		}
		switch o.at(now); {
		case posting.Value.Status == "closed":
			return "", errClosed
		case !o.MayInvite(email):
			return "", errPlan
		}
		at := MomentOf(now)
		return o.SaveInvitation(Invitation{
			ID: l.NewID(), AssessmentID: assessmentID, CandidateEmail: email, CandidateName: name, Status: "sent",
			RecruiterDecision: "none", SentAt: &at, ExpiresAt: at.plus(InvitationLife), CreatedAt: at,
		}).ID, nil
	}
	return "", ErrUnknown
}

// Open lets a candidate open an invitation.
func (l *Live) Open(invitationID string, now time.Time) error {
	c, err := l.invitee(invitationID, now)
	if err != nil {
		return err
	}
	return c.open(MomentOf(now))
}

// Begin lets a candidate begin, and open the invitation if that was not done.
func (l *Live) Begin(invitationID string, now time.Time) (submissionID string, err error) {
	c, err := l.invitee(invitationID, now)
	if err != nil {
		return "", err
	}
	if err := c.begin(MomentOf(now)); err != nil {
		return "", err
	}
	return c.attempt.ID, nil
}

// Submit lets a candidate hand in.
func (l *Live) Submit(submissionID string, now time.Time) error {
	c, err := l.author(submissionID, now)
	if err != nil {
		return err
	}
	return c.submit(MomentOf(now))
}

// SubmitInvited is Submit for who has the invitation at hand.
func (l *Live) SubmitInvited(invitationID string, now time.Time) (submissionID string, err error) {
	c, err := l.invitee(invitationID, now)
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

// Append adds an event for each payload to a log.
func (l *Live) Append(submissionID string, now time.Time, kind string, payloads ...Text) error {
	c, err := l.author(submissionID, now)
	if err != nil {
		return err
	}
	if kind == "" {
		return errors.New("the kind is empty")
	}
	c.append(MomentOf(now), kind, payloads...)
	return nil
}

// Evaluate finishes grading with a result that passes its Check. What was not
// handed in is so before.
func (l *Live) Evaluate(submissionID string, now time.Time, r Result) error {
	c, err := l.author(submissionID, now)
	if err != nil {
		return err
	}
	return c.evaluate(MomentOf(now), r)
}
