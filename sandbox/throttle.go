package sandbox

import (
	"net"
	"time"
)

// throttleLimit is the number of failed authentications an hour after which an address is
// throttled.
const throttleLimit = 100

// throttle counts failed authentications by address. A window opens with the first
// failure.
type throttle map[string]*failures

// failures is the failed authentications of one address.
type failures struct {
	count int
	reset time.Time // End of the window.
}

// remoteHost returns the address of a request without the port.
func remoteHost(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}

// allows reports whether requests of a host are accepted, and returns the rate limit of
// the 429 if not. Valid keys are rejected too, and the response does not show their rate
// limit.
func (t throttle) allows(host string, now time.Time) (quota, bool) {
	if f := t[host]; f != nil && f.count >= throttleLimit && now.Before(f.reset) {
		return quota{limit: throttleLimit, reset: f.reset}, false
	}
	return quota{}, true
}

// count counts a failed authentication.
func (t *throttle) count(host string, now time.Time) {
	if *t == nil {
		*t = make(throttle)
	}
	f := (*t)[host]
	if f == nil || !now.Before(f.reset) {
		f = &failures{reset: windowEnd(now)}
		(*t)[host] = f
	}
	f.count++
}
