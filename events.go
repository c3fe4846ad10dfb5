package hiring

import (
	"encoding/json"
	"time"

	"github.com/google/go-querystring/query"

	"github.com/hiring-assessment/hiring-go/internal/paging"
)

// EventService reads the event logs of submissions.
//
//	GET /submissions/{id}/events   read
type EventService struct{ core *core }

var eventsRoute = registerRoute("GET /submissions/{id}/events")

func (s *EventService) mustCore() *core { return (*service)(s).mustCore() }

// List returns the log of a submission in ascending seq order. A busy submission
// has thousands of entries. Scope read; costs one read a page of up to 500.
func (s *EventService) List(submissionID string, filter EventFilter) Pager[Event] {
	r := newRequest("Events.List", eventsRoute, pathID("submissionID", submissionID))
	r.query, _ = query.Values(filter) // Values fails only for a value that is not a struct.
	if filter.SinceSeq < 0 {
		r = r.refuseField("SinceSeq", "since_seq", "must not be negative (0 begins at the first entry)")
	}
	return newPager(list[Event]{
		List:    paging.List{Style: paging.BySeq, MaxSize: maxEventPageSize, From: filter.SinceSeq},
		core:    s.mustCore(),
		request: r,
		seq:     func(e *Event) int64 { return e.Seq },
	})
}

// EventFilter selects the entries of a log.
type EventFilter struct {
	SinceSeq int64 `url:"since_seq,omitempty"` // Only entries with a higher seq; 0 for all.
}

// Event is an entry of a submission's log.
type Event struct {
	Seq         int64                      `json:"seq"` // Ascending within the submission.
	Kind        EventKind                  `json:"kind"`
	TimestampMS int64                      `json:"ts_ms"`   // Unix time in milliseconds.
	Payload     json.RawMessage            `json:"payload"` // As captured; its shape changes over time.
	Extra       map[string]json.RawMessage `json:",unknown,embed"`
}

func (Event) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (e Event) MarshalJSON() ([]byte, error) { return encode(e) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (e *Event) UnmarshalJSON(data []byte) error { return decode(data, e) }

// Time returns TimestampMS as a time in UTC.
func (e Event) Time() time.Time { return time.UnixMilli(e.TimestampMS).UTC() }

// EventKind is the kind of a log entry. The set is open. The sandbox also returns
// "file_edit", "test_run", "terminal_output", "window_blur" and "clipboard", which are not
// documented.
type EventKind string

// The documented kinds.
const (
	EventAttemptStarted EventKind = "attempt_started"
	EventAIPrompt       EventKind = "ai_prompt"
	EventAIResponse     EventKind = "ai_response"
)

// AIPrompt is a candidate's prompt to the AI.
type AIPrompt struct{ Text string }

// AIResponse is the logged part of an AI response.
type AIResponse struct {
	Tokens *int64 // Nil: not known, which is not 0.
	Model  string // Empty: not known.
}

// AIPrompt returns the payload of an ai_prompt entry, from its member "text" (assumed:
// prompt text). ok is false if the member is missing.
func (e Event) AIPrompt() (p AIPrompt, ok bool) {
	if e.Kind != EventAIPrompt {
		return AIPrompt{}, false
	}
	members := e.members()
	p.Text, ok = members["text"].Text()
	return p, ok
}

// AIResponse returns the payload of an ai_response entry, from its members "tokens" or
// "token_count" and "model" or "model_name" (assumed: response members). Missing members
// are zero. ok is false if both are missing.
func (e Event) AIResponse() (r AIResponse, ok bool) {
	if e.Kind != EventAIResponse {
		return AIResponse{}, false
	}
	members := e.members()
	var named bool
	for _, name := range []string{"tokens", "token_count"} {
		var n float64
		if v := members[name]; r.Tokens == nil && len(v) > 0 && v[0] != 'n' && decode(v, &n) == nil && n >= 0 && n < 1<<53 {
			r.Tokens = new(int64(n))
		}
	}
	for _, name := range []string{"model", "model_name"} {
		if !named {
			r.Model, named = members[name].Text()
		}
	}
	return r, r.Tokens != nil || named
}

// members returns the payload's members, or nil if it is not an object.
func (e Event) members() map[string]RawValue {
	var m map[string]RawValue
	if len(e.Payload) == 0 || decode(e.Payload, &m) != nil {
		return nil
	}
	return m
}
