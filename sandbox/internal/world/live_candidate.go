package world

import "time"

// candidate is an invitation of the live data, with its attempt.
type candidate struct {
	organization *Organization
	number       int // Number in the organization, from 1.
	assessment   *Record[Assessment]
	challenge    *Record[Challenge]
	invitation   *Record[Invitation]
	stage        stage
	revoked      bool
	resent       bool
	noArchive    bool
	timedOut     bool // The time limit submitted the attempt.

	attempt          *Attempt // Nil until it begins.
	timeLimitMinutes int      // Time limit when it began.
	promptCount      int      // Events that are prompts.
	editCount        int      // Events that edit files.
	pollCount        int
	result           Result
}

const (
	errRevoked   = Conflict("the invitation was revoked")
	errExpired   = Conflict("the invitation has expired")
	errClosed    = Conflict("the assessment is closed")
	errOpened    = Conflict("the invitation was opened before")
	errBegun     = Conflict("the attempt has begun before")
	errSubmitted = Conflict("the attempt was submitted before")
	errEvaluated = Conflict("the submission was evaluated before")

	errNotEvaluated = Conflict("the submission was not evaluated: evaluate it first")
)

// checkUsable returns an error if the invitation was revoked or has expired.
func (c *candidate) checkUsable(at Moment) error {
	switch {
	case c.revoked:
		return errRevoked
	case at >= c.invitation.Value.ExpiresAt:
		return errExpired
	}
	return nil
}

// open opens the invitation.
func (c *candidate) open(at Moment) error {
	if c.stage >= opened {
		return errOpened
	}
	if err := c.checkUsable(at); err != nil {
		return err
	}
	c.setOpened(at)
	return nil
}

// setOpened stores the opening of the invitation.
func (c *candidate) setOpened(at Moment) {
	i := c.invitation
	i.Value.Status, i.Value.OpenedAt = "opened", &at
	c.setStage(opened, at)
}

// begin creates the submission. It returns an error if the assessment is closed.
func (c *candidate) begin(at Moment) error {
	if c.stage >= started {
		return errBegun
	}
	if err := c.checkUsable(at); err != nil {
		return err
	}
	if c.assessment.Value.Status == "closed" {
		return errClosed
	}
	if c.stage < opened {
		c.setOpened(at)
	}
	c.setStarted(at)
	return nil
}

// setStarted creates the submission.
func (c *candidate) setStarted(at Moment) {
	assessment, i := &c.assessment.Value, c.invitation
	i.Value.Status, i.Value.StartedAt = "started", &at
	limit := c.challenge.Value.BudgetDollarsCap
	if assessment.BudgetDollarsCap != nil {
		limit = *assessment.BudgetDollarsCap
	}
	c.timeLimitMinutes = assessment.TimeLimitMinutes
	id := c.organization.live.NewID()
	c.attempt = &Attempt{grading: c, Record: *newRecord(id, at, Submission{
		ID: id, AssessmentID: assessment.ID, Status: "started", StartedAt: at, CreatedAt: at,
		Challenge: ChallengeRef{Name: c.challenge.Value.Name, Slug: c.challenge.Value.Slug},
		Candidate: Person{Email: i.Value.CandidateEmail, Name: i.Value.CandidateName},
		Budget:    Budget{DollarsCap: limit},
	})}
	c.organization.attempts.add(c.attempt)
	c.append(at, "attempt_started", "")
	c.setStage(started, at)
	c.organization.schedule(step{at: c.deadline().Time(), candidate: c, stage: submitted, limit: true})
}

// deadline returns when an attempt that has begun reaches its time limit.
func (c *candidate) deadline() Moment {
	s := &c.attempt.Value
	return s.StartedAt.plus(time.Duration(c.timeLimitMinutes)*time.Minute + time.Duration(s.PausedTotalSeconds)*time.Second)
}

// submit submits the attempt, which has begun. It has no effect if the time limit
// submitted the attempt.
func (c *candidate) submit(at Moment) error {
	if c.stage >= submitted {
		if c.timedOut && c.stage == submitted {
			return nil
		}
		return errSubmitted
	}
	c.setSubmitted(at)
	return nil
}

// setSubmitted stores the submission of the attempt.
func (c *candidate) setSubmitted(at Moment) {
	c.invitation.Value.SubmittedAt = &at
	s := &c.attempt.Value
	s.Status, s.SubmittedAt = "submitted", &at
	c.updateBudget()
	c.setStage(submitted, at)
	if c.organization.live.timeline.Polls > 0 {
		c.organization.awaitingPolls = append(c.organization.awaitingPolls, c)
	}
}

// evaluate evaluates the submission, after submitting it if necessary.
func (c *candidate) evaluate(at Moment, r Result) error {
	if c.stage == evaluated {
		return errEvaluated
	}
	if c.stage < submitted {
		c.setSubmitted(at)
	}
	c.invitation.Value.Status = "evaluated"
	c.attempt.Value.Status, c.attempt.Value.EvaluatedAt = "evaluated", &at
	c.setResult(r)
	c.setStage(evaluated, at)
	return nil
}

// regrade replaces the result of an evaluated submission.
func (c *candidate) regrade(at Moment, r Result) error {
	if c.stage != evaluated {
		return errNotEvaluated
	}
	if c.result.hasScore() {
		c.organization.scoreCounts[c.result.ShipScore]--
	}
	c.organization.evaluatedCount--
	c.attempt.Value.EvaluatedAt = &at
	c.setResult(r)
	return nil
}

// setResult stores a result and counts it in the ranking.
func (c *candidate) setResult(r Result) {
	c.result = r
	if r.hasScore() {
		c.organization.scoreCounts[r.ShipScore]++
	}
	c.organization.evaluatedCount++
}

// centsPerPrompt is the cost of a prompt.
const centsPerPrompt = 7

// updateBudget derives the used budget from the log.
func (c *candidate) updateBudget() {
	b := &c.attempt.Value.Budget
	b.DollarsUsed = min(roundToCents(float64(c.promptCount*centsPerPrompt)/100), b.DollarsCap)
}

// countPoll counts a poll of a submission whose evaluation depends on polls, and evaluates
// the submission after the last one.
func (c *candidate) countPoll(now time.Time) {
	polls := c.organization.live.timeline.Polls
	if polls == 0 || c.stage != submitted {
		return
	}
	c.pollCount++
	if c.pollCount >= polls {
		_ = c.evaluate(MomentOf(now), c.inventedResult()) // Cannot fail for a submitted attempt.
	}
}

// setStage stores the stage that a step reached, and schedules the next step.
func (c *candidate) setStage(to stage, at Moment) {
	c.stage = to
	c.schedule(to+1, at)
}

// append adds an event to the log for each payload.
func (c *candidate) append(at Moment, kind string, payloads ...RawJSON) {
	a := c.attempt
	for _, payload := range payloads {
		a.log = append(a.log, Event{Seq: int64(len(a.log) + 1), Kind: kind, At: at, Payload: payload})
	}
	switch kind {
	case promptKind:
		c.promptCount += len(payloads)
		c.updateBudget()
	case editKind:
		c.editCount += len(payloads)
	}
}
