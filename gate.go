package hiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// reservation is the place of one attempt in the rate limit of its key. While it is
// held, the rate limit counts the attempt as in flight.
type reservation struct {
	shared *shared
	key    *credential
	class  quota.Class
	begun  uint64 // The position of the attempt in the order of all attempts.
	held   bool
}

// release gives the place back. Further calls have no effect.
func (r *reservation) release() {
	if r.held {
		r.held = false
		r.shared.quotas.Leave(r.key.id, r.class, time.Now())
	}
}

// learn records what the header of a response says about the server's clock and the
// rate limits. throttled reports that the API throttles the client's address, not the
// key.
func (r *reservation) learn(status int, h http.Header, sent, now time.Time) (rateLimit RateLimit, throttled bool) {
	date := serverTimeOf(h, now)
	window, ok := windowOf(h)
	if ok && headerValue(h, "X-Request-Id") != "" { // Otherwise it is the clock of an intermediary.
		r.shared.clock.Learn(date, sent, now)
	}
	switch {
	case !ok || status == http.StatusUnauthorized: // A 401 is about a key that has no rate limit.
	case status == http.StatusTooManyRequests && r.shared.quotas.IsThrottle(r.key.id, r.class, window):
		throttled = true
		r.shared.quotas.Block(now.Add(min(retryAfterOf(h, now), quota.Longest)))
	default:
		r.shared.quotas.Learn(r.key.id, r.class, r.begun, window, window.Reset.Sub(date), now)
	}
	return RateLimit(window), throttled
}

// admit waits until an attempt may be sent, and gives it its reservation. It returns the
// error that prevents the attempt.
//
// Waiting belongs to the attempt and not to the call, because everything may change during a
// wait: the key may rotate, the context may end, and another call may use what was left. So
// each pass begins again with the context and the key. The context is checked twice, because
// a key source may take as long as it wants.
func (c *call) admit(a *attempt) error {
	class := classOf(c.request.method)
	for {
		if err := contextError(c.ctx); err != nil { // A wait may end together with the context.
			return c.ended(err)
		}
		key, err := c.core.keys.current(c.ctx)
		if err != nil { // The text may hold the key of the attempt before.
			return join(c.ctx, c.fail(&roundTrip{}, c.text(err), err))
		}
		c.key = key
		if err := contextError(c.ctx); err != nil {
			return c.ended(err)
		}
		barrier, begun := c.enterUncrowded(key, class)
		reason := PauseQuota
		switch barrier.Reason {
		case quota.Open:
			a.reservation = reservation{shared: c.core.shared, key: key, class: class, begun: begun, held: true}
			return nil
		case quota.Braked:
			return join(c.ctx, brakedError(c))
		case quota.Throttled:
			reason = PauseThrottle
		}
		if c.core.config.retry.tooLong(barrier.Wait) || sleep(c.core.withOperation(c.ctx, c.request.operation), barrier.Wait, reason) != nil {
			return join(c.ctx, exhaustedError(c, barrier))
		}
		a.waited = a.waited || reason == PauseQuota
	}
}

// enterUncrowded asks the rate limit to admit an attempt. While attempts in flight may use the
// last remaining requests, it waits for their responses, up to quota.CrowdWait for each.
//
// Without this wait, calls that begin together would all count on the same remaining request,
// and most would be refused. The wait is bounded, because a response may never come. Then the
// attempt is admitted all the same: a refused request costs less than a call that hangs.
func (c *call) enterUncrowded(key *credential, class quota.Class) (barrier quota.Barrier, begun uint64) {
	for hurry := false; ; {
		barrier, begun = c.core.shared.quotas.Enter(key.id, class, c.core.config.reserveShare, hurry, time.Now())
		if barrier.Reason != quota.Crowded || c.ctx.Err() != nil {
			return barrier, begun
		}
		hurry = outlasts(c.ctx, barrier.Wait)
		if !hurry {
			timer := time.NewTimer(barrier.Wait)
			select {
			case <-barrier.Freed:
			case <-c.ctx.Done():
			case <-timer.C:
				hurry = true
			}
			timer.Stop()
		}
	}
}

