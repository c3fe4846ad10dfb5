package jobs

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	hiring "github.com/hiring-assessment/hiring-go"
)

// RetryPolicy is the policy for retries of failed deliveries. The delay doubles with
// each failure, and is at least a minute after a 401 of the API. A zero field means its default.
type RetryPolicy struct {
	First time.Duration // Delay after the first failure. Default: 30 s.
	Max   time.Duration // Longest delay. Default: 1 h.
	End   time.Duration // Time of failures after which the delivery is discarded. Default: 72 h.
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	p.First = cmp.Or(p.First, 30*time.Second)
	p.Max = max(cmp.Or(p.Max, time.Hour), p.First)
	p.End = cmp.Or(p.End, 72*time.Hour)
	return p
}

// delay returns the delay after a failed attempt. The first attempt has number 1.
func (p RetryPolicy) delay(attempt int) time.Duration {
	d := p.First
	for range min(attempt-1, 62) {
		d = 2 * min(d, p.Max/2)
	}
	return d
}

// failures returns how many attempts of a job have failed with the current one. That a process was killed is no failure.
func failures(job *rivertype.JobRow) int {
	n := job.Attempt
	for _, e := range job.Errors {
		if e.Error == rescueError {
			n--
		}
	}
	return max(n, 1) // An operator may have changed the row.
}

// attempts returns the number of attempts that begin within p.End.
func (p RetryPolicy) attempts() int {
	n := 1
	for total := p.delay(1); total <= p.End && n < maxAttempts; total += p.delay(n) {
		n++
	}
	return n
}

// maxAttempts is below the maximum of River's column, a smallint.
const maxAttempts = 30_000

// jittered adds up to a tenth, so that deliveries that failed together are not
// retried together.
func jittered(d time.Duration) time.Duration { return d + rand.N(d/10+1) } //nolint:gosec // Not a secret.

// snoozeIfTransient adds a snooze to a transient error of the API, so that the
// attempt does not count as a failure: for as long as the API asked for, otherwise for two
// minutes.
func snoozeIfTransient(err error) error {
	if !hiring.IsTransient(err) {
		return err
	}
	return errors.Join(err, river.JobSnooze(cmp.Or(requestedDelay(err), jittered(2*retryDelay))))
}

// requestedDelay returns the delay that the API asked for with an error, 0 without one.
func requestedDelay(err error) time.Duration {
	if failure, ok := errors.AsType[*hiring.Error](err); ok {
		return failure.RetryAfter
	}
	return 0
}

// RetryAfterError is returned by a handler to set the shortest delay before the next
// attempt, for example from a Retry-After header. The Max of the [RetryPolicy] still
// applies.
type RetryAfterError struct {
	After time.Duration // Shortest delay before the next attempt.
	Err   error         // Reason of the failure.
}

// Error returns the text of Err.
func (e *RetryAfterError) Error() string { return e.Err.Error() }

// Unwrap makes Err and its causes reachable for errors.Is and errors.As.
func (e *RetryAfterError) Unwrap() error { return e.Err }

// ErrReceiverGone is matched by the error of a Send whose receiver accepts no more
// deliveries. [Webhook.Send] returns it after a 410. All deliveries of the
// organization then pause, without using up attempts, until [Resume] is called for the
// organization, or [Deliver] for one of them.
var ErrReceiverGone = errors.New("jobs: the receiver accepts no more deliveries (status 410)")
