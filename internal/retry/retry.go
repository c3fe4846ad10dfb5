// Package retry decides whether an attempt is followed by another, and after which
// pause: a POST only when the service certainly did nothing.
package retry

import (
	"cmp"
	"time"
)

// Policy says how often and how patiently a failed attempt is repeated.
type Policy struct {
	MaxAttempts int
	BaseBackoff time.Duration
	MaxBackoff  time.Duration
	MaxWait     time.Duration
}

// WithDefaults returns the policy with its zero fields filled, and names the fields
// that are negative.
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

// Ending is how an attempt ended, as far as another depends on it.
type Ending struct {
	Number int // 1 for the first.
	Method string
	Status int // 0 when there was no reply.

	Unsent    bool // It is certain that the service never saw the request.
	Timeout   bool // No reply, or not all of it, within the attempt's time.
	Cut       bool // The reply broke off, or never came.
	Permanent bool // The same again would fail the same way.

	RetryAfter time.Duration // As the service asked; 0 when it did not.
	Left       time.Duration // Until the context's deadline, when it has one.
	Bounded    bool          // It has one.
}

// Repeat decides whether an attempt is followed by another, and after which
// pause. jitter is a random number in [0, 1).
func (p Policy) Repeat(e Ending, jitter float64) (wait time.Duration, again bool) {
	if e.Number >= p.MaxAttempts || e.Permanent || !e.repeatable() {
		return 0, false
	}
	wait = e.RetryAfter
	if wait == 0 {
		wait = time.Duration(jitter * float64(p.backoff(e.Number)))
	} else if p.TooLong(wait) {
		return 0, false
	}
	if e.Bounded && wait >= e.Left {
		return 0, false
	}
	return wait, true
}

// TooLong tells whether the service asks for a longer pause than allowed. Windows
// end on a full second and Date is cut to one, so that what is left of a fresh
// window can seem up to a second more than its hour: whoever waits for an hour
// waits for a window.
func (p Policy) TooLong(wait time.Duration) bool {
	return wait > p.MaxWait && (p.MaxWait < time.Hour || wait > time.Hour+time.Second)
}

// repeatable tells whether another attempt can do good and no harm: a POST only
// when the service certainly did nothing.
func (e Ending) repeatable() bool {
	if e.Status == 429 || e.Unsent {
		return true
	}
	switch e.Method {
	case get, head:
		return e.Timeout || e.Cut || Overload(e.Status)
	case del, patch:
		return Overload(e.Status) || e.Status == 0 && e.Cut
	}
	return false
}

// The methods that may be repeated. The package does without HTTP.
const get, head, del, patch = "GET", "HEAD", "DELETE", "PATCH"

// Overload tells a server that cannot answer for the moment.
func Overload(status int) bool {
	switch status {
	case 500, 502, 503, 504:
		return true
	}
	return false
}

// backoff is the longest pause after attempt n: the base, doubled each time.
// It compares before it doubles, so that no setting can overflow.
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
