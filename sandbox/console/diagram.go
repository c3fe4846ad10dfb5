package console

import (
	"net/http"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

const (
	barCount      = 60
	barWidth      = 10 // In units of the drawing, like all positions and sizes.
	diagramHeight = 100
)

// barDurations are the possible durations of a bar.
var barDurations = [...]time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
	15 * time.Minute, 30 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// diagram shows the requests of the journal over time.
type diagram struct {
	From, To    time.Time
	BarDuration time.Duration // Of one bar.
	Bars        []bar
	MaxRequests int // Requests in one bar.

	counts
}

// counts are numbers of requests.
type counts struct{ Requests, Refused, Faults int }

func (c *counts) add(p requestPoint) {
	c.Requests++
	if p.refused {
		c.Refused++
	}
	if p.fault {
		c.Faults++
	}
}

// bar is the requests in one time span, and the position of its parts in the drawing.
type bar struct {
	counts

	From                    time.Time
	X, Y, Height            int
	RefusedY, RefusedHeight int
}

// requestPoint is one request in the diagram.
type requestPoint struct {
	at             time.Time
	refused, fault bool
}

func (c *console) diagram(f filter) diagram {
	var all []requestPoint
	c.server.VisitJournal(func(e sandbox.Entry) {
		if f.matches(e) {
			all = append(all, requestPoint{e.At, e.Status == http.StatusTooManyRequests, e.Detail.Fault != nil})
		}
	})
	return newDiagram(all, c.server.Conditions().Now)
}

// newDiagram returns a diagram with the shortest span of bars that covers all requests, or with
// the longest span.
func newDiagram(all []requestPoint, now time.Time) diagram {
	if len(all) == 0 {
		return diagram{}
	}
	d := diagram{BarDuration: barDurations[0]}
	for _, duration := range barDurations {
		d.BarDuration = duration
		if !all[0].at.Before(now.Truncate(duration).Add(-(barCount - 1) * duration)) {
			break
		}
	}
	d.To = now.Truncate(d.BarDuration).Add(d.BarDuration)
	d.From = d.To.Add(-barCount * d.BarDuration)
	d.Bars = make([]bar, barCount)
	for _, m := range all {
		i := int(m.at.Sub(d.From) / d.BarDuration)
		if m.at.Before(d.From) || i >= barCount {
			continue
		}
		d.Bars[i].add(m)
		d.add(m)
		d.MaxRequests = max(d.MaxRequests, d.Bars[i].Requests)
	}
	d.placeBars()
	return d
}

// placeBars computes the positions of the bars. Rejected requests are at the bottom.
func (d *diagram) placeBars() {
	for i := range d.Bars {
		b := &d.Bars[i]
		b.From, b.X = d.From.Add(time.Duration(i)*d.BarDuration), i*barWidth
		if b.Requests == 0 {
			continue
		}
		b.Height = max(b.Requests*diagramHeight/d.MaxRequests, 2)
		b.Y = diagramHeight - b.Height
		if b.Refused > 0 {
			b.RefusedHeight = max(b.Height*b.Refused/b.Requests, 2)
			b.RefusedY = diagramHeight - b.RefusedHeight
		}
	}
}
