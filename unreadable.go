package hiring

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
)

// submissionLeniency decodes the submissions of a response one by one, because one that
// cannot be decoded must not delay the others. A report that cannot be decoded is nil. Of a submission
// with another problem, the ID, the status and the times remain.
type submissionLeniency struct {
	id    string                               // Of the one submission of the response; "" for a list.
	isNew func(s *Submission, named bool) bool // Reports whether to warn of a submission. It changes nothing.

	bad   []badSubmission
	fresh []string // IDs of those that isNew accepted.
}

// badSubmission is a submission that cannot be decoded.
type badSubmission struct {
	id    string // As the decoded page has it.
	named bool   // The API sent that ID. Else it is made from the rest.
	where string // What is wrong, by JSON pointer.
}

// mostWarned is how many problems a warning names.
const mostWarned = 3

// codec returns the codec for a response.
func (l *submissionLeniency) codec() *jsoncodec.Codec {
	return apiCodec.Forgiving(json.JoinUnmarshalers(jsoncodec.OrNil[Report](), jsoncodec.OrPart(l.part)))
}

// begin forgets what an earlier attempt found.
func (l *submissionLeniency) begin() { l.bad, l.fresh = nil, nil }

// find returns the bad submission with an ID, or nil.
func (l *submissionLeniency) find(id string) *badSubmission {
	for i := range l.bad {
		if l.bad[i].id == id {
			return &l.bad[i]
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

// add records a bad submission. One without an ID gets one that is made from what
// identifies it.
func (l *submissionLeniency) add(s *Submission, where, identity string) {
	s.ID = cmp.Or(s.ID, l.id)
	named := s.ID != ""
	if !named {
		sum := sha256.Sum256([]byte(identity))
		s.ID = "unknown-" + hex.EncodeToString(sum[:8])
	}
	l.bad = append(l.bad, badSubmission{s.ID, named, where})
	if l.isNew(s, named) && !slices.Contains(l.fresh, s.ID) {
		l.fresh = append(l.fresh, s.ID)
	}
}

// check adds the submissions of a decoded list that have no ID, and returns a warning of
// those that are new, or "".
func (l *submissionLeniency) check(data any) string {
	list, _ := data.(*[]Submission)
	if list != nil {
		for i := range *list {
			if s := &(*list)[i]; s.ID == "" {
				l.add(s, fmt.Sprintf("/data/%d/id is missing", i), s.CreatedAt.String()+s.StartedAt.String())
			}
		}
	}
	var problems []string
	for _, id := range l.fresh {
		problems = append(problems, l.find(id).where)
	}
	if len(problems) == 0 {
		return ""
	}
	text := fmt.Sprintf("%d submissions cannot be decoded and are read again later: ", len(problems))
	if len(problems) == 1 {
		text = "a submission cannot be decoded and is read again later: "
	}
	if more := len(problems) - mostWarned; more > 0 {
		problems = append(problems[:mostWarned], fmt.Sprintf("%d more", more))
	}
	return text + strings.Join(problems, "; ")
}
