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

func TestLeft(t *testing.T) {
	var tracker Tracker
	left := func(class Class, now time.Time) []any {
		limit, remaining, ends := tracker.Left(key, class, 0, now)
		return []any{limit, remaining, ends}
	}
	assert.Equal(t, []any{1000, 1000, Length}, left(Read, start), "documented")
	assert.Equal(t, []any{200, 200, Length}, left(Write, start), "documented")
	tracker.Update(key, Read, used(30, reset), before(10*time.Minute), start)
	tracker.Update(key, Read, used(50, reset), before(10*time.Minute), start) // A response that was slower.
	assert.Equal(t, []any{100, 30, 8 * time.Minute}, left(Read, start.Add(2*time.Minute)))
	limit, remaining, _ := tracker.Left(key, Read, 0.101, start.Add(2*time.Minute))
	assert.Equal(t, []int{89, 19}, []int{limit, remaining}, "less what stays free for others, rounded up")
	assert.Equal(t, []any{100, 100, Length}, left(Read, start.Add(10*time.Minute)))
}
