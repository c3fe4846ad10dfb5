package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// candidate is an invitation of the live world and all that comes of it.
type candidate struct {
	o          *organization
	n          int // which one of the organization, from 1
	posting    *assessment
	challenge  *challenge
	invitation *invitation
	stage      stage
	revoked    bool

	submission *submission // nil before the attempt begins
	minutes    int         // allowed when it began
	log        []event
	prompts    int
	polls      int
	result     Result
	rendered   *liveJSON // nil after a change
}

// invitee finds a candidate of any organization by the invitation.
func (s *Server) invitee(id string) *candidate {
	id = canonical(id)
	for _, o := range s.organizations {
		if c := o.invitees[id]; c != nil {
			return c
		}
	}
	return nil
}

// author finds a candidate of any organization by the submission.
func (s *Server) author(id string) *candidate {
	id = canonical(id)
	for _, o := range s.organizations {
		if found := o.attempts.find(id); found != nil {
			return found.of
		}
	}
	return nil
}

var (
	errUnknown   = errors.New("the live world has no such id")
	errRevoked   = errors.New("the invitation was revoked")
	errExpired   = errors.New("the invitation has expired")
	errClosed    = errors.New("the assessment is closed")
	errOpened    = errors.New("the invitation was opened before")
	errBegun     = errors.New("the attempt has begun before")
	errHandedIn  = errors.New("the attempt was handed in before")
	errEvaluated = errors.New("the submission was evaluated before")
)

func (c *candidate) mayEnter(at stamp) error {
	switch {
	case c.revoked:
		return errRevoked
	case !at.Before(c.invitation.wire.ExpiresAt.Time):
		return errExpired
	}
	return nil
}

func (c *candidate) open(at stamp) error {
	if c.stage >= opened {
		return errOpened
	}
	if err := c.mayEnter(at); err != nil {
		return err
	}
	c.enter(at)
	return nil
}

func (c *candidate) enter(at stamp) {
	i := c.invitation
	i.wire.Status, i.wire.OpenedAt, i.json = "opened", &at, nil
	c.reach(opened, at)
}

// begin makes the submission. A closed assessment stops new work, which this is.
func (c *candidate) begin(at stamp) error {
	if c.stage >= started {
		return errBegun
	}
	if err := c.mayEnter(at); err != nil {
		return err
	}
	if c.posting.wire.Status == "closed" {
		return errClosed
	}
	if c.stage < opened {
		c.enter(at)
	}
	i := c.invitation
	i.wire.Status, i.wire.StartedAt, i.json = "started", &at, nil
	limit := c.challenge.wire.BudgetDollarsCap
	if c.posting.wire.BudgetDollarsCap != nil {
		limit = *c.posting.wire.BudgetDollarsCap
	}
	c.minutes = c.posting.wire.TimeLimitMinutes
	id := c.o.s.newID()
	c.submission = &submission{of: c, record: record[wireSubmission]{position: position{at.UnixMilli(), id}, wire: wireSubmission{
		ID: id, AssessmentID: c.posting.id, Status: "started", StartedAt: at, CreatedAt: at,
		Challenge: wireChallengeRef{Name: c.challenge.wire.Name, Slug: c.challenge.wire.Slug},
		Candidate: wireCandidate{Email: i.wire.CandidateEmail, Name: i.wire.CandidateName},
		Budget:    wireBudget{DollarsCap: limit},
	}}}
	c.o.attempts.add(c.submission)
	c.append(at, "attempt_started", json.RawMessage(`{}`))
	c.reach(started, at)
	return nil
}

func (c *candidate) submit(at stamp) error {
	if c.stage >= submitted {
		return errHandedIn
	}
	c.handIn(at)
	return nil
}

func (c *candidate) handIn(at stamp) {
	c.invitation.wire.SubmittedAt, c.invitation.json = &at, nil
	wire := &c.submission.wire
	wire.Status, wire.SubmittedAt = "submitted", &at
	wire.Budget.DollarsUsed = cents(wire.Budget.DollarsCap * float64(c.n*29%100) / 100)
	c.reach(submitted, at)
	if c.o.s.timeline.Polls > 0 {
		c.o.waiting = append(c.o.waiting, c)
	}
}

// evaluate also hands in what was not: the test that evaluates is not
// interested in the steps before.
func (c *candidate) evaluate(at stamp, r Result) error {
	if c.stage == evaluated {
		return errEvaluated
	}
	if c.stage < submitted {
		c.handIn(at)
	}
	c.invitation.wire.Status, c.invitation.json = "evaluated", nil
	c.submission.wire.Status, c.submission.wire.EvaluatedAt = "evaluated", &at
	c.result = r
	c.o.scores[r.ShipScore]++
	c.o.evaluated++
	c.reach(evaluated, at)
	return nil
}

// reach is the end of every step.
func (c *candidate) reach(to stage, at stamp) {
	c.stage, c.rendered = to, nil
	if c.submission != nil {
		c.o.attempts.changed(c.submission)
	}
	c.schedule(to+1, at)
}

func (c *candidate) append(at stamp, kind string, payloads ...json.RawMessage) {
	for _, payload := range payloads {
		seq := int64(len(c.log) + 1)
		c.log = append(c.log, event{seq, renderEvent(seq, kind, at.UnixMilli(), payload)})
	}
	if kind == "ai_prompt" {
		c.prompts += len(payloads)
		c.rendered = nil
	}
}

// byHand does a step of a candidate at once, after what was due before it.
func (s *Server) byHand(call, id string, find func(id string) *candidate, do func(*candidate, stamp) error) error {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(now)
	err := errUnknown
	if c := find(id); c != nil {
		c.o.at(now)
		err = do(c, stamp{now.Truncate(time.Millisecond)})
	}
	if err != nil {
		return fmt.Errorf("sandbox: %s(%q): %w", call, id, err)
	}
	return nil
}
