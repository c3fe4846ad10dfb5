package world

import (
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

// Invite sends an invitation to an assessment of any organization.
func (l *Live) Invite(assessmentID string, who Person, now time.Time) (invitationID string, err error) {
	o, assessment, err := l.openAssessment(assessmentID, who.Email, now)
	if err != nil {
		return "", err
	}
	return o.Invite(l.NewID(), assessment, who, o.now).ID, nil
}

// AddResult adds a candidate who has taken all steps, and whose evaluation is now.
func (l *Live) AddResult(assessmentID string, who Person, now time.Time, r Result) (submissionID string, err error) {
	o, assessment, err := l.openAssessment(assessmentID, who.Email, now)
	if err != nil {
		return "", err
	}
	return o.add(assessment, who, Evaluated, o.now, r).attempt.ID, nil
}

const errPlanLimit = Conflict("the plan's invitations for this period are used up")

// openAssessment returns an assessment of any organization that a candidate can be invited
// to.
func (l *Live) openAssessment(id, email string, now time.Time) (*Organization, *Record[Assessment], error) {
	for _, o := range l.organizations {
		found := o.Assessments.Find(id)
		switch {
		case found == nil:
			continue
		case found.Value.Status == "closed":
			return nil, nil, errClosed
		case !o.advance(now).MayInvite(email):
			return nil, nil, errPlanLimit
		}
		return o, found, nil
	}
	return nil, nil, ErrUnknown
}

// Take takes the candidate with an invitation or a submission to a stage, with the earlier
// steps that were not taken, and returns the id of the submission once there is one. The
// result, which an evaluation needs, has scores from 0 to MaxScore.
func (l *Live) Take(id string, now time.Time, to Stage, r Result) (submissionID string, err error) {
	err = l.change(id, now, func(c *candidate, at Moment) error {
		if to == Submitted && c.stage == Submitted && c.timedOut {
			return nil // The time limit submitted the attempt before the candidate did.
		}
		err := c.take(to, at, r)
		if err == nil && c.attempt != nil {
			submissionID = c.attempt.ID
		}
		return err
	})
	return submissionID, err
}

// Append adds an event to a log for each payload.
func (l *Live) Append(id string, now time.Time, kind string, payloads ...RawJSON) error {
	return l.change(id, now, func(c *candidate, at Moment) error {
		if err := c.checkEvents(); err != nil {
			return err
		}
		if c.stage == Submitted {
			at = *c.attempt.Value.SubmittedAt // Nothing happens after the submission.
		}
		c.append(at, kind, payloads...)
		return nil
	})
}

// DelayReport delays the report of a candidate: that of the next evaluation, or of the last one from now on.
// Below zero the report is never ready.
func (l *Live) DelayReport(id string, now time.Time, by time.Duration) error {
	return l.change(id, now, func(c *candidate, at Moment) error {
		if c.stage < Evaluated {
			c.reportDelay = by
			return nil
		}
		if by >= 0 {
			by += at.minus(*c.attempt.Value.EvaluatedAt)
		}
		c.result.ReportDelay, c.graded.GeneratedAt = by, new(c.attempt.Value.EvaluatedAt.plus(by))
		return nil
	})
}

// Revoke revokes an invitation whose attempt has not begun.
func (l *Live) Revoke(id string, now time.Time) error {
	return l.change(id, now, func(c *candidate, _ Moment) error {
		if err := c.checkUnused(); err != nil {
			return err
		}
		c.organization.RevokeInvitation(c.invitation)
		return nil
	})
}

// add adds a candidate who reaches a stage at a time, after believable times for the
// earlier steps. An assessment that a test added gets an earlier time if necessary. The program's own never changes: the steps
// are as close as they must be to come after it.
func (o *Organization) add(assessment *Record[Assessment], who Person, to Stage, end Moment, r Result) *candidate {
	n := len(o.candidates) + 1
	worked := max(min(minutesUsed(n), assessment.Value.TimeLimitMinutes-1), 1)
	minutes := delays{Opened: 20 + n*53%900, Started: 5 + n*71%300, Submitted: worked, Evaluated: 4 + n*37%50}
	total, unit := 0, time.Minute
	for _, n := range minutes[:to+1] {
		total += n
	}
	if !assessment.Value.byTest {
		unit = min(unit, end.minus(assessment.Created)/time.Duration(total))
	}
	at := end.plus(-time.Duration(total) * unit)
	o.backdate(assessment, at)
	c := o.candidates[o.Invite(o.live.NewID(), assessment, who, at).ID]
	at = c.play(at, minutes, unit, min(to, Started), r)
	if to >= Started {
		c.writeLog(at, time.Duration(worked)*unit)
	}
	c.play(at, minutes, unit, to, r)
	return c
}

// backdate makes an assessment not younger than a candidate's invitation.
func (o *Organization) backdate(a *Record[Assessment], at Moment) {
	if a.Created <= at {
		return
	}
	o.Assessments.remove(a)
	a.Created = at.plus(-time.Hour)
	a.Value.CreatedAt, a.Value.UpdatedAt = a.Created, a.Created
	o.Assessments.add(a)
}

// writeLog adds events to the log of an attempt, up to now at the latest.
func (c *candidate) writeLog(from Moment, length time.Duration) {
	count := 6 + c.number*7%30
	for i := range count {
		at := from.plus(length * time.Duration(i+1) / time.Duration(count+1))
		if at > c.organization.now {
			return
		}
		next := data.UsualEvents[i%len(data.UsualEvents)]
		c.append(at, next.Kind, next.Payload)
	}
}
