package sandbox

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// AddKey makes the server accept a key, or replaces the key with the same token
// and restarts its rate limits. It panics on a malformed token, on an unknown scope, and
// when the organization has 20 active keys. LiveKey counts as a key of the organization
// without a name. Expired keys, revoked keys and test keys without an organization do not
// count.
func (s *Server) AddKey(k Key) { must("AddKey", s.addKey(k)) }

func (s *Server) addKey(k Key) error {
	now, unlock := s.lock()
	defer unlock()
	defer s.notify("keys")
	return s.keys.add(k, now)
}

// RevokeKey makes the server reject a key from the next request on. An unknown
// token changes nothing.
func (s *Server) RevokeKey(token string) { _ = s.revokeKey(token) }

func (s *Server) revokeKey(token string) error {
	_, unlock := s.lock()
	defer unlock()
	key, err := s.knownKey("token", token)
	if err != nil {
		return err
	}
	delete(s.keys, key.Token)
	s.revoked = append(s.revoked[max(0, len(s.revoked)-maxRevoked+1):], key.Key)
	s.notify("keys")
	return nil
}

// knownKey returns the key with a token or an id. name is the name of the input.
func (s *Server) knownKey(name, token string) (*keyState, error) {
	if key := s.keys[token]; key != nil {
		return key, nil
	}
	for _, key := range s.keys {
		if keyID(key.Token) == token {
			return key, nil
		}
	}
	return nil, inputError{name, "the server knows no such key"}
}

// SetQuota sets the remaining requests of a class in a key's current window, from
// 0 to the limit. A number beyond them means the nearest one. SetQuota opens the window if
// it is not open. It panics on an unknown key and on an unknown class.
func (s *Server) SetQuota(token string, class Class, remaining int) {
	s.mu.Lock()
	limit := s.settings.limit(class)
	s.mu.Unlock()
	must("SetQuota", s.setQuota(token, class, min(max(remaining, 0), limit)))
}

func (s *Server) setQuota(token string, class Class, remaining int) error {
	if class != ClassRead && class != ClassWrite {
		return inputError{"class", fmt.Sprintf("must be read or write, not %q", string(class))}
	}
	now, unlock := s.lock()
	defer unlock()
	key, err := s.knownKey("key", token)
	if err != nil {
		return err
	}
	limit, w := s.settings.limit(class), key.window(class)
	if remaining < 0 || remaining > limit {
		return inputError{"remaining", fmt.Sprintf("must be from 0 to %d", limit)}
	}
	w.open(now, limit)
	w.remaining = remaining
	s.notify("keys")
	return nil
}

// SetPlan sets how many invitations the organization of a live key has used in
// the current period, and its limit. A period is a month in UTC and begins with
// none used.
//
// SetPlan panics on an unknown key, on a test key, whose account never changes,
// and on negative numbers.
func (s *Server) SetPlan(token string, used, limit int) {
	must("SetPlan", s.setPlan(token, &used, &limit, nil))
}

// EnforceLimits makes the plan limit of a live key's organization stop invitations, as it
// does at first. It panics on the keys that SetPlan panics on.
func (s *Server) EnforceLimits(token string) {
	must("EnforceLimits", s.setPlan(token, nil, nil, new(true)))
}

// IgnoreLimits makes limits_enforced of the plan of a live key's organization false:
// invitations beyond the limit are sent. It panics on the keys that SetPlan panics on.
func (s *Server) IgnoreLimits(token string) {
	must("IgnoreLimits", s.setPlan(token, nil, nil, new(false)))
}

// setPlan sets the members that are not nil.
func (s *Server) setPlan(token string, used, limit *int, enforced *bool) error {
	now, unlock := s.lock()
	defer unlock()
	key, err := s.knownKey("key", token)
	switch {
	case err != nil:
		return err
	case !key.live():
		return inputError{"key", "the account of test mode never changes: give a key that begins with " + livePrefix}
	case used != nil && *used < 0:
		return inputError{"used", "must not be negative"}
	case limit != nil && *limit < 0:
		return inputError{"limit", "must not be negative"}
	case used == nil && limit == nil && enforced == nil:
		return inputError{"used", "give used, limit or limits_enforced"}
	}
	s.live.Organization(key.Organization, now).SetPlan(used, limit, enforced)
	s.notify("keys")
	return nil
}

