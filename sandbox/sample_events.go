package sandbox

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

const (
	busyEvents = 2400
	longPrompt = 100 << 10

	openAttempt = 20 * time.Minute // how far the log of one not handed in goes
)

// seedEvents are what logs are made of: what repeats, what a reader must be
// ready for, and one sentence to be said very often.
type seedEvents struct {
	Cycle []seedEvent `json:"cycle"`
	Odd   []seedEvent `json:"odd"`
	Long  struct {
		Kind     string `json:"kind"`
		Sentence string `json:"sentence"`
	} `json:"long"`
}

// seedEvent keeps its payload as it was written: decoding would repair the
// lone surrogate.
type seedEvent struct {
	Kind    string          `json:"kind"`
	Payload json.RawMessage `json:"payload"`
}

// log returns the event log of an attempt and how many prompts it has.
func (s *seeds) log(a *attempt) ([]event, int) {
	script := s.script(a)
	begun, end := a.submission.StartedAt, a.submission.StartedAt.plus(openAttempt)
	if a.submission.SubmittedAt != nil {
		end = *a.submission.SubmittedAt
	}
	step := end.Sub(begun.Time).Milliseconds() / int64(len(script)+1)
	events, prompts, seq := make([]event, 0, len(script)), 0, int64(0)
	for i, next := range script {
		if seq++; i > 0 && i%500 == 0 {
			seq += 3 // a log may have gaps
		}
		if next.Kind == "ai_prompt" {
			prompts++
		}
		events = append(events, event{seq, renderEvent(seq, next.Kind, begun.UnixMilli()+step*int64(i), next.Payload)})
	}
	return events, prompts
}

func renderEvent(seq int64, kind string, at int64, payload json.RawMessage) []byte {
	b := make([]byte, 0, len(payload)+96)
	b = append(b, `{"seq":`...)
	b = strconv.AppendInt(b, seq, 10)
	b = append(b, `,"kind":`...)
	b = append(b, render(kind)...)
	b = append(b, `,"ts_ms":`...)
	b = strconv.AppendInt(b, at, 10)
	b = append(b, `,"payload":`...)
	b = append(b, render(payload)...)
	return append(b, '}')
}

// script is what happens in an attempt. Some have no log at all, most a short
// one, and one has everything.
func (s *seeds) script(a *attempt) []seedEvent {
	busy := a.submission.ID == BusySubmissionID
	count := a.n * 7 % 12
	if busy {
		count = busyEvents
	}
	script := make([]seedEvent, 0, count)
	for i := range count {
		switch {
		case i == 0:
			script = append(script, seedEvent{"attempt_started", json.RawMessage(`{}`)})
		case busy && i == busyEvents/2:
			text := strings.Repeat(s.events.Long.Sentence, longPrompt/len(s.events.Long.Sentence)+1)
			script = append(script, seedEvent{s.events.Long.Kind, json.RawMessage(`{"text":"` + text + `"}`)})
		case busy && i%50 == 7:
			script = append(script, s.events.Odd[i/50%len(s.events.Odd)])
		default:
			script = append(script, s.events.Cycle[(i-1)%len(s.events.Cycle)])
		}
	}
	return script
}
