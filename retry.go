package hiring

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// attempt is what the retry decision looks at.
type attempt struct {
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
func (p RetryPolicy) repeat(a attempt, jitter float64) (wait time.Duration, again bool) {
	if a.number >= p.MaxAttempts || a.permanent || !a.repeatable() {
		return 0, false
	}
	wait = a.retryAfter
	if wait == 0 {
		wait = time.Duration(jitter * float64(p.backoff(a.number)))
	} else if p.tooLong(wait) {
		return 0, false
	}
	if a.bounded && wait >= a.left {
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
func (a attempt) repeatable() bool {
	switch {
	case a.status == http.StatusTooManyRequests || a.unsent:
		return true
	case isRead(a.method):
		return a.timeout || a.cut || isOverload(a.status)
	case a.method == http.MethodDelete || a.method == http.MethodPatch:
		return isOverload(a.status) || a.status == 0 && a.cut
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

// checkRetry ends an attempt: it reads the reply, builds the error, decides on
// another attempt and tells the observers.
func (c *call) checkRetry(_ context.Context, resp *http.Response, err error) (bool, error) {
	if c.cancel != nil {
		defer c.cancel()
	}
	c.landed()
	c.open = nil // It is read and closed below, or http.Client has closed it.
	if c.transport == nil {
		c.transport = err
	}
	if !c.sent {
		c.failure = c.fail(c.plain(c.transport), c.transport)
		return false, nil
	}
	a := attempt{number: c.attempts, method: c.request.method, status: c.status}
	c.reply = reply{}
	if resp == nil {
		c.noReply(&a)
	} else {
		c.readReply(resp, &a)
	}
	if a.failed {
		c.decide(&a)
	}
	c.tell()
	return c.waiting, nil
}

// decide sets the pause before the next attempt, if there is to be one.
func (c *call) decide(a *attempt) {
	if c.failure.Outcome == OutcomeUnknown {
		c.unknown = true
	}
	a.retryAfter = c.failure.RetryAfter
	if deadline, ok := c.ctx.Deadline(); ok {
		a.bounded, a.left = true, time.Until(deadline)
	}
	if c.ctx.Err() == nil {
		c.wait, c.waiting = c.core.config.retry.repeat(*a, jitter())
	}
	c.failure.Outcome = c.outcome(c.failure.Outcome)
}

// outcome is that of the whole call: one attempt that may have taken effect
// makes it unknown, unless a later one certainly did.
func (c *call) outcome(last Outcome) Outcome {
	if c.unknown && last != OutcomeDone {
		return OutcomeUnknown
	}
	return last
}

// tell captures the raw reply and calls the observers.
func (c *call) tell() {
	if response := responseOf(c.ctx); response != nil {
		response.capture(c, c.reply.body)
	}
	c.release()
	if c.trial.observed() {
		c.trial.end(c.exchange())
	}
}

// pause tells the probes of the pause before the next attempt, and returns it.
func (c *call) pause() time.Duration {
	reason := PauseRetry
	if c.failure.usedUp() {
		reason = PauseQuota
	}
	pauses(c.ctx, c.wait, reason)
	return c.wait
}

// exchange is the present attempt as observers see it.
func (c *call) exchange() Exchange {
	e := Exchange{
		Operation: c.request.operation,
		Method:    c.request.method,
		Route:     c.request.route,
		Status:    c.status,
		RequestID: c.requestID,
		Attempt:   c.attempts,
		Duration:  time.Since(c.started),
		RateLimit: c.limit,
		Warning:   c.reply.warning,
		Started:   c.started,
		Server:    c.core.server,
	}
	if c.failure != nil {
		e.Err = c.failure
	}
	if c.waiting {
		e.Wait = c.wait
	}
	return e
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
