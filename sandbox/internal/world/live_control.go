package world

import (
	"fmt"
	"slices"
	"time"
)

// Mails returns the e-mails of all organizations, oldest first.
func (l *Live) Mails() []Mail {
	var all []Mail
	for _, name := range l.Names() {
		all = append(all, l.organizations[name].mails...)
	}
	slices.SortStableFunc(all, func(a, b Mail) int { return a.At.Compare(b.At) })
	return all
}

// Regrade replaces the result of an evaluated submission.
func (l *Live) Regrade(submissionID string, now time.Time, r Result) error {
	return l.change(byAttempt, submissionID, now, func(c *candidate, at Moment) error { return c.regrade(at, r) })
}

// Decide sets the recruiter's decision about a candidate.
func (l *Live) Decide(invitationID string, now time.Time, decision string) error {
	return l.change(byInvitation, invitationID, now, func(c *candidate, _ Moment) error {
		c.invitation.Value.RecruiterDecision = decision
		return nil
	})
}

// Pause adds paused time to an attempt that has not been submitted.
func (l *Live) Pause(submissionID string, now time.Time, by time.Duration) error {
	return l.change(byAttempt, submissionID, now, func(c *candidate, at Moment) error {
		if c.stage >= submitted {
			return errSubmitted
		}
		attempt := &c.attempt.Value
		paused := attempt.PausedTotalSeconds + int(by/time.Second)
		if lasted := at.minus(attempt.StartedAt); time.Duration(paused)*time.Second > lasted {
			return Conflict(fmt.Sprintf("the attempt has lasted %s, which is less than %d paused seconds: advance the clock first", lasted, paused))
		}
		attempt.PausedTotalSeconds = paused
		return nil
	})
}

// SetArchive sets whether a submission has an archive after it was submitted.
func (l *Live) SetArchive(submissionID string, now time.Time, available bool) error {
	return l.change(byAttempt, submissionID, now, func(c *candidate, _ Moment) error {
		c.noArchive = !available
		return nil
	})
}

// AddMember adds a member and returns its id.
func (o *Organization) AddMember(email, name, role string) (id string) {
	id = o.newID()
	at := o.now
	o.members.add(newRecord(id, at, Member{ID: id, Email: email, Name: name, Role: role, CreatedAt: at}))
	return id
}

// AddChallenge adds a single-task challenge, or one with a task for each title.
func (o *Organization) AddChallenge(name string, tasks ...string) (id string) {
	if !o.ownChallenges {
		// The sample data is shared and never changes.
		own := newCollection[*Record[Challenge]](o.challenges.Len() + 1)
		for r := range o.challenges.All() {
			own.add(r)
		}
		o.challenges, o.ownChallenges = own, true
	}
	id = o.newID()
	at := o.now
	c := Challenge{
		ID: id, Slug: "challenge-" + id[len(id)-4:], Name: name, Domain: "backend", Difficulty: "medium", Level: "senior", Stack: "go",
		TimeLimitMinutes: 60, BudgetDollarsCap: 5, IsMultiTask: len(tasks) > 0, PublishedAt: at, CreatedAt: at, BriefMD: "# " + name + "\n",
	}
	for i, title := range tasks {
		c.Tasks = append(c.Tasks, Task{
			ID: o.newID(), TaskKey: fmt.Sprintf("task-%d", i+1), Kind: "feature", Title: title, OrderIndex: i,
			Weight: taskWeight(i, len(tasks)), TimeLimitMinutes: c.TimeLimitMinutes / len(tasks),
		})
	}
	o.challenges.add(newRecord(id, at, c))
	return id
}

const (
	errUsed          = Conflict("the invitation was used or revoked")
	errAlreadyClosed = Conflict("the assessment is closed already")
)

// taskWeight returns the weight of a task in hundredths. The weights of all tasks add up
// to 1.
func taskWeight(i, count int) float64 { return float64(100*(i+1)/count-100*i/count) / 100 }

// Resend sends an invitation again whose attempt has not begun.
func (l *Live) Resend(invitationID string, now time.Time) error {
	return l.change(byInvitation, invitationID, now, func(c *candidate, at Moment) error {
		if !c.organization.MayChange(c.invitation) {
			return errUsed
		}
		c.organization.ResendInvitation(c.invitation, at)
		return nil
	})
}

// Revoke revokes an invitation whose attempt has not begun.
func (l *Live) Revoke(invitationID string, now time.Time) error {
	return l.change(byInvitation, invitationID, now, func(c *candidate, _ Moment) error {
		if !c.organization.MayChange(c.invitation) {
			return errUsed
		}
		c.organization.RevokeInvitation(c.invitation)
		return nil
	})
}

// Close closes an active assessment.
func (l *Live) Close(assessmentID string, now time.Time) error {
	o, found, err := l.assessment(assessmentID, now)
	switch {
	case err != nil:
		return err
	case found.Value.Status == "closed":
		return errAlreadyClosed
	}
	found.Value.Status, found.Value.UpdatedAt = "closed", o.now
	return nil
}