// SetArchives sets whether archive storage is available. It is available at
// first. While it is not, workspace_archive_url is null, and earlier links return
// 503.
func (s *Server) SetArchives(available bool) {
	s.change(func(c *settings) { c.ArchivesAvailable = available })
}

// StartDrift starts drift, see [WithDrift]. A reset restores the setting of the option.
func (s *Server) StartDrift(seed uint64) {
	s.change(func(c *settings) { c.Drift, c.DriftSeed = true, seed })
}

// StopDrift stops drift.
func (s *Server) StopDrift() { s.change(func(c *settings) { c.Drift = false }) }

// KeepDetails makes the journal keep details from now on, also after a reset. See
// [WithDetails].
func (s *Server) KeepDetails() {
	s.change(func(c *settings) {
		c.Details = true
		s.config.settings.Details = true
	})
}

// change changes the settings.
func (s *Server) change(do func(*settings)) {
	_, unlock := s.lock()
	defer unlock()
	do(&s.settings)
	s.live.SetTimeline(world.Timeline(s.settings.Timeline))
	s.notify("settings")
}

// Throttle makes the server reject every request from every address for an hour, as
// after 100 failed authentications.
func (s *Server) Throttle() { s.setThrottled(true) }

// EndThrottle ends the throttle of every address and forgets the failed authentications.
func (s *Server) EndThrottle() { s.setThrottled(false) }

func (s *Server) setThrottled(throttled bool) {
	now, unlock := s.lock()
	defer unlock()
	s.throttle = nil
	if throttled {
		s.throttle = throttle{allHosts: &failures{count: throttleLimit, reset: windowEnd(now)}}
	}
	s.notify("settings")
}

// Inject adds a fault for later requests. It panics on a contradictory fault and
// when no operation has its route. At the end of the test, [Start] reports a fault
// that never fired as a failure of the test. A fault that fired fewer than Times
// times is no failure.
func (s *Server) Inject(f Fault) {
	_, err := s.inject(f)
	must("Inject", err)
}

func (s *Server) inject(f Fault) (id int, err error) {
	added, err := newFault(f, s.routes)
	if err != nil {
		return 0, err
	}
	_, unlock := s.lock()
	defer unlock()
	defer s.notify("faults")
	return s.faults.add(added), nil
}

// ClearFaults removes all faults. [Start] then no longer expects them to fire. A
// request that a fault is delaying stays delayed.
func (s *Server) ClearFaults() { must("ClearFaults", s.clearFaults(scope{})) }

func (s *Server) clearFaults(of scope) error {
	_, unlock := s.lock()
	defer unlock()
	selected, err := s.scope(of)
	if err != nil {
		return err
	}
	s.removeFaults(func(f *injectedFault) bool { return selected.fault(s, &f.Fault) })
	return nil
}

// removeFaults removes the active faults that selected selects, and returns their number.
func (s *Server) removeFaults(selected func(*injectedFault) bool) int {
	defer s.notify("faults")
	return s.faults.end(func(f *injectedFault) bool {
		f.removed = f.removed || selected(f)
		return f.removed
	})
}

// Advance moves the server's clock forward. It also shortens the waits for the
// lookups of Ensure and SendAll, for clients of [Server.URL] in this process. Every
// other wait of a client takes as long as before. Advance panics on a negative
// duration.
func (s *Server) Advance(d time.Duration) {
	must(fmt.Sprintf("Advance(%s)", d), s.advance(d))
}

func (s *Server) advance(d time.Duration) error {
	if d < 0 {
		return errors.New("the clock does not go back")
	}
	for {
		offset := s.offset.Load()
		if int64(d) > math.MaxInt64-offset {
			return errors.New("the clock does not go that far")
		}
		if s.offset.CompareAndSwap(offset, offset+int64(d)) {
			s.clientClock.Advance(d)
			_, unlock := s.lock()
			defer unlock()
			s.notify("clock")
			return nil
		}
	}
}

