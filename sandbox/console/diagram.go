package console

import (
	"net/http"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

const (
	bars    = 60
	barStep = 10 // In the units of the drawing.
	height  = 100
)

// spans are the possible durations of a bar.
var spans = [...]time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
	15 * time.Minute, 30 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// diagram shows the requests of the journal over time.
type diagram struct {
	From, To time.Time
	Span     time.Duration // Of one bar.
	Bars     []bar
	Most     int // Requests in one bar.

	Requests, Refused, Faults int
}

// bar is the requests in one time span, and the position of its parts in the drawing.
type bar struct {
	From                      time.Time
	Requests, Refused, Faults int

	X, Y, Height           int
	RefusedY, RefusedLines int
	FaultX                 int
}

type moment struct {
	at             time.Time
	refused, fault bool
}

func (c *console) diagram(f filter) diagram {
	var all []moment
	c.server.Each(func(e sandbox.Entry) {
		if f.passes(e) {
			all = append(all, moment{e.At, e.Status == http.StatusTooManyRequests, e.Detail.Fault != nil})
		}
	})
	return draw(all, c.server.Conditions().Now)
}

// draw returns a diagram with the shortest span of bars that covers all requests, or with
// the longest span.
func draw(all []moment, now time.Time) diagram {
	if len(all) == 0 {
		return diagram{}
	}
	d := diagram{Span: spans[0]}
	for _, span := range spans {
		d.Span = span
		if !all[0].at.Before(now.Truncate(span).Add(-(bars - 1) * span)) {
			break
		}
	}
	d.To = now.Truncate(d.Span).Add(d.Span)
	d.From = d.To.Add(-bars * d.Span)
	d.Bars = make([]bar, bars)
	for _, m := range all {
		i := int(m.at.Sub(d.From) / d.Span)
		if m.at.Before(d.From) || i >= bars {
			continue
		}
		b := &d.Bars[i]
		b.Requests, b.Refused, b.Faults = b.Requests+1, b.Refused+count(m.refused), b.Faults+count(m.fault)
		d.Requests, d.Refused, d.Faults = d.Requests+1, d.Refused+count(m.refused), d.Faults+count(m.fault)
		d.Most = max(d.Most, b.Requests)
	}
	d.place()
	return d
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// place computes the positions of the bars. Rejected requests are at the bottom.
func (d *diagram) place() {
	for i := range d.Bars {
		b := &d.Bars[i]
		b.From, b.X, b.FaultX = d.From.Add(time.Duration(i)*d.Span), i*barStep, i*barStep+barStep/2
		if b.Requests == 0 {
			continue
		}
		b.Height = max(b.Requests*height/d.Most, 2)
		b.Y = height - b.Height
		if b.Refused > 0 {
			b.RefusedLines = max(b.Height*b.Refused/b.Requests, 2)
			b.RefusedY = height - b.RefusedLines
		}
	}
}
