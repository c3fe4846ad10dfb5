package sandbox

import "time"

// action is what a test did with the server. The page shows actions between the exchanges.
type action struct {
	After int       `json:"after"` // Number of the newest exchange at that time.
	At    time.Time `json:"at"`
	// clock, fault, faults_removed, quota, settings, key_revoked, undone, invited, revoked, delayed, or a stage.
	Kind    string        `json:"kind"`
	Subject string        `json:"subject,omitzero"` // The address of the candidate, or what was set.
	Forward time.Duration `json:"forward,omitzero"` // Of the clock.
	Fault   *Fault        `json:"fault,omitzero"`   // The injected one.
	ID      string        `json:"id,omitzero"`      // Of the candidate's invitation.

	revision int
}

// maxActions is the number of actions that are remembered.
const maxActions = 1000

// recordAction adds an action to the journal.
func (c *control) recordAction(a action) {
	a.After, a.At, a.revision = c.journal.count, c.now, c.revise()
	kept := c.journal.actions
	c.journal.actions = append(kept[max(0, len(kept)-maxActions+1):], a)
}

// recordStep records a step of the candidate with the id of the control, unless it failed with
// an error, and returns the error.
func (c *control) recordStep(kind string, err error) error {
	if one, _ := c.live.Candidate(c.id, c.now); err == nil {
		c.recordAction(action{Kind: kind, Subject: one.CandidateEmail, ID: one.ID})
	}
	return err
}
