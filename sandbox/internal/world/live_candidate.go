package world

import "time"

// candidate is an invitation with its attempt.
type candidate struct {
	organization *Organization
	number       int // Number in the organization, from 1.
	assessment   *Record[Assessment]
	challenge    *Record[Challenge]
	invitation   *Record[Invitation]
	stage        stage
	resent       bool
	noArchive    bool
	timedOut     bool // The time limit submitted the attempt.

	attemptID        string   // Of the sample data; empty: the next id.
	attempt          *Attempt // Nil until it begins.
	timeLimitMinutes int      // Time limit when it began.
	promptCount      int      // Events that are prompts.
	editCount        int      // Events that edit files.
	pollCount        int
	result           Result
	graded           Report // What the evaluation found. Fields that the attempt has are set by report.
}

// Conflict is an error for a step that the state does not allow.
type Conflict string

func (c Conflict) Error() string { return string(c) }

const (
	errRevoked   = Conflict("the invitation was revoked")
	errExpired   = Conflict("the invitation has expired")
	errClosed    = Conflict("the assessment is closed")
	errNotBegun  = Conflict("the attempt has not begun: begin it first")
	errSubmitted = Conflict("the attempt was submitted before")
)

// errTaken are the errors for a step that a candidate has taken before.
var errTaken = [...]error{
	opened:    Conflict("the invitation was opened before"),
	started:   Conflict("the attempt has begun before"),
	submitted: errSubmitted,
	evaluated: Conflict("the submission was evaluated before"),
}

// check returns why the candidate cannot reach a stage, or nil. Earlier steps that were
// not taken do not prevent it, except that only Begin begins an attempt.
func (c *candidate) check(to stage, at Moment) error {
	i := &c.invitation.Value
	switch {
	case c.stage >= to:
		return errTaken[to]
	case to >= submitted && c.stage < started:
		return errNotBegun
	case to <= started && i.Status == statusRevoked:
		return errRevoked
	case to <= started && at >= i.ExpiresAt:
		return errExpired
	case to == started && c.assessment.Value.Status == "closed":
		return errClosed
	}
	return nil
}

// take takes the candidate to a stage, if the state allows it, with the earlier steps that
// were not taken. The result of an evaluation is r, or an invented one if r is nil.
func (c *candidate) take(to stage, at Moment, r *Result) error {
	if err := c.check(to, at); err != nil {
		return err
	}
	for c.stage < to {
		c.reach(c.stage+1, at, r)
	}
	return nil
}

// reach takes the next step without a check.
func (c *candidate) reach(to stage, at Moment, r *Result) {
	i := &c.invitation.Value
	switch to {
	case opened:
		i.OpenedAt = &at
	case started:
		i.StartedAt = &at
		c.startAttempt(at)
	case submitted:
		i.SubmittedAt, c.attempt.Value.SubmittedAt = &at, &at
		c.updateBudget()
		if c.organization.timeline.Polls > 0 {
			c.organization.awaitingPolls = append(c.organization.awaitingPolls, c)
		}
	case evaluated:
		if r == nil {
			r = &Result{ShipScore: InventedScore(c.number)}
		}
		c.setResult(at, *r)
	case sent:
	}
	c.stage = to
	if to != submitted {
		i.Status = Stages[to]
	}
	if c.attempt != nil {
		c.attempt.Value.Status = Stages[to]
	}
	c.schedule(to+1, at)
}

// startAttempt creates the submission.
func (c *candidate) startAttempt(at Moment) {
	assessment, i := &c.assessment.Value, &c.invitation.Value
	limit := c.challenge.Value.BudgetDollarsCap
	if assessment.BudgetDollarsCap != nil {
		limit = *assessment.BudgetDollarsCap
	}
	c.timeLimitMinutes = assessment.TimeLimitMinutes
	id := c.attemptID
	if id == "" {
		id = c.organization.newID()
	}
	c.attempt = &Attempt{candidate: c, Record: *newRecord(id, at, Submission{
		ID: id, AssessmentID: assessment.ID, StartedAt: at, CreatedAt: at,
		Challenge: ChallengeRef{Name: c.challenge.Value.Name, Slug: c.challenge.Value.Slug},
		Candidate: Person{Email: i.CandidateEmail, Name: i.CandidateName},
		Budget:    Budget{DollarsCap: limit},
	})}
	c.organization.attempts.add(c.attempt)
	c.append(at, "attempt_started", "")
	c.organization.schedule(step{at: c.deadline(), candidate: c, stage: submitted, limit: true})
}

// deadline returns when an attempt that has begun reaches its time limit.
func (c *candidate) deadline() Moment {
	s := &c.attempt.Value
	return s.StartedAt.plus(time.Duration(c.timeLimitMinutes)*time.Minute + time.Duration(s.PausedTotalSeconds)*time.Second)
}

// regrade replaces the result of an evaluated submission.
func (c *candidate) regrade(at Moment, r Result) error {
	if c.stage != evaluated {
		return Conflict("the submission was not evaluated: evaluate it first")
	}
	if c.result.hasScore() {
		c.organization.scoreCounts[c.result.ShipScore]--
	}
	c.organization.evaluatedCount--
	c.setResult(at, r)
	return nil
}

// setResult stores a result and counts it in the ranking.
func (c *candidate) setResult(at Moment, r Result) {
	c.attempt.Value.EvaluatedAt = &at
	c.result = r
	c.graded = c.grade()
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
func (c *candidate) countPoll(now Moment) {
	polls := c.organization.timeline.Polls
	if polls == 0 || c.stage != submitted {
		return
	}
	c.pollCount++
	if c.pollCount >= polls {
		c.reach(evaluated, now, nil)
	}
}

const (
	promptKind = "ai_prompt" // The kind of the events that reports count.
	editKind   = "file_edit" // The kind of the events that edit a file.
)

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
