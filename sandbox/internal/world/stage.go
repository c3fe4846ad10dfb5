package world

// stage is the stage of a candidate, as an index in Stages.
type stage int

const (
	sent stage = iota
	opened
	started
	submitted // Not a status of invitations, whose documented status follows started with evaluated.
	evaluated
)

// promptKind is the kind of the events that reports count.
const promptKind = "ai_prompt"

// editKind is the kind of the events that edit a file.
const editKind = "file_edit"
