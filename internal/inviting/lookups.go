package inviting

import "time"

// When to look for an invitation whose request has an unknown outcome, counted
// from the end of the attempt. An invitation that the second lookup does not show
// was not sent and will not be (assumed: settling).
const (
	firstLookup = 10 * time.Second
	lastLookup  = time.Minute
)

// Lookups says when to look for an invitation whose request has an unknown
// outcome, and what a lookup that does not show it proves.
type Lookups struct {
	At    time.Time // When the next lookup is due.
	Final bool      // The next lookup decides: it reads the whole listing.

	decides time.Time // When the final lookup is due at the earliest.
	failed  int       // Failed lookups since the last one that succeeded.
}

// After returns the lookups that follow an attempt with an unknown outcome, which
// ended at a time. The first is not due before the server's retryAfter.
func After(ended time.Time, retryAfter time.Duration, now time.Time) Lookups {
	first := ended.Add(max(firstLookup, retryAfter))
	l := Lookups{At: first, decides: ended.Add(lastLookup)}
	if !now.Before(l.decides) || !first.Before(l.decides) {
		return Lookups{At: later(first, l.decides), Final: true}
	}
	return l
}

// Once returns a single lookup that is due now.
func Once(now time.Time) Lookups { return Lookups{At: now, Final: true} }

// Missed returns the lookups that follow one that succeeded and did not show the
// invitation. When that was the final one, there are none: decided is true.
func (l Lookups) Missed() (next Lookups, decided bool) {
	if l.Final {
		return l, true
	}
	return Lookups{At: later(l.At, l.decides), Final: true}, false
}

// Failed returns the lookups that follow one that failed for a transient reason at
// a time. given is false when most lookups in a row have failed.
func (l Lookups) Failed(now time.Time, retryAfter time.Duration, most int) (next Lookups, given bool) {
	l.failed++
	l.At = now.Add(max(firstLookup, retryAfter))
	return l, l.failed < most
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
