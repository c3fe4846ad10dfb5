package quota

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var (
	start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	reset = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) // By a server's clock that is years ahead.
	key   = Key{1}
)

// before returns the Date of a response that came so long before reset.
func before(d time.Duration) time.Time { return reset.Add(-d) }

func used(remaining int, resets time.Time) Window {
	return Window{Limit: 100, Remaining: remaining, Reset: resets}
}

// A 429 closes the class for its Retry-After, which may end before or after the window.
func TestClose(t *testing.T) {
	for name, delay := range map[string]time.Duration{"before the window ends": time.Minute, "after it": 90 * time.Minute} {
		for _, remaining := range []int{0, 7} {
			var tracker Tracker
			tracker.Update(key, Read, used(remaining, reset), before(time.Hour), start)
			tracker.Close(key, Read, delay, start)
			tracker.Update(key, Read, used(50, reset), before(time.Hour), start) // A response that was slower.
			assert.Equal(t, delay, tracker.Admit(key, Read, 0, start).Wait, name)
			_, left, ends := tracker.Left(key, Read, 0, start)
			assert.Equal(t, []any{0, delay}, []any{left, ends}, name)
			assert.Zero(t, tracker.Admit(key, Read, 0, start.Add(delay)), name)
			assert.Zero(t, tracker.Admit(key, Write, 0, start), "%s: another class", name)
		}
	}
}
