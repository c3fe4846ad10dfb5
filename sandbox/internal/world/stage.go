package world

import "slices"

// stage is the stage of a candidate, as an index in Stages.
type stage int

const (
	sent stage = iota
	opened
	started
	submitted // Not a status of invitations, whose documented status follows started with evaluated.
	evaluated
)

// UnmarshalText parses a name of Stages.
func (s *stage) UnmarshalText(text []byte) error {
	*s = stage(slices.Index(Stages[:], string(text)))
	return nil
}

// promptKind is the kind of the events that reports count.
const promptKind = "ai_prompt"

// editKind is the kind of the events that edit a file.
const editKind = "file_edit"

// Stages are the stages of a candidate, in order.
var Stages = [...]string{sent: "sent", opened: "opened", started: "started", submitted: "submitted", evaluated: "evaluated"}
