package world

import "slices"

// Stage is the stage of a candidate, as an index in Stages.
type Stage int

// The stages, in order.
const (
	Sent Stage = iota
	Opened
	Started
	Submitted // Not a status of invitations, whose documented status follows started with evaluated.
	Evaluated
)

// UnmarshalText parses a name of Stages.
func (s *Stage) UnmarshalText(text []byte) error {
	*s = Stage(slices.Index(Stages[:], string(text)))
	return nil
}

// Stages are the stages of a candidate, in order. They are also the statuses of submissions.
var Stages = [...]string{Sent: "sent", Opened: "opened", Started: "started", Submitted: "submitted", Evaluated: "evaluated"}
