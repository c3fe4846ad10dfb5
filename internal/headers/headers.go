// Package headers reads what a reply's headers say of quotas, pauses and the time,
// and judges which headers may be added to a request. It sends nothing.
package headers

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// Quota reads the three headers of a quota; ok is false unless all are there and
// make sense.
func Quota(h http.Header) (said quota.Window, ok bool) {
	var reset int64
	var err error
	if said.Limit, ok = count(h.Get("X-Ratelimit-Limit")); !ok {
		return quota.Window{}, false
	}
	if said.Remaining, ok = count(h.Get("X-Ratelimit-Remaining")); !ok {
		return quota.Window{}, false
	}
	if reset, err = strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64); err != nil || reset <= 0 || reset > MaxUnix {
		return quota.Window{}, false
	}
	said.Reset = time.Unix(reset, 0).UTC()
	return said, true
}

// MaxUnix is the last second that RFC 3339, and so JSON, can write.
const MaxUnix = 253402300799

func count(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0
}

// RetryAfter reads a Retry-After header: whole seconds or any of HTTP's date
// formats, the latter by the clock of the reply that carries it. It is 0 when
// there is none that makes sense.
func RetryAfter(h http.Header, now time.Time) time.Duration {
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
	return max(0, at.Sub(ServerTime(h, now)))
}

const maxSeconds = uint64((1<<63 - 1) / time.Second)

// ServerTime is the moment of a reply by the server's clock.
func ServerTime(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return now
}

// fixedHeaders are those that a probe cannot set: the client's own, those that
// say how a request travels, and those with which net/http repeats a POST.
var fixedHeaders = []string{
	"Accept", "Accept-Encoding", "Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Cookie",
	"Expect", "Host", "Idempotency-Key", "If-Range", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Range", "Te",
	"Trailer", "Transfer-Encoding", "Upgrade", "User-Agent", "X-Idempotency-Key",
}

// Addable tells whether a header may be added that has this canonical name.
func Addable(name string) bool {
	if _, fixed := slices.BinarySearch(fixedHeaders, name); fixed || name == "" {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// IsValue tells whether a text can be the value of a header.
func IsValue(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
