package world

import "slices"

// Stage is the stage of a candidate, as an index in Stages.
type Stage int

const (
	sent Stage = iota
	opened
	started
	submitted // Not a status of invitations, whose documented status follows started with evaluated.
	evaluated
)

// The stages that [Live.Take] reaches.
const (
	Opened    = opened
	Started   = started
	Submitted = submitted
	Evaluated = evaluated
)

// UnmarshalText parses a name of Stages.
func (s *Stage) UnmarshalText(text []byte) error {
	*s = Stage(slices.Index(Stages[:], string(text)))
	return nil
}

// Stages are the stages of a candidate, in order. They are also the statuses of submissions.
var Stages = [...]string{sent: "sent", opened: "opened", started: "started", submitted: "submitted", evaluated: "evaluated"}
