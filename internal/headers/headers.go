// Package headers reads the rate limit, Retry-After and time from a response's headers,
// and checks which headers may be added to a request.
package headers

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// Value returns the first value of a header, or "". Unlike [http.Header.Get], which is slower,
// it requires the name in canonical form.
func Value(h http.Header, canonical string) string {
	if values := h[canonical]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// Quota reads the three rate-limit headers. It returns false unless all three are present
// and valid.
func Quota(h http.Header) (window quota.Window, ok bool) {
	var reset int64
	var err error
	window.Limit, ok = count(Value(h, "X-Ratelimit-Limit"))
	if !ok {
		return quota.Window{}, false
	}
	window.Remaining, ok = count(Value(h, "X-Ratelimit-Remaining"))
	if !ok {
		return quota.Window{}, false
	}
	if reset, err = strconv.ParseInt(Value(h, "X-Ratelimit-Reset"), 10, 64); err != nil || reset <= 0 || reset > MaxUnix {
		return quota.Window{}, false
	}
	window.Reset = time.Unix(reset, 0).UTC()
	return window, true
}

// MaxUnix is the last Unix second that RFC 3339, and therefore JSON, can represent.
const MaxUnix = 253402300799

func count(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0
}

// RetryAfter returns the delay of a Retry-After header, which is a number of seconds or an
// HTTP date. A date is compared with the response's Date header, or with now without one.
// RetryAfter returns 0 for a missing or invalid header.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(Value(h, "Retry-After"))
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
	return max(0, at.Sub(ServerTime(h, now)))
}

const maxSeconds = uint64((1<<63 - 1) / time.Second)

// ServerTime returns the response's Date header, or now if the header is missing or
// invalid.
func ServerTime(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(Value(h, "Date")); err == nil {
		return date
	}
	return now
}

// fixedHeaders are the sorted headers that a trace function cannot set: those that the
// client sets, those that control how a request is transferred, and those that make
// net/http retry a POST.
var fixedHeaders = []string{
	"Accept", "Accept-Encoding", "Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Cookie",
	"Expect", "Host", "Idempotency-Key", "If-Range", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Range", "Te",
	"Trailer", "Transfer-Encoding", "Upgrade", "User-Agent", "X-Idempotency-Key",
}

// Addable reports whether a trace function may add the header with this canonical name.
func Addable(name string) bool {
	if _, fixed := slices.BinarySearch(fixedHeaders, name); fixed || name == "" {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// IsValue reports whether value is a valid header value.
func IsValue(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
