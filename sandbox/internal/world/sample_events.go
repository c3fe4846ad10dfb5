package world

import (
	"strings"
	"time"
)

const (
	busySubmissionID = "5b000000-0000-4000-8001-000000000002" // Its log has every kind of event.
	busyEvents       = 2400
	longPromptSize   = 100 << 10

	unsubmittedLogLength = 20 * time.Minute // Time from the first to the last event of an attempt that was not submitted.
)

// writeLog creates the log of an attempt and counts its prompts.
func (d *draft) writeLog() {
	script := d.events()
	begun, end := d.submission.StartedAt, d.submission.StartedAt.plus(unsubmittedLogLength)
	if d.submission.SubmittedAt != nil {
		end = *d.submission.SubmittedAt
	}
	step := (end - begun) / Moment(len(script)+1)
	d.log = make([]Event, 0, len(script))
	seq := int64(0)
	for i, next := range script {
		seq++
		if i > 0 && i%500 == 0 {
			seq += 3 // A log may have gaps.
		}
		if next.Kind == promptKind {
			d.promptCount++
		}
		d.log = append(d.log, Event{Seq: seq, Kind: next.Kind, At: begun + step*Moment(i), Payload: next.Payload})
	}
}

// events returns the events of a log. A few logs are empty, most are short, and one
// has every kind of event.
func (d *draft) events() []sampleEvent {
	busy := d.submission.ID == busySubmissionID
	count := d.number * 7 % 12
	if busy {
		count = busyEvents
	}
	script := make([]sampleEvent, 0, count)
	for i := range count {
		switch {
		case i == 0:
			script = append(script, sampleEvent{"attempt_started", ""})
		case busy && i == busyEvents/2:
			text := strings.Repeat(data.LongSentence, longPromptSize/len(data.LongSentence)+1)
			script = append(script, sampleEvent{promptKind, RawJSON(`{"text":"` + text + `"}`)})
		case busy && i%50 == 7:
			script = append(script, data.UnusualEvents[i/50%len(data.UnusualEvents)])
		default:
			script = append(script, data.UsualEvents[(i-1)%len(data.UsualEvents)])
		}
	}
	return script
}
