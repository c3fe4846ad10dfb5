package hiring

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// submissionLeniency decodes the submissions of a response one by one, because one that
// cannot be decoded must not delay the others. A report that cannot be decoded is nil. Of a
// submission with another problem, the ID, the status and the times remain.
type submissionLeniency struct {
	id      string           // Of the one submission of the response; "" for a list.
	machine *waiting.Machine // Knows which submissions were warned of. It is not changed.

	// The submissions that cannot be decoded, by ID: whether the API sent the ID. Otherwise it
	// is made from the rest.
	named map[string]bool
	fresh []string // IDs of those that no response showed so before.
	where string   // What is wrong with the first of these, by JSON pointer.
}

// codec returns the codec for a response.
func (l *submissionLeniency) codec() *jsoncodec.Codec {
	return apiCodec.Forgiving(json.JoinUnmarshalers(jsoncodec.OrNil[Report](), jsoncodec.OrPart(l.part)))
}

// begin forgets what an earlier attempt found.
func (l *submissionLeniency) begin() { l.named, l.fresh, l.where = make(map[string]bool), nil, "" }

// has reports whether a submission of the response cannot be decoded.
func (l *submissionLeniency) has(id string) bool {
	_, ok := l.named[id]
	return ok
}

// part returns what can be decoded of a submission.
func (l *submissionLeniency) part(place string, why error, read func(v any) error) Submission {
	var raw struct {
		ID          RawValue `json:"id"`
		Status      RawValue `json:"status"`
		CreatedAt   RawValue `json:"created_at"`
		StartedAt   RawValue `json:"started_at"`
		SubmittedAt RawValue `json:"submitted_at"`
		EvaluatedAt RawValue `json:"evaluated_at"`
	}
	_ = read(&raw) // Without members when it is not an object.
	s := Submission{CreatedAt: looseTime(raw.CreatedAt), StartedAt: looseTime(raw.StartedAt)}
	if at := looseTime(raw.SubmittedAt); !at.IsZero() {
		s.SubmittedAt = &at
	}
	if at := looseTime(raw.EvaluatedAt); !at.IsZero() {
		s.EvaluatedAt = &at
	}
	status, _ := raw.Status.Text()
	s.Status = SubmissionStatus(status)
	s.ID, _ = raw.ID.Text()
	l.add(&s, jsoncodec.WhereIn(place, why), cmp.Or(string(raw.ID), string(raw.CreatedAt)+string(raw.StartedAt)+string(raw.SubmittedAt)))
	return s
}

// add records a bad submission, once. One without an ID gets one that is made from what
// identifies it.
func (l *submissionLeniency) add(s *Submission, where, identity string) {
	s.ID = cmp.Or(s.ID, l.id)
	named := s.ID != ""
	if !named {
		sum := sha256.Sum256([]byte(identity))
		s.ID = "unknown-" + hex.EncodeToString(sum[:8])
	}
	if l.has(s.ID) {
		return
	}
	l.named[s.ID] = named
	it := l.item(s)
	if l.machine.NewlyUnreadable(&it) {
		l.fresh, l.where = append(l.fresh, s.ID), cmp.Or(l.where, where)
	}
}

// item returns the facts of a submission of the response.
func (l *submissionLeniency) item(s *Submission) waiting.Item {
	it := itemOf(s)
	if named, bad := l.named[s.ID]; bad {
		it.Unreadable, it.Unnamed = true, !named
	}
	return it
}

// check adds the submissions of a decoded list that have no ID, and returns a warning of
// those that are new, or "".
func (l *submissionLeniency) check(data any) string {
	if list, ok := data.(*[]Submission); ok && list != nil {
		for i := range *list {
			if s := &(*list)[i]; s.ID == "" {
				l.add(s, fmt.Sprintf("/data/%d/id is missing", i), s.CreatedAt.String()+s.StartedAt.String())
			}
		}
	}
	switch len(l.fresh) {
	case 0:
		return ""
	case 1:
		return "a submission cannot be decoded and is delivered when it can be: " + l.where
	default:
		return fmt.Sprintf("%d submissions cannot be decoded and are delivered when they can be, the first because %s", len(l.fresh), l.where)
	}
}
