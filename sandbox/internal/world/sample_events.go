package world

import (
	"math"
	"strings"
	"time"
)

const (
	busySubmissionID = "5b000000-0000-4000-8001-000000000002" // Its log has every kind of event.
	busyEvents       = 2400
	longPromptSize   = 100 << 10

	unsubmittedLogLength = 20 * time.Minute // Time from the first to the last event of an attempt that was not submitted.
)

// writeSampleLog replaces the log of an attempt, and sets the pauses and the used budget.
func (c *candidate) writeSampleLog() {
	a := c.attempt
	script := sampleEvents(a.ID, c.number)
	a.log = make([]Event, 0, len(script))
	begun, end := a.Value.StartedAt, a.Value.StartedAt.plus(unsubmittedLogLength)
	if a.Value.SubmittedAt != nil {
		end = *a.Value.SubmittedAt
	}
	interval := (end - begun) / Moment(len(script)+1)
	for i, next := range script {
		c.append(begun+interval*Moment(i), next.Kind, next.Payload)
		a.log[i].Seq += int64(3 * (i / 500)) // A log may have gaps.
	}
	a.Value.PausedTotalSeconds = c.number % 3 * (c.number * 31 % 400)
	a.Value.Budget.DollarsUsed = 0
	if c.promptCount > 0 {
		a.Value.Budget.DollarsUsed = math.Round(a.Value.Budget.DollarsCap*float64(c.number*29%100)) / 100
	}
}

// sampleEvents returns the events of a log. A few logs are empty, most are short, and one
// has every kind of event.
func sampleEvents(submissionID string, number int) []sampleEvent {
	busy := submissionID == busySubmissionID
	count := number * 7 % 12
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
