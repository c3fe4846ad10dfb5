package sandbox

import (
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// Kinds of actions that the statistics of the journal or the page look up.
const (
	clockMoved = "Clock moved"
	quotaSet   = "Remaining set to"
)

// action is what a test did with the server. The page shows actions between the exchanges.
type action struct {
	After   int       `json:"after"` // Number of the newest exchange at that time.
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`             // What was done, in words: of a candidate the new stage, such as opened.
	Subject string    `json:"subject,omitzero"` // The address of the candidate, or what was set, with the redacted key at its end.
	ID      string    `json:"id,omitzero"`      // Of the candidate's invitation.
	KeyID   string    `json:"key_id,omitzero"`  // Of the key that was changed.
	Fault   *Fault    `json:"fault,omitzero"`   // That was injected.
	Events  int       `json:"events,omitzero"`  // That a move of the clock brought, as GET clock lists them.
	Undone  []action  `json:"undone,omitzero"`  // That an undo has undone, oldest first.
	// Of the candidate's report, if it is ready after the action.
	Grade world.Grade `json:"grade,omitzero"`

	revision int
	settled  bool // Undone, or an undo.
}

// maxActions is the number of actions that are remembered. The steps of candidates are forgotten first, because each candidate has them too.
const maxActions = 1000

// recordAction adds an action to the journal, and returns it. id is that of a candidate's invitation, or empty.
func (c *control) recordAction(kind, subject, id string) *action {
	kept := c.journal.actions
	if len(kept) == maxActions {
		oldest := max(0, slices.IndexFunc(kept, func(a action) bool { return a.ID != "" }))
		kept = slices.Concat(kept[:oldest], kept[oldest+1:])
	}
	c.journal.actions = append(kept, action{After: c.journal.count, At: c.now, Kind: kind, Subject: subject, ID: id, revision: c.revise()})
	return &c.journal.actions[len(c.journal.actions)-1]
}

// changed records an action without a candidate, and notifies the streams of what it changed.
func (c *control) changed(of topic, kind, subject string) *action {
	c.notify(of)
	return c.recordAction(kind, subject, "")
}

// recordStep records a step of the candidate with the id of the control, unless it failed with
// an error, and returns the error.
func (c *control) recordStep(kind string, err error) error {
	if one, _ := c.live.Candidate(c.id, c.now); err == nil {
		a := c.recordAction(kind, one.CandidateEmail, one.ID)
		if one.Attempt != nil && one.Attempt.Coming() == nil {
			a.Grade = one.Grade
		}
	}
	return err
}
