package waiting_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// TestAListingThatAlwaysFailsStopsNoOther uses an API where some listings always fail. What the others show
// is delivered in time.
func TestAListingThatAlwaysFailsStopsNoOther(t *testing.T) {
	for name, fails := range map[string]func(waiting.Action) bool{
		"a status":       func(a waiting.Action) bool { return a.Status == "grading" },
		"without status": func(a waiting.Action) bool { return a.Status == "" && !a.Since.IsZero() },
		"since":          func(a waiting.Action) bool { return !a.Since.IsZero() },
	} {
		for _, on := range meanings {
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

// failing lets listings fail.
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

// TestDeepPagesThatAlwaysFail uses listings of which only the first 2000 items can be read.
func TestDeepPagesThatAlwaysFail(t *testing.T) {
	for _, on := range meanings {
		t.Run(on.String(), func(t *testing.T) {
			t.Parallel()
			all := emulator.Stream(1, noon.Add(-40*day), 44*day, 200, usualLife)
			f := watchAll(emulator.Behavior{Since: on, Cursors: emulator.Offset}, all, 3*day, 0, func(s *simulation) {
				s.status = failing(func(a waiting.Action) bool {
					var made, offset int64
					_, _ = fmt.Sscanf(a.Cursor, "%d/%d", &made, &offset)
					return offset >= 2000
				})
			})
			t.Log(f.String())
			assert.Zero(t, f.lost)
			assert.LessOrEqual(t, f.quantile(1), h)
		})
	}
}
