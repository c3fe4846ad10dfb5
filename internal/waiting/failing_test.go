package waiting_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// TestAListingThatAlwaysFailsStopsNoOther uses an API where some listings always fail. The evaluations that other
// listings show are delivered in time.
func TestAListingThatAlwaysFailsStopsNoOther(t *testing.T) {
	for name, fails := range map[string]func(waiting.Action) bool{
		"a status":       func(a waiting.Action) bool { return a.Status == "grading" },
		"without status": func(a waiting.Action) bool { return a.Status == "" && !a.Since.IsZero() },
		"since":          func(a waiting.Action) bool { return !a.Since.IsZero() },
	} {
		for _, on := range atLength(created, meanings) {
			t.Run(name+"/"+on.String(), func(t *testing.T) {
				t.Parallel()
				all := emulator.Stream(1, noon.Add(-5*day), 6*day, 200, usualLife)
				f := watchAll(emulator.Behavior{Since: on}, all, day, 2*h, func(s *simulation) { s.status = failing(fails) })
				t.Log(f.String())
				assert.Zero(t, f.lost)
				assert.LessOrEqual(t, f.quantile(1), h)
			})
		}
	}
}

// failing returns 500 for the listings that fail, and 0 for all other requests.
func failing(fails func(waiting.Action) bool) func(waiting.Action) int {
	return func(a waiting.Action) int {
		if a.Kind == waiting.List && fails(a) {
			return 500
		}
		return 0
	}
}

// TestKnownIDsWithAStatusThatAlwaysFails waits for attempts whose status cannot be listed.
func TestKnownIDsWithAStatusThatAlwaysFails(t *testing.T) {
	t.Parallel()
	for _, on := range meanings {
		all := emulator.Stream(1, noon.Add(-day), day, 300, emulator.Life{Grading: 8 * h})
		others := emulator.Stream(2, noon.Add(-day), 3*day, 100, usualLife)
		o := usualOptions()
		o.Known = ids(all)
		sim := &simulation{service: emulator.New(emulator.Behavior{Since: on}, 1, append(others, all...)), options: o, begin: noon, over: day}
		sim.status = failing(func(a waiting.Action) bool { return a.Status == "grading" })
		sim.run()
		f := sim.measure(all, noon.Add(m), noon.Add(20*h))
		t.Log(on, f.String())
		assert.Zero(t, f.lost, on)
		assert.LessOrEqual(t, f.quantile(1), h, on)
	}
}

// TestDeepPagesThatAlwaysFail uses an API that responds with 500 to all but the first pages of each listing.
func TestDeepPagesThatAlwaysFail(t *testing.T) {
	for _, on := range atLength(created, meanings) {
		for readable, p99 := range map[int64]time.Duration{2000: 5 * m, 300: 2 * h} {
			t.Run(fmt.Sprint(on, "/", readable), func(t *testing.T) {
				t.Parallel()
				all := emulator.Stream(1, noon.Add(-40*day), 44*day, 200, usualLife)
				f := watchAll(emulator.Behavior{Since: on, Cursors: emulator.Offset}, all, 3*day, 0, func(s *simulation) {
					s.status = failing(func(a waiting.Action) bool {
						var made, offset int64
						_, _ = fmt.Sscanf(a.Cursor, "%d/%d", &made, &offset)
						return offset >= readable
					})
				})
				t.Log(f.String())
				assert.Zero(t, f.lost)
				assert.LessOrEqual(t, f.quantile(.95), 5*m)
				assert.LessOrEqual(t, f.quantile(.99), p99)
			})
		}
	}
}

// TestReadsThatAlwaysFailDelayNoSweep has reports that cannot be read, and old attempts that only a sweep
// over all of Lookback shows.
func TestReadsThatAlwaysFailDelayNoSweep(t *testing.T) {
	t.Parallel()
	all := emulator.Stream(1, noon.Add(-5*day), 7*day, 100, usualLife)
	broken := make(map[string]bool)
	for _, it := range all {
		if len(broken) < 40 && it.Evaluated.After(noon) && it.Evaluated.Before(noon.Add(6*h)) {
			broken[it.ID] = true
		}
	}
	var old []*emulator.Submission
	for i := range 10 {
		at := noon.Add(10*h + time.Duration(i)*h)
		old = append(old, &emulator.Submission{ID: fmt.Sprint("old-", i), Created: noon.Add(-20 * day), Submitted: at.Add(-3 * m), Evaluated: at})
	}
	o := usualOptions()
	o.Start = noon
	service := emulator.New(emulator.Behavior{Since: emulator.OnCreation, Filter: emulator.Refuses, Bare: true}, 1, append(all, old...))
	sim := &simulation{service: service, options: o, begin: noon, over: 36 * h}
	sim.status = func(a waiting.Action) int {
		if a.Kind == waiting.Get && broken[a.ID] {
			return 500
		}
		return 0
	}
	sim.run()
	f := sim.measure(old, noon, noon.Add(24*h))
	t.Log(f.String())
	assert.Zero(t, f.lost)
	assert.LessOrEqual(t, f.quantile(1), h)
}

