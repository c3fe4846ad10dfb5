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

// learnLimits records what the header of a response says about the server's clock and the rate limits.
// A response with an Age header comes from a cache and is about another time. A 401 is about a
// key that has no rate limit.
func (c *call) learnLimits(status int, h http.Header, sent, now time.Time) (limit RateLimit, retryAfter time.Duration) {
	date := serverTimeOf(h, now)
	window, ok := windowOf(h)
	retryAfter = retryAfterOf(h, now)
	left := window.Reset.Sub(date)
	if ok && status == http.StatusTooManyRequests && retryAfter == 0 {
		retryAfter = max(0, left)
	}
	if headerValue(h, "Age") != "" {
		return RateLimit(window), retryAfter
	}
	if ok && headerValue(h, "X-Request-Id") != "" { // Otherwise it is the clock of an intermediary.
		c.core.shared.clock.Learn(date, sent, now)
	}
	class, quotas := classOf(c.request.method), &c.core.shared.quotas
	if ok && status != http.StatusUnauthorized {
		quotas.Learn(c.key.id, class, window, left, now)
	}
	if status == http.StatusTooManyRequests && retryAfter > 0 {
		quotas.Close(c.key.id, class, retryAfter, now)
	}
	return RateLimit(window), retryAfter
}

// admit waits until an attempt may be sent. It returns the error that prevents the attempt.
//
// Each pass begins again with the context and the key, because both may change during a wait. The
// context is checked twice, because a key source may take as long as it wants.
func (c *call) admit(a *attempt) error {
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
		barrier := c.core.shared.quotas.Enter(key.id, classOf(c.request.method), c.core.config.reserveShare, time.Now())
		switch {
		case barrier.Wait == 0:
			return nil
		case barrier.Refused:
			return join(c.ctx, brakedError(c))
		}
		if c.core.config.retry.tooLong(barrier.Wait) || sleep(c.core.withOperation(c.ctx, c.request.operation), barrier.Wait, PauseQuota) != nil {
			return join(c.ctx, exhaustedError(c, barrier))
		}
		a.waited = true
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
	kind, window := "write", barrier.Window
	if isRead(method) {
		kind = "read"
	}
	switch {
	case window.Limit == 0:
		return "the API refuses further " + kind + " requests of this key for " + rounded(barrier.Wait)
	case window.Remaining > 0:
		return fmt.Sprintf("the rest of the %s quota of %d an hour is reserved until %s, by the server's clock",
			kind, window.Limit, window.Reset.Format(time.RFC3339))
	}
	return fmt.Sprintf("the %s quota of %d an hour is used up until %s, by the server's clock",
		kind, window.Limit, window.Reset.Format(time.RFC3339))
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
