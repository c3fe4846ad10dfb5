package sandbox

import (
	"fmt"
	"time"
)

// AddKey makes the server accept a key, or replaces the key with the same token
// and restarts its rate limits. It panics on a token without the prefix sk_test_ or
// sk_live_, on an unknown scope, and when the organization has 20 active keys.
// LiveKey counts as a key of the organization without a name. Expired keys,
// revoked keys and test keys without an organization do not count.
func (s *Server) AddKey(k Key) {
	must("AddKey", s.server().AddKey(k))
}

// RevokeKey makes the server reject a key from the next request on. An unknown
// token changes nothing.
func (s *Server) RevokeKey(token string) { s.server().RevokeKey(token) }

// SetQuota sets the remaining requests of a class in a key's current window, from
// 0 to the limit. It opens the window if it is not open. It panics on an unknown
// key and on an unknown class.
func (s *Server) SetQuota(token string, class Class, remaining int) {
	must("SetQuota", s.server().SetQuota(token, class, remaining))
}

// SetPlan sets how many invitations the organization of a live key has used in
// the current period, and its limit. A period is a month in UTC and begins with
// none used.
//
// SetPlan panics on an unknown key, on a test key, whose account never changes,
// and on negative numbers.
func (s *Server) SetPlan(token string, used, limit int) {
	if used < 0 || limit < 0 {
		panic(fmt.Sprintf("sandbox: SetPlan(%d, %d): a number of invitations cannot be negative", used, limit))
	}
	must("SetPlan", s.server().SetPlan(token, used, limit))
}

// SetLimitsEnforced sets limits_enforced of the plan of a live key's organization.
// While it is false, invitations beyond the limit are sent. It panics on the keys
// that SetPlan panics on.
func (s *Server) SetLimitsEnforced(token string, enforced bool) {
	must("SetLimitsEnforced", s.server().SetLimitsEnforced(token, enforced))
}

// SetArchives sets whether archive storage is available. It is available at
// first. While it is not, workspace_archive_url is null, and earlier links return
// 503.
func (s *Server) SetArchives(available bool) { s.server().SetArchives(available) }

// Inject adds a fault for later requests. It panics on a contradictory fault and
// when no operation has its route. At the end of the test, [Start] reports a fault
// that never fired as a failure of the test. A fault that fired fewer than Times
// times is no failure.
func (s *Server) Inject(f Fault) {
	must("Inject", s.server().Inject(f))
}

// ClearFaults removes all faults. [Start] then no longer expects them to fire. A
// request that a fault is delaying stays delayed.
func (s *Server) ClearFaults() { s.server().ClearFaults() }

// SetThrottled makes the server reject every request from every address for an
// hour, as after 100 failed authentications. False ends that and forgets the failed
// authentications.
func (s *Server) SetThrottled(throttled bool) { s.server().SetThrottled(throttled) }

// SetDrift starts drift, see [WithDrift], or stops it. A reset restores the
// setting of the option.
func (s *Server) SetDrift(on bool, seed uint64) { s.server().SetDrift(on, seed) }

// Advance moves the server's clock forward. It also shortens the waits for the
// lookups of Ensure and SendAll, for clients of [Server.URL] in this process. Every
// other wait of a client takes as long as before. Advance panics on a negative
// duration.
func (s *Server) Advance(d time.Duration) {
	must(fmt.Sprintf("Advance(%s)", d), s.server().Advance(d))
}

// must panics on an error of a method: a mistake in the test.
func must(method string, err error) {
	if err != nil {
		panic(fmt.Sprintf("sandbox: %s: %v", method, err))
	}
}
