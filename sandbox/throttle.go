package sandbox

import (
	"net"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// throttleLimit is the number of failed authentications an hour after which an address is
// throttled.
const throttleLimit = 100

// throttle counts failed authentications by address. A window opens with the first
// failure.
type throttle map[string]*failures

// allHosts is the key of a throttle of all addresses.
const allHosts = "*"

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
	for _, address := range [...]string{host, allHosts} {
		if f := t[address]; f != nil && f.count >= throttleLimit && now.Before(f.reset) {
			return quota{limit: throttleLimit, reset: f.reset}, false
		}
	}
	return quota{}, true
}

// count counts a failed authentication. It reports whether that begins a throttle.
func (t *throttle) count(host string, now time.Time) bool {
	if *t == nil {
		*t = make(throttle)
	}
	f := (*t)[host]
	if f == nil || !now.Before(f.reset) {
		f = &failures{reset: windowEnd(now)}
		(*t)[host] = f
	}
	f.count++
	return f.count == throttleLimit
}

// until returns until when an address is throttled, at the latest; nil for none.
func (t throttle) until(now time.Time) (end *world.Moment) {
	for _, f := range t {
		if f.count >= throttleLimit && now.Before(f.reset) && (end == nil || f.reset.After(end.Time())) {
			end = new(world.MomentOf(f.reset))
		}
	}
	return end
}
