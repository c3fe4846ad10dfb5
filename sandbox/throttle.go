package sandbox

import (
	"net"
	"time"
)

// throttleLimit is how many requests with a bad key one address may make in an
// hour before nothing from it is answered any more.
const throttleLimit = 100

// throttle counts failed authentication by address. A window opens at the first
// failure.
type throttle map[string]*failures

type failures struct {
	count int
	until time.Time
}

// remoteHost is the address that a request came from, without the port.
func remoteHost(c *call) string {
	host, _, err := net.SplitHostPort(c.request.RemoteAddr)
	if err != nil {
		return c.request.RemoteAddr
	}
	return host
}

// allows tells whether requests from the call's address are judged at all, and
// if not, what is to be said about it. A right key is refused like a wrong one,
// and the reply tells nothing of its quota.
func (t throttle) allows(c *call) (quota, bool) {
	f := t[remoteHost(c)]
	if f == nil || f.count < throttleLimit || !c.at.Before(f.until) {
		return quota{}, true
	}
	return quota{limit: throttleLimit, reset: f.until}, false
}

func (t *throttle) count(c *call) {
	if *t == nil {
		*t = make(throttle)
	}
	host := remoteHost(c)
	f := (*t)[host]
	if f == nil || !c.at.Before(f.until) {
		f = &failures{until: windowEnd(c.at)}
		(*t)[host] = f
	}
	f.count++
}
