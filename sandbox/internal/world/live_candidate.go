package world

import (
	"errors"
	"time"
)

// candidate is an invitation of the live world and all that comes of it.
type candidate struct {
	o          *Organization
	n          int // which one of the organization, from 1
	posting    *Record[Assessment]
	challenge  *Record[Challenge]
	invitation *Record[Invitation]
	stage      stage
	revoked    bool
	noArchive  bool

	attempt *Attempt // nil before it begins
	minutes int      // allowed when it began
	prompts int      // events of the log that are prompts
	edits   int      // and edits of files
	polls   int
	result  Result
}

var (
	errRevoked   = errors.New("the invitation was revoked")
	errExpired   = errors.New("the invitation has expired")
	errClosed    = errors.New("the assessment is closed")
	errOpened    = errors.New("the invitation was opened before")
	errBegun     = errors.New("the attempt has begun before")
	errHandedIn  = errors.New("the attempt was handed in before")
	errEvaluated = errors.New("the submission was evaluated before")

	errNotEvaluated = errors.New("the submission was not evaluated: evaluate it first")
)

func (c *candidate) mayEnter(at Moment) error {
	switch {
	case c.revoked:
		return errRevoked
	case at >= c.invitation.Value.ExpiresAt:
		return errExpired
	}
	return nil
}

func (c *candidate) open(at Moment) error {
	if c.stage >= opened {
		return errOpened
	}
	if err := c.mayEnter(at); err != nil {
		return err
	}
	c.enter(at)
	return nil
}

func (c *candidate) enter(at Moment) {
	i := c.invitation
	i.Value.Status, i.Value.OpenedAt, i.Shown = "opened", &at, nil
	c.reach(opened, at)
}

// begin makes the submission. A closed assessment stops new work, which this is.
func (c *candidate) begin(at Moment) error {
	if c.stage >= started {
		return errBegun
	}
	if err := c.mayEnter(at); err != nil {
		return err
	}
	posting := &c.posting.Value
	if posting.Status == "closed" {
		return errClosed
	}
	if c.stage < opened {
		c.enter(at)
	}
	i := c.invitation
	i.Value.Status, i.Value.StartedAt, i.Shown = "started", &at, nil
	limit := c.challenge.Value.BudgetDollarsCap
	if posting.BudgetDollarsCap != nil {
		limit = *posting.BudgetDollarsCap
	}
	c.minutes = posting.TimeLimitMinutes
	id := c.o.l.NewID()
	c.attempt = &Attempt{of: c, Record: *newRecord(id, at, Submission{
		ID: id, AssessmentID: posting.ID, Status: "started", StartedAt: at, CreatedAt: at,
		Challenge: ChallengeRef{Name: c.challenge.Value.Name, Slug: c.challenge.Value.Slug},
		Candidate: Person{Email: i.Value.CandidateEmail, Name: i.Value.CandidateName},
		Budget:    Budget{DollarsCap: limit},
	})}
	c.o.attempts.add(c.attempt)
	c.append(at, "attempt_started", "")
	c.reach(started, at)
	return nil
}

func (c *candidate) submit(at Moment) error {
	if c.stage >= submitted {
		return errHandedIn
	}
	c.handIn(at)
	return nil
}

func (c *candidate) handIn(at Moment) {
	c.invitation.Value.SubmittedAt, c.invitation.Shown = &at, nil
	s := &c.attempt.Value
	s.Status, s.SubmittedAt = "submitted", &at
	c.spend()
	c.reach(submitted, at)
	if c.o.l.timeline.Polls > 0 {
		c.o.waiting = append(c.o.waiting, c)
	}
}

// evaluate also hands in what was not: the test that evaluates is not
// interested in the steps before.
func (c *candidate) evaluate(at Moment, r Result) error {
	if c.stage == evaluated {
		return errEvaluated
	}
	if c.stage < submitted {
		c.handIn(at)
	}
	c.invitation.Value.Status, c.invitation.Shown = "evaluated", nil
	c.attempt.Value.Status, c.attempt.Value.EvaluatedAt = "evaluated", &at
	c.settleResult(r)
	c.reach(evaluated, at)
	return nil
}

// regrade replaces the result of an evaluated submission.
func (c *candidate) regrade(at Moment, r Result) error {
	if c.stage != evaluated {
		return errNotEvaluated
	}
	if old := c.result.ShipScore; old != NoScore {
		c.o.scores[old]--
	}
	c.o.evaluated--
	c.attempt.Value.EvaluatedAt, c.attempt.Shown = &at, nil
	c.settleResult(r)
	c.o.attempts.changed(c.attempt)
	return nil
}

func (c *candidate) settleResult(r Result) {
	c.result = r
	if r.ShipScore != NoScore {
		c.o.scores[r.ShipScore]++
	}
	c.o.evaluated++
	if r.ReportDelay > 0 {
		c.o.delayed = append(c.o.delayed, c)
	}
}

// centsPerPrompt is what a prompt costs of the budget.
const centsPerPrompt = 7

// spend derives the used budget from the log.
func (c *candidate) spend() {
	b := &c.attempt.Value.Budget
	b.DollarsUsed = min(cents(float64(c.prompts*centsPerPrompt)/100), b.DollarsCap)
}

func (c *candidate) poll(now time.Time) {
	polls := c.o.l.timeline.Polls
	if polls == 0 || c.stage != submitted {
		return
	}
	c.polls++
	if c.polls >= polls {
		_ = c.evaluate(MomentOf(now), c.likelyResult()) // submitted: it cannot fail
	}
}

// reach is the end of every step.
func (c *candidate) reach(to stage, at Moment) {
	c.stage = to
	if c.attempt != nil {
		c.attempt.Shown = nil
		c.o.attempts.changed(c.attempt)
	}
	c.schedule(to+1, at)
}

func (c *candidate) append(at Moment, kind string, payloads ...Text) {
	a := c.attempt
	for _, payload := range payloads {
		a.log = append(a.log, Event{Seq: int64(len(a.log) + 1), Kind: kind, At: at, Payload: payload})
	}
	switch kind {
	case promptKind:
		c.prompts += len(payloads)
		c.spend()
		a.Shown = nil
	case editKind:
		c.edits += len(payloads)
		a.Shown = nil
	}
}
