package hiring

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
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
	k := c.mustCore()
	id, quotas := k.keys.lastUsed().id, &k.shared.quotas
	return Quota{Read: RateLimit(quotas.Known(id, quota.Read)), Write: RateLimit(quotas.Known(id, quota.Write))}
}

// windowIn returns the rate limit in the details of a 429, whose headers a proxy may have removed,
// zero without one.
func windowIn(details json.RawMessage) quota.Window {
	var members map[string]RawValue
	_ = decode(details, &members) // Nothing is found in details of another form.
	window, _ := windowOf(string(members["limit"]), string(members["remaining"]), string(members["reset"]))
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

// awaitWindow waits if the rate limit does not admit a request now, and reports whether it waited.
func (c *call) awaitWindow() (waited bool, err error) {
	barrier := c.core.shared.quotas.Admit(c.key.id, c.request.class(), c.core.reserve(c.request.priority), time.Now())
	switch {
	case barrier.Wait == 0:
		return false, nil
	case barrier.KeyRefused:
		return false, join(c.ctx, c.keyRefused())
	case c.request.priority == priorityPolling, c.policy(true).tooLong(barrier.Wait):
		return false, join(c.ctx, c.exhausted(barrier))
	}
	if sleepInTime(c.core.traces.withSpan(c.ctx, c.request.operation), barrier.Wait, PauseQuota) != nil {
		return false, join(c.ctx, c.exhausted(barrier))
	}
	return true, nil
}
