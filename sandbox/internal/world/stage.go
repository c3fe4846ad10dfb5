package world

// stage is how far a candidate came.
type stage int

const (
	sent stage = iota
	opened
	started
	submitted // not a status of invitations: the documented ones go from started to evaluated
	evaluated
)

// promptKind is the kind of the events that reports count.
const promptKind = "ai_prompt"

// editKind is the kind of the events that edit a file.
const editKind = "file_edit"