// scope selects the part of a server that one test suite uses: an organization, a key, or
// everything.
type scope struct {
	Organization *string `json:"organization"`
	Key          string  `json:"key"` // A token or an id.
}

// selection is a scope whose key and organization exist.
type selection struct {
	all          bool
	token        string // Empty: every key of the organization.
	organization string
}

// scope returns the selection of a scope.
func (s *Server) scope(of scope) (selection, error) {
	switch {
	case of.Key != "" && of.Organization != nil:
		return selection{}, inputError{"key", "give an organization or a key, not both"}
	case of.Key != "":
		key, err := s.knownKey("key", of.Key)
		if err != nil {
			return selection{}, err
		}
		return selection{token: key.Token, organization: key.Organization}, nil
	case of.Organization != nil:
		return selection{organization: *of.Organization}, s.checkOrganization(*of.Organization)
	}
	return selection{all: true}, nil
}

// checkOrganization returns an error for an organization that has no key and no data.
func (s *Server) checkOrganization(name string) error {
	if name == "" || slices.Contains(s.live.Names(), name) {
		return nil
	}
	for _, key := range s.keys {
		if key.Organization == name {
			return nil
		}
	}
	return inputError{"organization", fmt.Sprintf("there is no organization %q: add a key of it first", name)}
}

func (w selection) includes(organization string) bool { return w.all || w.organization == organization }

func (w selection) record(e *record) bool {
	if w.all || w.token != "" {
		return w.all || e.Key == w.token
	}
	return e.organization != nil && *e.organization == w.organization
}

func (w selection) fault(s *Server, f *Fault) bool {
	if w.all || w.token != "" {
		return w.all || f.Key == w.token
	}
	key := s.keys[f.Key]
	return f.Key == "" && f.Organization == w.organization && w.organization != "" || key != nil && key.Organization == w.organization
}

func (s *Server) clearJournal(of scope) error {
	_, unlock := s.lock()
	defer unlock()
	selected, err := s.scope(of)
	if err != nil {
		return err
	}
	s.forgetRecords(selected)
	return nil
}

func (s *Server) forgetRecords(selected selection) {
	for e := range s.journal.all() {
		if selected.record(e) {
			s.journal.forget(e)
		}
	}
	s.notify("journal")
}

// reset restores the state after New, or the part of it that a test suite uses. The clock
// and the settings belong to everybody. Requests in progress are not affected.
func (s *Server) reset(of scope) error {
	fresh := s.initialState()
	_, unlock := s.lock()
	defer unlock()
	selected, err := s.scope(of)
	if err != nil {
		return err
	}
	if selected.all {
		s.state = fresh
		s.clientClock.Advance(-time.Duration(s.offset.Swap(0)))
		s.notify("reset")
		return nil
	}
	selected.token = "" // All keys of the organization see the same data.
	s.forgetRecords(selected)
	s.removeFaults(func(f *injectedFault) bool { return selected.fault(s, &f.Fault) })
	s.live.Remove(selected.organization)
	for _, key := range s.keys {
		if key.Organization == selected.organization {
			key.read, key.write = window{}, window{}
		}
	}
	s.notify("keys", "candidates")
	return nil
}

// Journal returns a copy of the journal. It holds the exchanges of every
// transport within the limits, those without a response included. Requests to the
// control API are not in it.
func (s *Server) Journal() Journal {
	_, unlock := s.lock()
	defer unlock()
	redactor := s.redactor()
	entries := make(Journal, 0, s.journal.next-s.journal.first)
	for e := range s.journal.all() {
		entries = append(entries, e.redacted(redactor))
	}
	return entries
}

// ClearJournal empties the journal and changes nothing else. Numbers of exchanges
// continue.
func (s *Server) ClearJournal() { must("ClearJournal", s.clearJournal(scope{})) }
