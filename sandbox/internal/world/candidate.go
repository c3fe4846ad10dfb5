package world

import (
	"strings"
	"time"
)

// candidate is an invitation with its attempt.
type candidate struct {
	organization *Organization
	number       int // Number in the organization, from 1.
	person       Person
	assessment   *Record[Assessment]
	challenge    *Record[Challenge]
	invitation   *Record[Invitation]
	revision     int // Of the last change.
	stage        Stage
	timedOut     bool // The time limit submitted the attempt.

	attemptID        string   // Of the sample data; empty: the next id.
	attempt          *Attempt // Nil until it begins.
	timeLimitMinutes int      // Time limit when it began.
	promptCount      int      // Events that are prompts.
	editCount        int      // Events that edit files.
	result           Result
	reportDelay      time.Duration // Of the next result without one.
	revokedAt        *Moment
	graded           Report // What the evaluation found. Fields that the attempt has are set by report.
}

// addressKey is equal for candidates with the same address and assessment.
func (c *candidate) addressKey() string {
	return c.assessment.ID + " " + strings.ToLower(c.person.Email)
}

// Conflict is an error for a step that the state does not allow.
type Conflict string

func (c Conflict) Error() string { return string(c) }

const (
	errRevoked   = Conflict("the invitation was revoked")
	errExpired   = Conflict("the invitation has expired")
	errClosed    = Conflict("the assessment is closed")
	errNotBegun  = Conflict("the attempt has not begun: begin it first")
	errUsed      = Conflict("the invitation was used or revoked")
	errSubmitted = Conflict("the attempt was submitted before")
)

// errTaken are the errors for a step that a candidate has taken before. A submission can be
// evaluated again.
var errTaken = [...]error{
	Opened:    Conflict("the invitation was opened before"),
	Started:   Conflict("the attempt has begun before"),
	Submitted: errSubmitted,
	Evaluated: nil,
}

// steps are what a test can do with a candidate, and why the state may not allow it.
var steps = [...]struct {
	name  string
	check func(*candidate) error
}{
	{"open", reaching(Opened)},
	{"begin", reaching(Started)},
	{"submit", reaching(Submitted)},
	{"events", (*candidate).checkEvents},
	{"evaluate", reaching(Evaluated)},
	{"revoke", (*candidate).checkUnused},
}

func reaching(to Stage) func(*candidate) error {
	return func(c *candidate) error { return c.check(to, c.organization.now) }
}

// check returns why the candidate cannot reach a stage, or nil. Earlier steps that were
// not taken do not prevent it, except that only Begin begins an attempt.
func (c *candidate) check(to Stage, at Moment) error {
	i := &c.invitation.Value
	switch {
	case c.stage >= to:
		return errTaken[to]
	case to >= Submitted && c.stage < Started:
		return errNotBegun
	case to <= Started && i.Status == statusRevoked:
		return errRevoked
	case to <= Started && at >= i.ExpiresAt:
		return errExpired
	case to == Started && c.assessment.Value.Status == "closed":
		return errClosed
	}
	return nil
}

// checkUnused returns an error once the attempt has begun or the invitation was revoked.
func (c *candidate) checkUnused() error {
	if c.stage >= Started || c.invitation.Value.Status == statusRevoked {
		return errUsed
	}
	return nil
}

// checkEvents returns an error unless the log can grow: until the attempt is submitted by a
// call. The log of an attempt that its time limit has submitted may arrive late.
func (c *candidate) checkEvents() error {
	switch {
	case c.stage < Started:
		return errNotBegun
	case c.stage == Evaluated || c.stage == Submitted && !c.timedOut:
		return errSubmitted
	}
	return nil
}

// take takes the candidate to a stage, if the state allows it, with the earlier steps that
// were not taken. A submission that was evaluated gets another result.
func (c *candidate) take(to Stage, at Moment, r Result) error {
	if err := c.check(to, at); err != nil {
		return err
	}
	if c.stage == Evaluated {
		c.setResult(at, r)
	}
	for c.stage < to {
		c.reach(c.stage+1, at, r)
	}
	return nil
}

// delays are the minutes from the previous stage.
type delays [Evaluated + 1]int

// play takes the candidate from the present stage to a later one without checks, and returns
// when it is reached. unit is the length of a minute.
func (c *candidate) play(at Moment, minutes delays, unit time.Duration, to Stage, r Result) Moment {
	for c.stage < to {
		at = at.plus(time.Duration(minutes[c.stage+1]) * unit)
		c.reach(c.stage+1, at, r)
	}
	return at
}

// reach takes the next step without a check.
func (c *candidate) reach(to Stage, at Moment, r Result) {
	i := &c.invitation.Value
	switch to {
	case Opened:
		i.OpenedAt = &at
	case Started:
		i.StartedAt = &at
		c.startAttempt(at)
	case Submitted:
		i.SubmittedAt, c.attempt.Value.SubmittedAt = &at, &at
		c.updateBudget()
	case Evaluated:
		c.setResult(at, r)
	case Sent:
	}
	c.stage = to
	if to != Submitted {
		i.Status = Stages[to]
	}
	if c.attempt != nil {
		c.attempt.Value.Status = Stages[to]
	}
	c.organization.dueSteps = c.scheduled(c.organization.dueSteps, to, at)
	c.changed()
}

// changed records a change of the candidate.
func (c *candidate) changed() { c.revision = c.organization.live.revise() }

// startAttempt creates the submission.
func (c *candidate) startAttempt(at Moment) {
	assessment := &c.assessment.Value
	limit := c.challenge.Value.BudgetDollarsCap
	if assessment.BudgetDollarsCap != nil {
		limit = *assessment.BudgetDollarsCap
	}
	c.timeLimitMinutes = assessment.TimeLimitMinutes
	id := c.attemptID
	if id == "" {
		id = c.organization.live.NewID()
	}
	c.attempt = &Attempt{candidate: c, Record: *newRecord(id, at, Submission{
		ID: id, AssessmentID: assessment.ID, StartedAt: at, CreatedAt: at,
		Challenge: ChallengeRef{Name: c.challenge.Value.Name, Slug: c.challenge.Value.Slug},
		Candidate: c.person,
		Budget:    Budget{DollarsCap: limit},
	})}
	c.organization.Submissions.add(c.attempt)
	c.append(at, "attempt_started", "")
}

// setResult stores a result and counts it in the ranking, in place of an earlier one.
func (c *candidate) setResult(at Moment, r Result) {
	o := c.organization
	if c.stage == Evaluated {
		o.countScore(c.result.ShipScore, -1)
	}
	c.attempt.Value.EvaluatedAt = &at
	c.result = r.withScore(c.number)
	if c.result.ReportDelay == 0 {
		c.result.ReportDelay = c.reportDelay
	}
	c.reportDelay = 0
	c.graded = c.grade()
	o.countScore(c.result.ShipScore, 1)
}

// centsPerPrompt is the cost of a prompt.
const centsPerPrompt = 7

// updateBudget derives the used budget from the log.
func (c *candidate) updateBudget() {
	b := &c.attempt.Value.Budget
	b.DollarsUsed = min(roundToCents(float64(c.promptCount*centsPerPrompt)/100), b.DollarsCap)
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
