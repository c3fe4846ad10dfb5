package benchmarks

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestSimulation measures how long after its evaluation a report is delivered,
// and what that costs, in virtual time. The full table takes minutes and
// HIRING_LONG; without, a short one shows that nothing is lost.
func TestSimulation(t *testing.T) {
	long := os.Getenv("HIRING_LONG") != ""
	begun := time.Now()
	var waits, watches, troubles []row
	t.Run("all", func(t *testing.T) {
		part := func(name string, rows *[]row, measure func(*testing.T, bool) []row) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				*rows = measure(t, long)
			})
		}
		part("watching", &watches, watchingRows)
		part("waiting", &waits, waitingRows)
		part("trouble", &troubles, troubleRows)
	})
	rows := slices.Concat(waits, watches, troubles)
	t.Logf("in %s\n%s", time.Since(begun).Round(time.Second), table(rows))
	for i := range rows {
		rows[i].checkLimits(t, long)
	}
	if path := os.Getenv("SVG"); path != "" {
		if err := picture(waits, path); err != nil {
			t.Fatal(err)
		}
	}
}

func waitingRows(t *testing.T, long bool) (rows []row) {
	sizes := []int{1, 10, 100}
	if long {
		sizes = append(sizes, 1000, 10_000)
	}
	for _, size := range sizes {
		over, times := 4*time.Hour, 1
		if long {
			over, times = 8*time.Hour, max(1, 200/size)
		}
		if size > 1000 {
			over = 24 * time.Hour
		}
		add := func(way string, on sandbox.SinceField) {
			rows = append(rows, waiting(t, row{what: fmt.Sprint(size, " waiting"), size: size, way: way, on: on}, over, times))
		}
		add(waitReports, sandbox.SinceCreated)
		add(waitReports, sandbox.SinceEvaluated)
		if size <= 1000 {
			add(naiveReads, sandbox.SinceCreated)
			add(slowReads, sandbox.SinceCreated)
		}
	}
	return rows
}

func watchingRows(t *testing.T, long bool) (rows []row) {
	aDay, before, unsteady, over := 100, 6*time.Hour, time.Hour, 4*time.Hour
	if long {
		aDay, before, unsteady, over = 2000, 30*24*time.Hour, 24*time.Hour, 3*24*time.Hour
	}
	add := func(way string, on sandbox.SinceField) {
		whole, steady := watching(t, row{what: fmt.Sprint(aDay, " a day"), way: way, on: on}, aDay, before, unsteady, over)
		rows = append(rows, whole, steady)
	}
	for _, on := range everyField {
		add(watch, on)
	}
	add(wholeWindow, sandbox.SinceCreated)
	return rows
}

func troubleRows(t *testing.T, long bool) (rows []row) {
	for i, trouble := range incidents {
		for j, on := range everyField {
			if !long && i%len(everyField) != j {
				continue
			}
			size, aDay, over := 20, 60, 10*time.Hour
			if long {
				size, aDay, over = 300, 500, 24*time.Hour
			}
			if long && trouble.name == sharing { // These need more reads than the rest.
				size, aDay = 1000, 2000
			}
			r := row{what: trouble.name, way: waitReports, on: on}
			rows = append(rows, through(t, r, trouble, size, over))
			r.way = watch
			rows = append(rows, through(t, r, trouble, aDay, over))
		}
	}
	return rows
}

// checkLimits compares a row with its limits. The long run also checks the limits that
// chance may exceed in a short run.
func (r *row) checkLimits(t *testing.T, long bool) {
	if r.way != waitReports && r.way != watch {
		return
	}
	name := fmt.Sprintf("%s, %s, since on %s", r.what, r.way, r.on)
	if r.missed > 0 || r.twice > 0 || len(r.late) == 0 {
		t.Errorf("%s: %d delivered, %d missed, %d twice; want each once", name, len(r.late), r.missed, r.twice)
	}
	refusals := 0
	if r.trouble && r.what == usedUp {
		refusals = 1 // Until then it cannot know.
	}
	if r.refused > refusals {
		t.Errorf("%s: %d responses of 429, want at most %d", name, r.refused, refusals)
	}
	p95, average, most := r.targets()
	if got := r.quantile(0.95); got > p95 {
		t.Errorf("%s: p95 %s, want at most %s", name, got, p95)
	}
	if long && (r.average() > average || r.most > most) {
		t.Errorf("%s: %.0f requests an hour, at most %d; want %.0f and %d", name, r.average(), r.most, average, most)
	}
	if r.caught > catchUp {
		t.Errorf("%s: caught up after %s, want at most %s", name, r.caught, catchUp)
	}
}

// targets are the latency and the requests an hour that a way may have.
func (r *row) targets() (p95 time.Duration, average float64, most int) {
	created := r.on == sandbox.SinceCreated
	switch {
	case r.trouble:
		return math.MaxInt64, 1000, 1000
	case r.way == watch && created && r.steady:
		return 2 * time.Minute, 250, 500
	case r.way == watch && created:
		return 2 * time.Minute, 250, 900
	case r.size == 1:
		return time.Minute, 120, 120
	case r.size == 1000 && created:
		return time.Minute, 280, 650
	case r.size == 10_000 && created:
		return time.Minute, 860, 900
	case r.size == 10_000: // Each is shown to exist within the hour: 100 pages.
		return time.Minute, 210, 900
	}
	return time.Minute, 150, 900
}

// catchUp limits the time from the end of an incident until all earlier reports are delivered.
const catchUp = 15 * time.Minute
