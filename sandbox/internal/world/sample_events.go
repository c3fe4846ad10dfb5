package world

import (
	"strings"
	"time"
)

const (
	busyID     = "5b000000-0000-4000-8001-000000000002" // who has everything in the log
	busyEvents = 2400
	longPrompt = 100 << 10

	openAttempt = 20 * time.Minute // how far the log of one not handed in goes
)

// happening is an event without its place and time.
type happening struct {
	kind    string
	payload Text
}

// writeLog gives an attempt its events and counts the prompts among them.
func (d *draft) writeLog() {
	script := d.script()
	begun, end := d.submission.StartedAt, d.submission.StartedAt.plus(openAttempt)
	if d.submission.SubmittedAt != nil {
		end = *d.submission.SubmittedAt
	}
	step := (end - begun) / Moment(len(script)+1)
	d.log = make([]Event, 0, len(script))
	seq := int64(0)
	for i, next := range script {
		seq++
		if i > 0 && i%500 == 0 {
			seq += 3 // a log may have gaps
		}
		if next.kind == promptKind {
			d.prompts++
		}
		d.log = append(d.log, Event{Seq: seq, Kind: next.kind, At: begun + step*Moment(i), Payload: next.payload})
	}
}

// script is what happens in an attempt. Some have no log at all, most a short
// one, and one has everything.
func (d *draft) script() []happening {
	busy := d.submission.ID == busyID
	count := d.n * 7 % 12
	if busy {
		count = busyEvents
	}
	script := make([]happening, 0, count)
	for i := range count {
		switch {
		case i == 0:
			script = append(script, happening{"attempt_started", ""})
		case busy && i == busyEvents/2:
			text := strings.Repeat(longSentence, longPrompt/len(longSentence)+1)
			script = append(script, happening{promptKind, Text(`{"text":"` + text + `"}`)})
		case busy && i%50 == 7:
			script = append(script, oddEvents[i/50%len(oddEvents)])
		default:
			script = append(script, usualEvents[(i-1)%len(usualEvents)])
		}
	}
	return script
}
