package server

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

// everyone is the address that means all hosts.
const everyone = "*"

type failures struct {
	count int
	until time.Time
}

// remoteHost is the address that a request came from, without the port.
func remoteHost(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}

// allows reports whether requests from a host are authenticated, and
// returns the response if they are not. A right key is refused like a wrong one,
// and the response tells nothing of its quota.
func (t throttle) allows(host string, now time.Time) (quota, bool) {
	for _, of := range [...]string{host, everyone} {
		if f := t[of]; f != nil && f.count >= throttleLimit && now.Before(f.until) {
			return quota{limit: throttleLimit, reset: f.until}, false
		}
	}
	return quota{}, true
}

func (t *throttle) count(host string, now time.Time) {
	if *t == nil {
		*t = make(throttle)
	}
	f := (*t)[host]
	if f == nil || !now.Before(f.until) {
		f = &failures{until: windowEnd(now)}
		(*t)[host] = f
	}
	f.count++
}