// TestOneNotFoundForgetsNoAttempt has single reads of an old attempt that get a 404 from a stale replica, or
// fail. Only two 404 in a row show that the attempt does not exist.
func TestOneNotFoundForgetsNoAttempt(t *testing.T) {
	t.Parallel()
	for _, on := range meanings {
		for _, codes := range [][]int{{404}, {500, 404}, {500, 500, 404}} {
			sim, old := watchOldAttempt(on, codes)
			assert.LessOrEqual(t, sim.delivered[old.ID].Sub(old.Evaluated).Abs(), 10*m, "since on %s, %v", on, codes)
		}
	}
	sim, old := watchOldAttempt(emulator.OnCreation, slices.Repeat([]int{404}, 100))
	assert.False(t, sim.machine.IsPending(old.ID))
	reads := 0
	for _, a := range sim.actions {
		if a.ID == old.ID {
			reads++
		}
	}
	assert.Equal(t, 2, reads)
}

// watchOldAttempt watches for a day. The single reads of an attempt of ten days get these status codes first.
func watchOldAttempt(on emulator.Since, codes []int) (*simulation, *emulator.Submission) {
	all := emulator.Stream(3, noon.Add(-5*day), 7*day, 200, usualLife)
	old := &emulator.Submission{ID: "old", Created: noon.Add(-10 * day), Submitted: noon.Add(5 * h), Evaluated: noon.Add(5*h + 3*m)}
	var sim *simulation
	watchAll(emulator.Behavior{Since: on}, append(all, old), day, 0, func(s *simulation) {
		sim = s
		s.status = func(a waiting.Action) int {
			if a.ID != old.ID || len(codes) == 0 {
				return 0
			}
			code := codes[0]
			codes = codes[1:]
			return code
		}
	})
	return sim, old
}

// TestAnOutageDuringTheFirstListing of known ids costs no single reads: the listing begins again.
func TestAnOutageDuringTheFirstListing(t *testing.T) {
	t.Parallel()
	all := emulator.Stream(1, noon.Add(-10*day), 10*day, 300, emulator.Life{Grading: 3 * h})
	o := usualOptions()
	o.Known = ids(all)
	behavior := emulator.Behavior{Since: emulator.OnEvaluation, Down: func(at time.Time) bool { return at.After(noon.Add(800*time.Millisecond)) && at.Before(noon.Add(10*m)) }}
	sim := &simulation{service: emulator.New(behavior, 1, all), options: o, begin: noon, over: 2 * h}
	sim.run()
	for _, it := range all {
		if it.Evaluated.Before(noon) {
			require.Contains(t, sim.delivered, it.ID)
			require.Less(t, sim.delivered[it.ID].Sub(noon), 20*m)
		}
	}
}

// TestAPageResetsTheFailuresOfAListing: only failures in a row pause a listing.
func TestAPageResetsTheFailuresOfAListing(t *testing.T) {
	t.Parallel()
	all := emulator.Stream(1, noon.Add(-10*day), 10*day, 300, emulator.Life{Grading: 3 * h})
	o := usualOptions()
	o.Known = ids(all)
	requests := 0
	sim := &simulation{service: emulator.New(emulator.Behavior{Since: emulator.OnEvaluation}, 1, all), options: o, begin: noon, over: 2 * h}
	sim.status = func(waiting.Action) int {
		if requests++; requests%3 != 0 { // Two requests for each page fail.
			return 500
		}
		return 0
	}
	sim.run()
	for i, a := range sim.actions[:60] {
		require.Equal(t, waiting.List, a.Kind)
		require.Equal(t, i < 3, a.Cursor == "", "request %d", i)
	}
}
