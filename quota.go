package hiring

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// ErrQuotaExhausted is what errors.Is accepts for a call that was refused
// locally, because the service had said that the key's quota is used up, or that
// it throttles this address, and that lasts longer than the call may wait.
// Nothing was sent; the [*Error] has the code ErrRateLimited, the Status 0 and a
// RetryAfter.
var ErrQuotaExhausted = errors.New("hiring: the quota is used up")

// RateLimit is one hourly quota as a reply's headers told it.
type RateLimit struct {
	Limit     int       // Requests an hour.
	Remaining int       // Requests left until Reset.
	Reset     time.Time // When the window ends, by the server's clock.
}

// Known tells a quota that the service has told from one that was not heard of
// yet, which is zero and would else look exhausted.
func (l RateLimit) Known() bool { return l != RateLimit{} }

// Quota holds what the service last said of a key's two quotas, which are
// counted apart. A class that was not called yet is zero: [RateLimit.Known] tells
// it from one that is used up.
type Quota struct {
	Read  RateLimit // GET: 1000 an hour.
	Write RateLimit // POST, PATCH and DELETE: 200 an hour.
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// classOf is the quota that a request counts against.
func classOf(method string) quota.Class {
	if isRead(method) {
		return quota.Read
	}
	return quota.Write
}

// rateLimitOf reads the three headers; ok is false unless all are there and
// make sense.
func rateLimitOf(h http.Header) (limit RateLimit, ok bool) {
	var reset int64
	var err error
	if limit.Limit, ok = count(h.Get("X-Ratelimit-Limit")); !ok {
		return RateLimit{}, false
	}
	if limit.Remaining, ok = count(h.Get("X-Ratelimit-Remaining")); !ok {
		return RateLimit{}, false
	}
	if reset, err = strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64); err != nil || reset <= 0 || reset > maxUnix {
		return RateLimit{}, false
	}
	limit.Reset = time.Unix(reset, 0).UTC()
	return limit, true
}

// maxUnix is the last second that RFC 3339, and so JSON, can write.
const maxUnix = 253402300799

func count(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0
}

// The lengths of windows, for those that wait for them.
const (
	window        = quota.Length
	longestWindow = quota.Longest
)

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
