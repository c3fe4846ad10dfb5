package benchmarks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// row is a line of the table: what was measured of one way to wait.
type row struct {
	what    string
	way     string
	steady  bool // Without the first hours of a watch, which lists all of Lookback once.
	on      sandbox.SinceField
	size    int             // Of a wait for known ids.
	late    []time.Duration // From evaluation to delivery, sorted.
	refused int             // Responses of 429.
	missed  int             // Evaluations without a delivery.
	twice   int

	requests int
	hours    float64
	most     int // Requests in any hour.

	trouble bool
	caught  time.Duration // From the end of an incident until all earlier reports were delivered.
}

// measure makes a row of what happened in a part of a run.
func (w *world) measure(r row, from, until time.Time) row {
	r = row{what: r.what, way: r.way, steady: r.steady, on: r.on, size: r.size}
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, at := range w.evaluated {
		if at.Before(from) || at.After(until) {
			continue
		}
		if delivered, ok := w.delivered[id]; ok {
			r.late = append(r.late, delivered.Sub(at))
		} else {
			r.missed++
		}
	}
	slices.Sort(r.late)
	r.refused, r.twice = w.refused, w.twice
	var sent []time.Time
	for _, at := range w.sent {
		if !at.Before(from) && !at.After(until) {
			sent = append(sent, at)
		}
	}
	first := 0
	for i, at := range sent {
		for at.Sub(sent[first]) >= time.Hour {
			first++
		}
		r.most = max(r.most, i-first+1)
	}
	r.requests, r.hours = len(sent), max(1, until.Sub(from).Hours())
	return r
}

// add adds another run of the same.
func (r *row) add(other row) {
	r.late = append(r.late, other.late...)
	slices.Sort(r.late)
	r.requests, r.hours, r.most = r.requests+other.requests, r.hours+other.hours, max(r.most, other.most)
	r.refused, r.missed, r.twice = r.refused+other.refused, r.missed+other.missed, r.twice+other.twice
}

func (r *row) average() float64 { return float64(r.requests) / r.hours }

func (r *row) quantile(share float64) time.Duration {
	if len(r.late) == 0 {
		return 0
	}
	return r.late[min(int(share*float64(len(r.late))), len(r.late)-1)].Round(time.Second)
}

func (r *row) cells() []string {
	caught := ""
	if r.trouble {
		caught = short(r.caught)
	}
	return []string{
		r.what, r.way, string(r.on), short(r.quantile(0.5)), short(r.quantile(0.95)), short(r.quantile(1)),
		fmt.Sprintf("%.0f", r.average()), fmt.Sprint(r.most), fmt.Sprint(r.refused),
		fmt.Sprintf("%d of %d", len(r.late), len(r.late)+r.missed), fmt.Sprint(r.twice), caught,
	}
}

// short leaves out seconds beside hours, and zeros.
func short(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d:%02d min", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d:%02d h", int(d.Hours()), int(d.Minutes())%60)
}

var heads = []string{
	"What", "Way", "since on", "p50", "p95", "max", "Requests an hour", "At most", "429", "Delivered", "Twice", "Caught up in",
}

// table is Markdown, and legible as it is.
func table(rows []row) string {
	lines := [][]string{heads}
	for i := range rows {
		lines = append(lines, rows[i].cells())
	}
	widths := make([]int, len(heads))
	for _, cells := range lines {
		for i, cell := range cells {
			widths[i] = max(widths[i], len(cell))
		}
	}
	var text strings.Builder
	for n, cells := range lines {
		for i, cell := range cells {
			fmt.Fprintf(&text, "| %-*s ", widths[i], cell)
		}
		text.WriteString("|\n")
		for i := range widths {
			if n == 0 {
				text.WriteString("|" + strings.Repeat("-", widths[i]+2))
			}
		}
		if n == 0 {
			text.WriteString("|\n")
		}
	}
	return text.String()
}
