package inviting

import "time"

// When the lookups are due, counted from the end of the attempt. An invitation that the
// second lookup does not show was not sent and will not be (assumed: settling).
const (
	firstLookup = 10 * time.Second
	lastLookup  = time.Minute
)

// Lookups is the schedule of the lookups of an invitation whose request has an unknown
// outcome.
type Lookups struct {
	At    time.Time // When the next lookup is due.
	Final bool      // The next lookup reads the whole listing and decides.

	decides time.Time // When the final lookup is due at the earliest.
	failed  int       // Failed lookups since the last one that succeeded.
}

// After returns the lookups that follow an attempt with an unknown outcome that ended at
// the given time. The first lookup is not due before retryAfter has passed.
func After(ended time.Time, retryAfter time.Duration, now time.Time) Lookups {
	first := ended.Add(max(firstLookup, retryAfter))
	l := Lookups{At: first, decides: ended.Add(lastLookup)}
	if !now.Before(l.decides) || !first.Before(l.decides) {
		return Lookups{At: later(first, l.decides), Final: true}
	}
	return l
}

// Decides reports whether a scan of the whole listing that began at the given time shows
// whether a request that ended has sent an invitation.
func Decides(scanned, ended time.Time) bool { return !scanned.Before(ended.Add(lastLookup)) }

// Missed returns the lookups that follow a lookup that did not show the invitation. decided
// reports that this was the final one.
func (l Lookups) Missed() (next Lookups, decided bool) {
	if l.Final {
		return l, true
	}
	return Lookups{At: later(l.At, l.decides), Final: true}, false
}

// Failed returns the lookups that follow a lookup that failed with a transient error. again
// is false after maxFailures failures in a row.
func (l Lookups) Failed(now time.Time, retryAfter time.Duration, maxFailures int) (next Lookups, again bool) {
	l.failed++
	l.At = now.Add(max(firstLookup, retryAfter))
	return l, l.failed < maxFailures
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
