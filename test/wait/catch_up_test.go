package wait_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

// TestACatchUpLosesNothing begins with more evaluations than a state holds. Listings show them without
// their reports, which take hours to read singly.
func TestACatchUpLosesNothing(t *testing.T) {
	t.Parallel()
	on := everySince
	if !apitest.Long() {
		on = []emulator.Since{emulator.OnEvaluation}
	}
	for _, on := range on {
		inBubble(t, on.String(), func(t *testing.T) {
			const over = 12 * hour
			begun := time.Now()
			s := schedule{watch: apitest.Long(), over: over, knobs: emulator.Behavior{Since: on, Bare: true}, all: stream(over, 2000, graded)}
			s.options.Since = begun.Add(-44 * hour)
			o := s.run(t, hour)
			t.Log(o)
			missing := 0
			for _, it := range s.all {
				if it.Evaluated.After(s.options.Since.Add(minute)) && it.Evaluated.Before(begun.Add(over-hour)) && o.came[it.ID].IsZero() {
					missing++
				}
			}
			assert.Zero(t, missing)
		})
	}
}

// TestALookBackOfSeveralWindowsEnds has fewer reads in a window than a day of evaluations has pages.
// The listing continues in the next series: otherwise each would begin it again and never end it.
func TestALookBackOfSeveralWindowsEnds(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		s := schedule{every: 6 * hour, over: 8 * day, from: day, all: stream(8*day, 160, graded)}
		s.knobs = emulator.Behavior{Since: emulator.OnEvaluation, PageSize: 10, Limit: 20}
		o := s.run(t, 12*hour)
		t.Log(o)
		assert.Zero(t, o.lost)
	})
}
