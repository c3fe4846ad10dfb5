package sandbox

import (
	"errors"
	"fmt"
	"slices"
)

// AddKey makes the server accept a key, or replaces the one with the same
// token; its quotas begin anew. It panics on a token that begins with neither
// sk_test_ nor sk_live_, on an unknown scope, and on more keys than the 20
// active ones that an organization can hold, LiveKey among those without a name.
// Expired and revoked ones do not count, nor do keys of test mode that name no
// organization.
func (s *Server) AddKey(k Key) {
	if err := s.addKey(k); err != nil {
		panic(fmt.Sprintf("sandbox: AddKey: %v", err))
	}
}

func (s *Server) addKey(k Key) error {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(now)
	defer s.notify()
	return s.keys.add(k, now)
}

// RevokeKey makes the server refuse a key from the next request on. An unknown
// token changes nothing.
func (s *Server) RevokeKey(token string) { s.revoke(token) }

func (s *Server) revoke(token string) (known bool) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(now)
	if _, known = s.keys[token]; known {
		delete(s.keys, token)
		s.revoked = append(s.revoked[max(0, len(s.revoked)-maxHidden+1):], token)
	}
	s.notify()
	return known
}

// SetQuota sets how many requests of a class a key has left in its current
// window, from none to the limit; a window that is not open yet opens. It
// panics on a key that the server does not know and on an unknown class.
func (s *Server) SetQuota(token string, class Class, remaining int) {
	if err := s.setQuota(token, class, remaining); err != nil {
		panic(fmt.Sprintf("sandbox: SetQuota: %v", err))
	}
}

func (s *Server) setQuota(token string, class Class, remaining int) error {
	if class != ClassRead && class != ClassWrite {
		return fmt.Errorf("unknown class %q", string(class))
	}
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(now)
	key := s.keys[token]
	if key == nil {
		return errors.New("the server knows no such key")
	}
	limit, w := s.limits.of(class), key.window(class)
	w.open(now, limit)
	w.remaining = min(max(remaining, 0), limit)
	s.notify()
	return nil
}

// SetPlan sets how many invitations the organization of a live key has used in
// the current period, and how many its plan allows. Periods are the months of
// UTC: the next one begins with none used.
//
// It panics on a key that the server does not know, on one of test mode, whose
// account never changes, and on negative numbers.
func (s *Server) SetPlan(token string, used, limit int) {
	if used < 0 || limit < 0 {
		panic(fmt.Sprintf("sandbox: SetPlan(%d, %d): a number of invitations cannot be negative", used, limit))
	}
	if err := s.setPlan(token, used, limit); err != nil {
		panic(fmt.Sprintf("sandbox: SetPlan: %v", err))
	}
}

func (s *Server) setPlan(token string, used, limit int) error {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(now)
	key := s.keys[token]
	switch {
	case key == nil:
		return errors.New("the server knows no such key")
	case !key.live():
		return errors.New("the account of test mode never changes; use a key that begins with " + livePrefix)
	}
	s.live.Organization(key.Organization, now).SetPlan(used, limit)
	s.notify()
	return nil
}

// SetArchives says whether archive storage is available, as it is at first.
// While it is not, workspace_archive_url is null, and links that were given out
// before answer 503.
func (s *Server) SetArchives(available bool) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(now)
	s.storage.gone = !available
	s.notify()
}

// Inject makes something go wrong with requests to come. It panics when the
// fault makes no sense and when no operation has its route: such a fault would
// never fire. A server of [Start] fails the test when a fault has not fired
// once by its end; one that fired fewer than Times times is no failure.
func (s *Server) Inject(f Fault) {
	if err := s.inject(f); err != nil {
		panic(fmt.Sprintf("sandbox: Inject: %v", err))
	}
}

func (s *Server) inject(f Fault) error {
	if err := f.check(); err != nil {
		return err
	}
	added := &fault{Fault: f, skip: f.Skip, left: max(f.Times, 1)}
	if err := added.aim(append(slices.Clip(s.routes), archiveRoute)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.injected++
	added.id = s.injected
	s.faults = append(s.faults, added)
	s.notify()
	return nil
}

// ClearFaults takes back what is left of all faults, also for the end of a test
// of [Start]. A request that a fault delays already is not let go.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
	s.notify()
}

// SetThrottled makes the server refuse every request from every address, as it
// refuses those from one that has sent 100 bad keys: until an hour from now. With
// false it refuses nobody, and forgets the bad keys so far.
func (s *Server) SetThrottled(throttled bool) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(now)
	s.throttle = nil
	if throttled {
		s.throttle = throttle{everyone: &failures{count: throttleLimit, until: windowEnd(now)}}
	}
	s.notify()
}

// SetDrift makes replies drift from now on, as [WithDrift] does from the start,
// or stops it. A reset goes back to what the option said.
func (s *Server) SetDrift(on bool, seed uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drift = nil; on {
		s.drift = &drift{seed}
	}
	s.notify()
}

// Journal returns a copy of the journal. It holds every exchange on every door
// (also those that were lost, with status 0), except for those that bounds
// have pushed out; nothing of the control plane.
func (s *Server) Journal() Journal {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(now)
	return s.journal.copy(s.keys.hide(s.revoked))
}
