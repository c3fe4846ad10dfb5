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
// cannot be decoded must not delay the others. A report that cannot be decoded is nil. Of a submission
// with another problem, the ID, the status and the times remain.
type submissionLeniency struct {
	id      string           // Of the one submission of the response; "" for a list.
	machine *waiting.Machine // Knows which submissions were warned of. It is not changed.
	bad     []*badSubmission
}

// badSubmission is a submission that cannot be decoded.
type badSubmission struct {
	id    string // As the decoded page has it.
	named bool   // The API sent that ID. Else it is made from the rest.
	fresh bool   // No response showed it so before.
	where string // What is wrong, by JSON pointer.
}

// codec returns the codec for a response.
func (l *submissionLeniency) codec() *jsoncodec.Codec {
	return apiCodec.Forgiving(json.JoinUnmarshalers(jsoncodec.OrNil[Report](), jsoncodec.OrPart(l.part)))
}

// begin forgets what an earlier attempt found.
func (l *submissionLeniency) begin() { l.bad = nil }

// find returns the bad submission with an ID, or nil.
func (l *submissionLeniency) find(id string) *badSubmission {
	for _, bad := range l.bad {
		if bad.id == id {
			return bad
		}
	}
	return nil
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
	if l.find(s.ID) == nil {
		it := itemOf(s)
		it.Unreadable, it.Unnamed = true, !named
		l.bad = append(l.bad, &badSubmission{s.ID, named, l.machine.NewlyUnreadable(&it), where})
	}
}

// fresh returns the IDs of the bad submissions that no response showed before, and what is wrong
// with the first of them.
func (l *submissionLeniency) fresh() (ids []string, where string) {
	for _, bad := range l.bad {
		if bad.fresh {
			ids, where = append(ids, bad.id), cmp.Or(where, bad.where)
		}
	}
	return ids, where
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
	switch ids, where := l.fresh(); len(ids) {
	case 0:
		return ""
	case 1:
		return "a submission cannot be decoded and is delivered when it can be: " + where
	default:
		return fmt.Sprintf("%d submissions cannot be decoded and are delivered when they can be, the first because %s", len(ids), where)
	}
}
