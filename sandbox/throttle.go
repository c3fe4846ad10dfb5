package sandbox

import (
	"net"
	"time"
)

// throttleLimit is the number of failed authentications an hour after which an address is
// throttled.
const throttleLimit = 100

// throttle has a window of failed authentications for each address.
type throttle map[string]*window

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
	if w := t[host]; w != nil && w.remaining == 0 && now.Before(w.reset) {
		return quota{limit: throttleLimit, reset: w.reset}, false
	}
	return quota{}, true
}

// count counts a failed authentication.
func (t *throttle) count(host string, now time.Time) {
	if *t == nil {
		*t = make(throttle)
	}
	if (*t)[host] == nil {
		(*t)[host] = new(window)
	}
	(*t)[host].take(now, throttleLimit)
}
