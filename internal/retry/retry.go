// Package retry decides whether a failed attempt is retried, and after which delay. A POST
// is retried only when the API certainly did not process it.
package retry

import (
	"cmp"
	"time"
)

// Policy configures the number of attempts and the delays between them.
type Policy struct {
	MaxAttempts int
	BaseBackoff time.Duration
	MaxBackoff  time.Duration
	MaxWait     time.Duration
}

// WithDefaults returns the policy with defaults in place of zero fields, and the names of
// negative fields.
func (p Policy) WithDefaults() (full Policy, negative []string) {
	for _, field := range []struct {
		name string
		sign int
	}{
		{"MaxAttempts", p.MaxAttempts},
		{"BaseBackoff", cmp.Compare(p.BaseBackoff, 0)},
		{"MaxBackoff", cmp.Compare(p.MaxBackoff, 0)},
		{"MaxWait", cmp.Compare(p.MaxWait, 0)},
	} {
		if field.sign < 0 {
			negative = append(negative, field.name)
		}
	}
	return Policy{
		MaxAttempts: cmp.Or(p.MaxAttempts, 4),
		BaseBackoff: cmp.Or(p.BaseBackoff, 500*time.Millisecond),
		MaxBackoff:  cmp.Or(p.MaxBackoff, 30*time.Second),
		MaxWait:     cmp.Or(p.MaxWait, time.Minute),
	}, negative
}

// Attempt holds the facts about an ended attempt that the decision depends on.
type Attempt struct {
	Number int // 1 for the first attempt.
	Method string
	Status int // 0 without a response.

	Unsent    bool // The server certainly did not receive the request.
	Timeout   bool // The attempt's timeout expired before the response was complete.
	Cut       bool // The connection broke before the response was complete.
	Permanent bool // A retry would fail in the same way.

	RetryAfter time.Duration // From the Retry-After header; 0 without one.
	Left       time.Duration // Time until the context's deadline, if Bounded.
	Bounded    bool          // The context has a deadline.
}

// Decide reports whether the attempt is retried, and returns the delay before the retry.
// jitter is a random number in [0, 1).
func (p Policy) Decide(e Attempt, jitter float64) (wait time.Duration, again bool) {
	if e.Number >= p.MaxAttempts || e.Permanent || !e.isRetriable() {
		return 0, false
	}
	wait = e.RetryAfter
	if wait == 0 {
		wait = max(1, time.Duration(jitter*float64(p.backoff(e.Number)))) // Observers take 0 for no retry.
	} else if p.TooLong(wait) {
		return 0, false
	}
	if e.Bounded && wait >= e.Left {
		return 0, false
	}
	return wait, true
}

// TooLong reports whether a Retry-After delay exceeds MaxWait. Rate-limit windows end on a
// full second and the Date header is cut to one, so a window of an hour can seem up to a
// second longer. A MaxWait of an hour or more therefore allows that second.
func (p Policy) TooLong(wait time.Duration) bool {
	return wait > p.MaxWait && (p.MaxWait < time.Hour || wait > time.Hour+time.Second)
}

// isRetriable reports whether a retry is safe and may succeed.
func (e Attempt) isRetriable() bool {
	if e.Status == 429 || e.Unsent {
		return true
	}
	switch e.Method {
	case get, head:
		return e.Timeout || e.Cut || IsOverload(e.Status)
	case del, patch:
		return IsOverload(e.Status) || e.Status == 0 && e.Cut
	}
	return false
}

// HTTP methods that may be retried.
const get, head, del, patch = "GET", "HEAD", "DELETE", "PATCH"

// IsOverload reports whether status is a transient server error.
func IsOverload(status int) bool {
	switch status {
	case 500, 502, 503, 504:
		return true
	}
	return false
}

// backoff returns the longest delay after attempt n: the base, doubled with each attempt,
// at most MaxBackoff. It compares before it doubles, so that it cannot overflow.
func (p Policy) backoff(n int) time.Duration {
	d := p.BaseBackoff
	for range n - 1 {
		if d > p.MaxBackoff/2 {
			return p.MaxBackoff
		}
		d *= 2
	}
	return min(d, p.MaxBackoff)
}