// ended returns the error of an attempt that is not sent because the context has
// ended.
func (c *call) ended(cause error) *Error {
	why := "the context was canceled"
	if errors.Is(c.ctx.Err(), context.DeadlineExceeded) {
		why = "the context's deadline had passed"
	}
	return c.fail(&roundTrip{}, c.notSent()+why, cause)
}

// exhaustedError returns the error of an attempt that the rate limit does not admit
// in time.
func exhaustedError(c *call, barrier quota.Barrier) *Error {
	e := c.fail(&roundTrip{}, c.notSent()+blockReason(barrier, c.request.method), ErrQuotaExhausted)
	e.Code, e.RetryAfter, e.RateLimit = ErrRateLimited, barrier.Wait, RateLimit(barrier.Window)
	e.throttled = barrier.Reason == quota.Throttled
	return e
}

// brakedError returns the error of an attempt that is not sent because the API has
// refused its key several times in a row.
func brakedError(c *call) *Error {
	e := c.fail(&roundTrip{}, fmt.Sprintf("%s%s refused %s, %d times in a row, and further failures throttle the address for every key on it:"+
		" replace the key; one call a minute is still tried", c.notSent(), c.url.Host, c.key.redacted(), quota.MaxRefusals), nil)
	e.Code = ErrInvalidToken
	return e
}

// notSent begins the text of an error that prevents an attempt.
func (c *call) notSent() string {
	if c.attempts > 0 {
		return "not sent again, because "
	}
	return "not sent, because "
}

// blockReason describes what prevents an attempt.
func blockReason(barrier quota.Barrier, method string) string {
	kind, reserved := "write", ""
	if isRead(method) {
		kind = "read"
	}
	switch {
	case barrier.Reason == quota.Throttled:
		return "the API throttles this IP address after too many failed authentications"
	case barrier.Reason == quota.Crowded:
		return "requests in flight may use the remaining " + kind + " requests of the window"
	case barrier.Window.Remaining > 0:
		reserved = ", except for the reserve of WithQuotaReserve,"
	}
	return fmt.Sprintf("the %s quota of %d an hour is used up%s until %s, by the server's clock",
		kind, barrier.Window.Limit, reserved, barrier.Window.Reset.Format(time.RFC3339))
}

// windowOf reads the three rate-limit headers. It returns false unless all three are present
// and valid.
func windowOf(h http.Header) (window quota.Window, ok bool) {
	limit, limitErr := strconv.Atoi(headerValue(h, "X-Ratelimit-Limit"))
	remaining, remainingErr := strconv.Atoi(headerValue(h, "X-Ratelimit-Remaining"))
	reset, resetErr := strconv.ParseInt(headerValue(h, "X-Ratelimit-Reset"), 10, 64)
	if cmp.Or(limitErr, remainingErr, resetErr) != nil || min(limit, remaining) < 0 || reset <= 0 || reset > maxUnix {
		return quota.Window{}, false
	}
	return quota.Window{Limit: limit, Remaining: remaining, Reset: time.Unix(reset, 0).UTC()}, true
}

// maxUnix is the last Unix second that RFC 3339, and therefore JSON, can represent.
const maxUnix = 253402300799

// retryAfterOf returns the delay of a Retry-After header, which is a number of seconds or an
// HTTP date. A date is compared with the response's Date header, or with now without one.
// It returns 0 for a missing or invalid header.
func retryAfterOf(h http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(headerValue(h, "Retry-After"))
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil {
		return time.Duration(min(seconds, maxSeconds)) * time.Second
	}
	if strings.Trim(value, "0123456789") == "" {
		return time.Duration(maxSeconds) * time.Second // The number overflows uint64.
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(0, at.Sub(serverTimeOf(h, now)))
}

const maxSeconds = uint64((1<<63 - 1) / time.Second)

// serverTimeOf returns the response's Date header, or now if the header is missing or
// invalid.
func serverTimeOf(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(headerValue(h, "Date")); err == nil {
		return date
	}
	return now
}

// headerValue returns the first value of a header, or "". Unlike [http.Header.Get], which is slower,
// it requires the name in canonical form.
func headerValue(h http.Header, canonical string) string {
	if values := h[canonical]; len(values) > 0 {
		return values[0]
	}
	return ""
}
