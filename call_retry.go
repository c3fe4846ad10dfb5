package hiring

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ending is how an attempt ended, as far as another depends on it.
type ending struct {
	number int // 1 for the first.
	method string
	status int // 0 when there was no reply.

	failed    bool // There is no usable reply, whatever the status.
	unsent    bool // It is certain that the service never saw the request.
	timeout   bool // No reply, or not all of it, within the attempt's time.
	cut       bool // The reply broke off, or never came.
	permanent bool // The same again would fail the same way.

	retryAfter time.Duration // As the service asked; 0 when it did not.
	left       time.Duration // Until the context's deadline, when it has one.
	bounded    bool          // It has one.
}

// repeat decides whether an attempt is followed by another, and after which
// pause. jitter is a random number in [0, 1).
func (p RetryPolicy) repeat(e ending, jitter float64) (wait time.Duration, again bool) {
	if e.number >= p.MaxAttempts || e.permanent || !e.repeatable() {
		return 0, false
	}
	wait = e.retryAfter
	if wait == 0 {
		wait = time.Duration(jitter * float64(p.backoff(e.number)))
	} else if p.tooLong(wait) {
		return 0, false
	}
	if e.bounded && wait >= e.left {
		return 0, false
	}
	return wait, true
}

// tooLong tells whether the service asks for a longer pause than allowed. Windows
// end on a full second and Date is cut to one, so that what is left of a fresh
// window can seem up to a second more than its hour: whoever waits for an hour
// waits for a window.
func (p RetryPolicy) tooLong(wait time.Duration) bool {
	return wait > p.MaxWait && (p.MaxWait < time.Hour || wait > time.Hour+time.Second)
}

// repeatable tells whether another attempt can do good and no harm: a POST only
// when the service certainly did nothing.
func (e ending) repeatable() bool {
	switch {
	case e.status == http.StatusTooManyRequests || e.unsent:
		return true
	case isRead(e.method):
		return e.timeout || e.cut || isOverload(e.status)
	case e.method == http.MethodDelete || e.method == http.MethodPatch:
		return isOverload(e.status) || e.status == 0 && e.cut
	}
	return false
}

func isOverload(status int) bool {
	switch status {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// backoff is the longest pause after attempt n: the base, doubled each time.
// It compares before it doubles, so that no setting can overflow.
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

func jitter() float64 { return rand.Float64() } //nolint:gosec // spreads retries; nothing secret depends on it

// retryAfterOf reads a Retry-After header: whole seconds or any of HTTP's date
// formats, the latter by the clock of the reply that carries it. It is 0 when
// there is none that makes sense.
func retryAfterOf(h http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil {
		return time.Duration(min(seconds, maxSeconds)) * time.Second
	}
	if strings.Trim(value, "0123456789") == "" {
		return time.Duration(maxSeconds) * time.Second // Too many digits to count: surely too long.
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(0, at.Sub(serverTime(h, now)))
}

const maxSeconds = uint64((1<<63 - 1) / time.Second)

// serverTime is the moment of a reply by the server's clock.
func serverTime(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return now
}
