package world

import (
	"fmt"
	"time"
)

const errPlanLimit = Conflict("the plan's invitations for this period are used up")

// Invite sends an invitation to an assessment of any organization.
func (l *Live) Invite(assessmentID, email, name string, now time.Time) (invitationID string, err error) {
	o, assessment, err := l.openAssessment(assessmentID, email, now)
	if err != nil {
		return "", err
	}
	return o.invite(assessment, Person{Email: email, Name: name}, o.now).invitation.ID, nil
}

// openAssessment returns an assessment of any organization that a candidate can be invited
// to.
func (l *Live) openAssessment(id, email string, now time.Time) (*Organization, *Record[Assessment], error) {
	o, found, err := l.assessment(id, now)
	switch {
	case err != nil:
	case found.Value.Status == "closed":
		err = errClosed
	case !o.MayInvite(email):
		err = errPlanLimit
	}
	return o, found, err
}

// invite sends an invitation at a time.
func (o *Organization) invite(assessment *Record[Assessment], who Person, at Moment) *candidate {
	i := o.SaveInvitation(Invitation{
		ID: o.newID(), AssessmentID: assessment.ID, CandidateEmail: who.Email, CandidateName: who.Name, Status: "sent",
		RecruiterDecision: "none", SentAt: &at, ExpiresAt: at.plus(InvitationLifetime), CreatedAt: at,
	})
	return o.candidates[i.ID]
}

// AddResult adds a candidate who has taken all steps, and whose evaluation is now.
func (l *Live) AddResult(assessmentID, email, name string, now time.Time, r Result) (submissionID string, err error) {
	o, assessment, err := l.openAssessment(assessmentID, email, now)
	if err != nil {
		return "", err
	}
	return o.play(assessment, Person{Email: email, Name: name}, evaluated, o.now, &r).attempt.ID, nil
}

// Seed adds candidates at all stages to an assessment, with names, logs and reports, and
// returns the assessment's id. An empty assessmentID adds an assessment.
func (o *Organization) Seed(assessmentID string, count int) (id string, err error) {
	usage := &o.account.Value.Usage
	if left := usage.AssessmentsLimit - usage.AssessmentsUsed; o.account.Value.Plan.LimitsEnforced && left < count {
		return "", Conflict(fmt.Sprintf("the plan has %d invitations left in this period", max(left, 0)))
	}
	if assessmentID == "" {
		assessmentID = o.AddAssessment("Sample candidates", "")
	}
	assessment := o.assessments.Find(assessmentID)
	switch {
	case assessment == nil:
		return "", ErrUnknown
	case assessment.Value.Status == "closed":
		return "", errClosed
	}
	stages := data.Plans[0].Stages
	for range count {
		n := len(o.candidates)
		ago := n * n * 13 % 7200 // Minutes.
		to := stages[n*5%len(stages)]
		if to == started { // A longer attempt would have ended at its time limit.
			ago = n%20 + 1
		}
		o.play(assessment, person(n), to, o.now.plus(-time.Duration(ago)*time.Minute), nil)
	}
	return assessmentID, nil
}

// play adds a candidate who reaches a stage at a time, after believable times for the
// earlier steps. A nil result is invented.
func (o *Organization) play(assessment *Record[Assessment], who Person, to stage, end Moment, r *Result) *candidate {
	n := len(o.candidates) + 1
	worked := max(min(minutesUsed(n), assessment.Value.TimeLimitMinutes-1), 1)
	minutes := [...]int{opened: 20 + n*53%900, started: 5 + n*71%300, submitted: worked, evaluated: 4 + n*37%50}
	at := end
	for s := to; s > sent; s-- {
		at = at.plus(-time.Duration(minutes[s]) * time.Minute)
	}
	o.backdate(assessment, at)
	c := o.invite(assessment, who, at)
	for s := opened; s <= to; s++ { // The steps are possible in this order.
		at = at.plus(time.Duration(minutes[s]) * time.Minute)
		c.reach(s, at, r)
		if s == started {
			c.writeLog(at, time.Duration(worked)*time.Minute)
		}
	}
	return c
}

// backdate makes an assessment not younger than a candidate's invitation.
func (o *Organization) backdate(a *Record[Assessment], at Moment) {
	if a.Created <= at {
		return
	}
	o.assessments.remove(a)
	a.Created = at.plus(-time.Hour)
	a.Value.CreatedAt, a.Value.UpdatedAt = a.Created, a.Created
	o.assessments.add(a)
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

// step takes a candidate to a stage. It returns the id of the submission, once there is one.
func (l *Live) step(find finder, id string, now time.Time, to stage, r *Result) (submissionID string, err error) {
	err = l.change(find, id, now, func(c *candidate, at Moment) error {
		// A candidate whose time is over submits without an effect.
		if to != submitted || !c.timedOut || c.stage != submitted {
			if err := c.take(to, at, r); err != nil {
				return err
			}
		}
		if c.attempt != nil {
			submissionID = c.attempt.ID
		}
		return nil
	})
	return submissionID, err
}

// Open opens an invitation.
func (l *Live) Open(invitationID string, now time.Time) error {
	_, err := l.step(byInvitation, invitationID, now, opened, nil)
	return err
}

// Begin begins an attempt. It opens the invitation if necessary.
func (l *Live) Begin(invitationID string, now time.Time) (submissionID string, err error) {
	return l.step(byInvitation, invitationID, now, started, nil)
}

// Submit submits an attempt.
func (l *Live) Submit(submissionID string, now time.Time) error {
	_, err := l.step(byAttempt, submissionID, now, submitted, nil)
	return err
}

// SubmitInvited is like Submit, with the id of the invitation.
func (l *Live) SubmitInvited(invitationID string, now time.Time) (submissionID string, err error) {
	return l.step(byInvitation, invitationID, now, submitted, nil)
}

// Evaluate evaluates a submission, after submitting it if necessary. The result must pass
// Check.
func (l *Live) Evaluate(submissionID string, now time.Time, r Result) error {
	_, err := l.step(byAttempt, submissionID, now, evaluated, &r)
	return err
}

// EvaluateInvented is like Evaluate with the result that the timeline makes.
func (l *Live) EvaluateInvented(submissionID string, now time.Time) error {
	_, err := l.step(byAttempt, submissionID, now, evaluated, nil)
	return err
}

// Append adds an event to a log for each payload.
func (l *Live) Append(submissionID string, now time.Time, kind string, payloads ...RawJSON) error {
	return l.change(byAttempt, submissionID, now, func(c *candidate, at Moment) error {
		if c.stage >= submitted {
			if !c.timedOut || c.stage == evaluated {
				return errSubmitted
			}
			at = *c.attempt.Value.SubmittedAt // The log arrives late: nothing happens after the submission.
		}
		c.append(at, kind, payloads...)
		return nil
	})
}
