package hiring

import (
	"cmp"
	"math/rand/v2"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/defaults"
)

// RetryPolicy configures the retries of a call. A zero field means the default, which each
// field's comment gives.
type RetryPolicy struct {
	MaxAttempts int           // Attempts of a call, including the first: 4. 1 means no retries.
	BaseBackoff time.Duration // Longest delay before the first retry: 500 ms, doubled with each retry. Delays are random.
	MaxBackoff  time.Duration // Longest delay without a Retry-After header: 30 s.

	// MaxWait is the longest wait for a Retry-After or a rate-limit window: 1 min. If the wait
	// would be longer, the call fails immediately. Below zero means never to wait.
	MaxWait time.Duration
}

// withDefaults returns the policy with defaults in place of zero fields, or a [*ParamError]
// for each other negative field.
func (p RetryPolicy) withDefaults() (RetryPolicy, error) {
	err := joinParams(
		checkNotNegative("RetryPolicy.MaxAttempts", p.MaxAttempts),
		checkNotNegative("RetryPolicy.BaseBackoff", p.BaseBackoff),
		checkNotNegative("RetryPolicy.MaxBackoff", p.MaxBackoff),
	)
	return RetryPolicy{
		MaxAttempts: cmp.Or(p.MaxAttempts, defaults.MaxAttempts),
		BaseBackoff: cmp.Or(p.BaseBackoff, defaults.BaseBackoff),
		MaxBackoff:  cmp.Or(p.MaxBackoff, defaults.MaxBackoff),
		MaxWait:     cmp.Or(p.MaxWait, defaults.MaxWait),
	}, err
}

// decide reports whether the attempt that failed with e is retried, and after which wait. It is a pure
// function of its arguments: attempt is the number of the attempt, delay what the response requests,
// left the time until the end of the caller's context, and jitter a random number in [0, 1).
func decide(p RetryPolicy, e *Error, attempt int, delay, left time.Duration, jitter float64) (wait time.Duration, again bool) {
	wait = cmp.Or(delay, max(shortestWait, time.Duration(jitter*float64(p.backoff(attempt)))))
	if attempt >= p.MaxAttempts || !e.isRetriable() || delay > 0 && p.tooLong(delay) || wait >= left {
		return 0, false
	}
	return wait, true
}

// shortestWait is the wait before a retry that follows at once. In an Exchange 0 means that none follows.
const shortestWait = time.Nanosecond

// backoff returns the longest delay after attempt n: the base, doubled with each attempt,
// at most MaxBackoff. It compares before it doubles, so that it cannot overflow.
func (p RetryPolicy) backoff(n int) time.Duration {
	d := p.BaseBackoff
	for range n - 1 {
		if d > p.MaxBackoff/2 {
			return p.MaxBackoff
		}
		d *= 2
	}
	return min(d, p.MaxBackoff)
}

// tooLong reports whether a wait exceeds MaxWait. Rate-limit windows end on a full second
// and the Date header is cut to one, so a window of an hour can seem up to a second longer.
// A MaxWait of an hour or more therefore allows that second.
func (p RetryPolicy) tooLong(wait time.Duration) bool {
	return wait > p.MaxWait && (p.MaxWait < time.Hour || wait > time.Hour+time.Second)
}

// randomFraction returns a random number in [0, 1).
func randomFraction() float64 { return rand.Float64() } //nolint:gosec // spreads retries; nothing secret depends on it
