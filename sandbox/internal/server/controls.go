package server

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// lock locks the server and processes the late calls that are due.
func (s *Server) lock() (now time.Time, unlock func()) {
	now = s.now()
	s.mu.Lock()
	s.processDue(now)
	return now, s.mu.Unlock
}

// Reset restores the state after New. Requests in progress are not affected.
func (s *Server) Reset() {
	fresh := New(s.config)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = fresh.state
	s.notify()
	s.clientClock.Advance(-time.Duration(s.offset.Swap(0)))
}

// AddKey adds a key, or replaces the one with the same token.
func (s *Server) AddKey(k Key) error {
	now, unlock := s.lock()
	defer unlock()
	defer s.notify()
	return s.keys.add(k, now)
}

// RevokeKey revokes a key. It reports whether the server knew the key.
func (s *Server) RevokeKey(token string) (known bool) {
	_, unlock := s.lock()
	defer unlock()
	_, known = s.keys[token]
	if known {
		delete(s.keys, token)
		s.revoked = append(s.revoked[max(0, len(s.revoked)-maxRevoked+1):], token)
	}
	s.notify()
	return known
}

// SetQuota sets the remaining requests of a key in its current window.
func (s *Server) SetQuota(token string, class Class, remaining int) error {
	if class != ClassRead && class != ClassWrite {
		return fmt.Errorf("unknown class %q", string(class))
	}
	now, unlock := s.lock()
	defer unlock()
	key := s.keys[token]
	if key == nil {
		return errors.New("the server knows no such key")
	}
	limit, w := s.config.limit(class), key.window(class)
	w.open(now, limit)
	w.remaining = min(max(remaining, 0), limit)
	s.notify()
	return nil
}

// SetPlan sets the invitations that a live key's organization has used in the
// current period, and its limit.
func (s *Server) SetPlan(token string, used, limit int) error {
	return s.changeAccount(token, func(o *world.Organization) { o.SetPlan(used, limit) })
}

// SetLimitsEnforced sets whether the plan's limit stops the invitations of a
// live key's organization.
func (s *Server) SetLimitsEnforced(token string, enforced bool) error {
	return s.changeAccount(token, func(o *world.Organization) { o.SetLimitsEnforced(enforced) })
}

func (s *Server) changeAccount(token string, change func(*world.Organization)) error {
	now, unlock := s.lock()
	defer unlock()
	key := s.keys[token]
	switch {
	case key == nil:
		return errors.New("the server knows no such key")
	case !key.live():
		return errors.New("the account of test mode never changes; use a key that begins with " + livePrefix)
	}
	change(s.live.Organization(key.Organization, now))
	s.notify()
	return nil
}

// SetArchives sets whether archive storage is available.
func (s *Server) SetArchives(available bool) {
	_, unlock := s.lock()
	defer unlock()
	s.storage.unavailable = !available
	s.notify()
}

// Inject adds a fault. It returns an error for a contradictory fault and for one that no
// operation can match.
func (s *Server) Inject(f Fault) error {
	if err := f.check(); err != nil {
		return err
	}
	added := &injectedFault{Fault: f, skip: f.Skip, remaining: max(f.Times, 1)}
	if err := added.resolveRoute(append(slices.Clip(s.routes), archiveRoute)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faultCount++
	added.id = s.faultCount
	s.faults = append(s.faults, added)
	s.notify()
	return nil
}

// VisitFaults calls visit with every fault that has requests left. skip and left are the
// remaining values of Skip and Times.
func (s *Server) VisitFaults(visit func(id int, f Fault, skip, left int, fired bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		shown := f.Fault
		shown.Key = redact(shown.Key)
		visit(f.id, shown, f.skip, f.remaining, f.fired)
	}
}

// ClearFault removes one fault.
func (s *Server) ClearFault(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = slices.DeleteFunc(s.faults, func(f *injectedFault) bool { return f.id == id })
	s.notify()
}

// ClearFaults removes all faults.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
	s.notify()
}

// SetThrottled throttles all addresses, or ends the throttle and clears the counts of
// failed authentications.
func (s *Server) SetThrottled(throttled bool) {
	now, unlock := s.lock()
	defer unlock()
	s.throttle = nil
	if throttled {
		s.throttle = throttle{allHosts: &failures{count: throttleLimit, reset: windowEnd(now)}}
	}
	s.notify()
}

// SetDrift starts or stops drift.
func (s *Server) SetDrift(on bool, seed uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drift = nil
	if on {
		s.drift = &drift{seed}
	}
	s.notify()
}

// Journal returns a copy of the journal, oldest exchange first.
func (s *Server) Journal() []Entry {
	_, unlock := s.lock()
	defer unlock()
	return s.journal.entries(s.keys.redactor(s.revoked))
}

// ClearJournal empties the journal. Numbers of exchanges continue.
func (s *Server) ClearJournal() {
	_, unlock := s.lock()
	defer unlock()
	for s.journal.first < s.journal.next {
		s.journal.drop()
	}
	s.notify()
}
