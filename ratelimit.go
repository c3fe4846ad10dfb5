package hiring

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// RateLimit is the rate limit of one class of requests, from the headers of a response or
// the details of a 429.
type RateLimit struct {
	Limit     int       // Requests an hour.
	Remaining int       // Requests left until Reset.
	Reset     time.Time // When the window ends, by the server's clock.
}

// Known reports whether a response has shown the rate limit. A zero RateLimit is not
// known, although it looks used up.
func (l RateLimit) Known() bool { return l != RateLimit{} }

// Quota holds the last known rate limits of a key. Reads and writes are counted
// separately. A class without a response yet is zero: see [RateLimit.Known].
type Quota struct {
	Read  RateLimit // GET: 1000 an hour.
	Write RateLimit // POST, PATCH and DELETE: 200 an hour.
}

// Quota returns the last known rate limits of the key for reads and writes. It sends no
// request. A class is zero until its first response; see [RateLimit.Known].
func (c *Client) Quota() Quota {
	k := c.use()
	id, quotas := k.keys.lastUsed().id, &k.shared.quotas
	return Quota{Read: RateLimit(quotas.Known(id, quota.Read)), Write: RateLimit(quotas.Known(id, quota.Write))}
}

// class returns the rate limit that a request counts against.
func (r *request) class() quota.Class {
	if r.method == http.MethodGet {
		return quota.Read
	}
	return quota.Write
}

// windowIn returns the rate limit in the details of a 429, whose headers a proxy may have removed,
// zero without one.
func windowIn(body []byte) quota.Window {
	var rejection struct {
		Error struct {
			Details map[string]RawValue `json:"details"`
		} `json:"error"`
	}
	_ = decode(body, &rejection) // A body of another form has no details.
	details := rejection.Error.Details
	window, _ := windowOf(string(details["limit"]), string(details["remaining"]), string(details["reset"]))
	return window
}

// windowOf returns the rate limit with three values as a response has them. It returns false unless
// all three are present and valid.
func windowOf(limit, remaining, reset string) (window quota.Window, ok bool) {
	most, limitErr := strconv.Atoi(limit)
	left, remainingErr := strconv.Atoi(remaining)
	end, resetErr := strconv.ParseInt(reset, 10, 64)
	if cmp.Or(limitErr, remainingErr, resetErr) != nil || min(most, left) < 0 || end <= 0 || end > maxUnix {
		return quota.Window{}, false
	}
	return quota.Window{Limit: most, Remaining: left, Reset: time.Unix(end, 0).UTC()}, true
}

// maxUnix is the last Unix second that RFC 3339, and therefore JSON, can represent.
const maxUnix = 253402300799

// retryAfterOf returns the delay of a Retry-After header, which is a number of seconds or an
// HTTP date, which is compared with the server's time. It returns 0 for a missing or invalid header.
func retryAfterOf(h http.Header, server time.Time) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, maxSeconds)) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(0, at.Sub(server))
}

const maxSeconds = uint64((1<<63 - 1) / time.Second)

// dateOf returns the response's Date header, zero if the header is missing or invalid.
func dateOf(h http.Header) time.Time {
	date, _ := http.ParseTime(h.Get("Date"))
	return date
}

// serverClock estimates the server's clock from the Date headers of responses. Between them it runs
// by the monotonic clock, so that a local clock that is set does not move it. The zero value agrees
// with the local clock. It is safe for concurrent use.
type serverClock struct{ reading atomic.Pointer[clockReading] }

// clockReading is the time of the server's clock at a local time.
type clockReading struct{ server, local time.Time }

// set takes the Date of a response, zero if it has none, to a request that was sent and received at
// local times. Date has whole seconds, so an estimate that it does not contradict is kept.
func (c *serverClock) set(date, sent, received time.Time) {
	server, first := c.at(received), c.reading.Load() == nil
	wrong := server.Before(date) || server.After(date.Add(time.Second+received.Sub(sent)))
	switch {
	case date.IsZero() || !first && !wrong:
		return
	case wrong:
		server = date
	}
	c.reading.Store(&clockReading{server, received})
}

// at returns the server's time at a local time.
func (c *serverClock) at(local time.Time) time.Time {
	if last := c.reading.Load(); last != nil {
		return last.server.Add(local.Sub(last.local))
	}
	return local
}

// awaitWindow waits if the rate limit does not admit a request now, and reports whether it waited.
func (c *call) awaitWindow() (waited bool, err error) {
	barrier := c.core.shared.quotas.Admit(c.key.id, c.request.class(), c.core.reserve(c.request.priority), time.Now())
	switch {
	case barrier.Wait == 0:
		return false, nil
	case barrier.KeyRefused:
		return false, join(c.ctx, c.keyRefused())
	case c.request.priority == polling, c.policy(true).tooLong(barrier.Wait):
		return false, join(c.ctx, c.exhausted(barrier))
	}
	if sleep(c.core.withSpan(c.ctx, c.request.operation), barrier.Wait, PauseQuota) != nil {
		return false, join(c.ctx, c.exhausted(barrier))
	}
	return true, nil
}

// exhausted returns the error of an attempt that the rate limit does not admit in time.
func (c *call) exhausted(barrier quota.Barrier) *Error {
	class, window := "write", barrier.Window
	if c.request.class() == quota.Read {
		class = "read"
	}
	until := window.Reset.Format(time.RFC3339) + ", by the server's clock"
	why := fmt.Sprintf("the %s quota of %d an hour is used up until %s", class, window.Limit, until)
	switch {
	case barrier.Asked && (window.Remaining > 0 || window == quota.Window{}):
		why = fmt.Sprintf("a 429 asked to send no %s request for %s", class, barrier.Wait.Round(time.Second))
	case window.Remaining > 0:
		why = fmt.Sprintf("the rest of the %s quota of %d an hour is reserved until %s", class, window.Limit, until)
	}
	e := c.newError(nil, c.notSent()+why, nil)
	e.Code, e.RetryAfter, e.RateLimit = ErrRateLimited, barrier.Wait, RateLimit(window)
	return e
}

// keyRefused returns the error of an attempt that is not sent because the API has refused its key
// several times in a row.
func (c *call) keyRefused() *Error {
	e := c.newError(nil, fmt.Sprintf("%s%s refused %s, %d times in a row, and further failures throttle the address for every key on it",
		c.notSent(), c.url.Host, c.key.described(), quota.MaxRefusals), nil)
	e.Code, e.Hint = ErrInvalidToken, "replace the key; one call a minute is still tried"
	return e
}
