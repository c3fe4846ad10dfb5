package hiring

import (
	"cmp"
	"time"
)

// RetryPolicy configures the retries of a call. A zero field means the default, which each
// field's comment gives.
type RetryPolicy struct {
	MaxAttempts int           // Attempts of a call, including the first: 4. 1 means no retries.
	BaseBackoff time.Duration // Longest delay before the first retry: 500 ms, doubled with each retry. Delays are random.
	MaxBackoff  time.Duration // Longest delay without a Retry-After header: 30 s.
	MaxWait     time.Duration // Longest wait for a Retry-After or a rate-limit window: 1 min. If it is longer, the call fails immediately.
}

// withDefaults returns the policy with defaults in place of zero fields, or a [*ParamError]
// for each negative field.
func (p RetryPolicy) withDefaults() (RetryPolicy, error) {
	var err error
	for _, field := range []struct {
		name     string
		negative bool
	}{
		{"MaxAttempts", p.MaxAttempts < 0},
		{"BaseBackoff", p.BaseBackoff < 0},
		{"MaxBackoff", p.MaxBackoff < 0},
		{"MaxWait", p.MaxWait < 0},
	} {
		if field.negative {
			err = joinParams(err, &ParamError{Param: "RetryPolicy." + field.name, Problem: "must not be negative (0 means the default)"})
		}
	}
	return RetryPolicy{
		MaxAttempts: cmp.Or(p.MaxAttempts, 4),
		BaseBackoff: cmp.Or(p.BaseBackoff, 500*time.Millisecond),
		MaxBackoff:  cmp.Or(p.MaxBackoff, 30*time.Second),
		MaxWait:     cmp.Or(p.MaxWait, time.Minute),
	}, err
}

// isOverload reports whether status is a transient server error.
func isOverload(status int) bool {
	switch status {
	case 500, 502, 503, 504:
		return true
	}
	return false
}

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
