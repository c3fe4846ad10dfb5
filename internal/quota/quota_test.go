package quota

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var (
	start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	reset = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) // By a server's clock that is years ahead.
)

// before returns the Date of a response that came so long before reset.
func before(d time.Duration) time.Time { return reset.Add(-d) }

func keyOf(n int) Key { return Key{byte(n), byte(n >> 8)} }

func used(remaining int, resets time.Time) Window {
	return Window{Limit: 100, Remaining: remaining, Reset: resets}
}

func TestAdmit(t *testing.T) {
	for name, c := range map[string]struct {
		remaining int
		reserve   float64
		passed    time.Duration // Since the response, which came ten minutes before the window's end.
		want      time.Duration
	}{
		"one request remains":          {remaining: 1},
		"none remain":                  {remaining: 0, want: 10 * time.Minute},
		"none remain, later":           {remaining: 0, passed: 4 * time.Minute, want: 6 * time.Minute},
		"the window has ended":         {remaining: 0, passed: 10 * time.Minute},
		"one is above the reserve":     {remaining: 21, reserve: 0.2},
		"the reserve remains":          {remaining: 20, reserve: 0.2, want: 10 * time.Minute},
		"the reserve is rounded up":    {remaining: 21, reserve: 0.201, want: 10 * time.Minute},
		"the reserve of an old window": {remaining: 5, reserve: 0.2, passed: 10 * time.Minute},
	} {
		var tracker Tracker
		tracker.Update(keyOf(1), Read, used(c.remaining, reset), before(10*time.Minute), start)
		now := start.Add(c.passed)
		barrier := tracker.Admit(keyOf(1), Read, c.reserve, now)
		assert.Equal(t, c.want, barrier.Wait, name)
		assert.False(t, barrier.KeyRefused, name)
		if c.want > 0 {
			assert.Equal(t, used(c.remaining, reset), barrier.Window, name)
		}
		assert.Zero(t, tracker.Admit(keyOf(1), Write, c.reserve, now), "%s: another class", name)
		assert.Zero(t, tracker.Admit(keyOf(2), Read, c.reserve, now), "%s: another key", name)
	}
}

func TestLearn(t *testing.T) {
	next := reset.Add(time.Hour)
	for name, c := range map[string]struct {
		first, second Window
		passed        time.Duration // Between the two responses.
		want          Window
	}{
		"fewer remain":            {used(5, reset), used(4, reset), 0, used(4, reset)},
		"a late response":         {used(5, reset), used(6, reset), 0, used(5, reset)},
		"a later window":          {used(5, reset), used(90, next), 0, used(90, next)},
		"an earlier window":       {used(90, next), used(5, reset), 0, used(90, next)},
		"the known one has ended": {used(0, next), used(80, reset), time.Hour, used(80, reset)},
	} {
		var tracker Tracker
		tracker.Update(keyOf(1), Write, c.first, c.first.Reset.Add(-time.Hour), start)
		tracker.Update(keyOf(1), Write, c.second, c.second.Reset.Add(-time.Hour), start.Add(c.passed))
		assert.Equal(t, c.want, tracker.Known(keyOf(1), Write), name)
	}
	assert.Zero(t, new(Tracker).Known(keyOf(1), Write))
}

func TestAnInvalidHeaderDoesNotCloseAClassForever(t *testing.T) {
	const year = 365 * 24 * time.Hour
	var tracker Tracker
	for n, longest := range []time.Duration{Length, Length, Length, Longest} {
		switch n {
		case 3:
			tracker.Close(keyOf(n), Read, year, start)
		default:
			tracker.Update(keyOf(n), Read, used(0, reset), []time.Time{before(year), before(-year), {}}[n], start)
		}
		assert.Equal(t, longest, tracker.Admit(keyOf(n), Read, 0, start).Wait, n)
		assert.Zero(t, tracker.Admit(keyOf(n), Read, 0, start.Add(longest)), n)
	}
}

// A 429 closes the class for its Retry-After, which may end before or after the window.
func TestClose(t *testing.T) {
	for name, delay := range map[string]time.Duration{"before the window ends": time.Minute, "after it": 90 * time.Minute} {
		for _, remaining := range []int{0, 7} {
			var tracker Tracker
			tracker.Update(keyOf(1), Read, used(remaining, reset), before(time.Hour), start)
			tracker.Close(keyOf(1), Read, delay, start)
			tracker.Update(keyOf(1), Read, used(50, reset), before(time.Hour), start) // A response that was slower.
			assert.Equal(t, delay, tracker.Admit(keyOf(1), Read, 0, start).Wait, name)
			_, left, ends := tracker.Left(keyOf(1), Read, 0, start)
			assert.Equal(t, []any{0, delay}, []any{left, ends}, name)
			assert.Zero(t, tracker.Admit(keyOf(1), Read, 0, start.Add(delay)), name)
			assert.Zero(t, tracker.Admit(keyOf(1), Write, 0, start), "%s: another class", name)
		}
	}
}

func TestARefusedKeyIsTriedOnceAMinute(t *testing.T) {
	var tracker Tracker
	now := start
	for range MaxRefusals {
		assert.Zero(t, tracker.Admit(keyOf(1), Read, 0, now))
		tracker.Authenticated(keyOf(1), false, now)
	}
	assert.Equal(t, Barrier{Wait: time.Minute, KeyRefused: true}, tracker.Admit(keyOf(1), Write, 0, now))
	assert.Zero(t, tracker.Admit(keyOf(2), Write, 0, now), "another key")
	now = now.Add(time.Minute)
	assert.Zero(t, tracker.Admit(keyOf(1), Read, 0, now), "one is tried")
	assert.True(t, tracker.Admit(keyOf(1), Read, 0, now).KeyRefused, "and no other meanwhile")
	tracker.Authenticated(keyOf(1), false, now.Add(time.Second))
	assert.Equal(t, time.Minute, tracker.Admit(keyOf(1), Read, 0, now.Add(time.Second)).Wait)
	now = now.Add(2 * time.Minute)
	assert.Zero(t, tracker.Admit(keyOf(1), Read, 0, now))
	tracker.Authenticated(keyOf(1), true, now)
	for range MaxRefusals - 1 {
		tracker.Authenticated(keyOf(1), false, now)
	}
	assert.Zero(t, tracker.Admit(keyOf(1), Read, 0, now), "only refusals in a row count")
}

func TestLeft(t *testing.T) {
	var tracker Tracker
	left := func(class Class, now time.Time) []any {
		limit, remaining, ends := tracker.Left(keyOf(1), class, 0, now)
		return []any{limit, remaining, ends}
	}
	assert.Equal(t, []any{1000, 1000, Length}, left(Read, start), "documented")
	assert.Equal(t, []any{200, 200, Length}, left(Write, start), "documented")
	tracker.Update(keyOf(1), Read, used(30, reset), before(10*time.Minute), start)
	assert.Equal(t, []any{100, 30, 8 * time.Minute}, left(Read, start.Add(2*time.Minute)))
	limit, remaining, _ := tracker.Left(keyOf(1), Read, 0.101, start.Add(2*time.Minute))
	assert.Equal(t, []int{89, 19}, []int{limit, remaining}, "less what stays free for others, rounded up")
	assert.Equal(t, []any{100, 100, Length}, left(Read, start.Add(10*time.Minute)))
}
