package jobs

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"time"
)

// RetryPolicy says when a failed delivery is retried. The zero value means the
// defaults. The delay doubles with each failure.
type RetryPolicy struct {
	First time.Duration // Delay after the first failure. Default: 30 s.
	Max   time.Duration // Longest delay. Default: 1 h.
	End   time.Duration // After about this time of failures the delivery is discarded. Default: 72 h.
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	p.First = cmp.Or(max(p.First, 0), 30*time.Second)
	p.Max = max(cmp.Or(max(p.Max, 0), time.Hour), p.First)
	p.End = cmp.Or(max(p.End, 0), 72*time.Hour)
	return p
}

// delay returns the time between a failed attempt, counted from 1, and the next.
func (p RetryPolicy) delay(attempt int) time.Duration {
	d := p.First
	for range min(attempt-1, 62) {
		if d >= p.Max/2 {
			return p.Max
		}
		d *= 2
	}
	return min(d, p.Max)
}

// attempts returns how many attempts begin within p.End.
func (p RetryPolicy) attempts() int {
	n := 1
	for total := p.delay(1); total <= p.End && n < maxAttempts; total += p.delay(n) {
		n++
	}
	return n
}

// maxAttempts is below what River's column can hold.
const maxAttempts = 30_000

// jittered adds up to a tenth, so that deliveries that failed together are not
// retried together.
func jittered(d time.Duration) time.Duration { return d + rand.N(d/10+1) } //nolint:gosec // Not a secret.

// RetryAfterError is returned by a handler to have the delivery retried after at
// least a time, such as that of a Retry-After header. The longest delay of the
// [RetryPolicy] applies to it too.
type RetryAfterError struct {
	After time.Duration
	Err   error
}

// Error returns the text of Err.
func (e *RetryAfterError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *RetryAfterError) Unwrap() error { return e.Err }

// ErrReceiverGone is matched by the error of a Send whose receiver wants no more
// deliveries, such as that of [Webhook.Send] after a 410. All deliveries of the
// organization wait then, without using up attempts, until [Deliver] is called for
// one of them.
var ErrReceiverGone = errors.New("jobs: the receiver answered that it is gone")
