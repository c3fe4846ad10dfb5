package hiring

import (
	"context"
	"strings"
	"sync"
	"time"
)

// instant is a moment by two clocks. The monotonic one stops while the computer sleeps, and the
// wall clock can be set.
type instant struct{ monotonic, wall time.Time }

// atLeastSince returns the shortest time that can have passed since an earlier moment.
func (i instant) atLeastSince(earlier instant) time.Duration {
	return max(0, min(i.monotonic.Sub(earlier.monotonic), i.wall.Sub(earlier.wall)))
}

// atMostSince returns the longest time that can have passed since an earlier moment.
func (i instant) atMostSince(earlier instant) time.Duration {
	return max(i.monotonic.Sub(earlier.monotonic), i.wall.Sub(earlier.wall))
}

// lastRequest is the last request to an address that may have sent an e-mail. The zero value
// means that there was none.
type lastRequest struct {
	ended      instant     // Or when its invitation was found.
	outcome    Outcome     // OutcomeDone or OutcomeUnknown.
	invitation *Invitation // After OutcomeDone, when it is known.
}

// accepted reports whether the API accepted the request, but its invitation is not known.
func (l lastRequest) accepted() bool { return l.outcome == OutcomeDone && l.invitation == nil }

// addresses holds the addresses that calls invite now or have invited a moment ago. A client
// shares it with its variants. It is safe for concurrent use.
type addresses struct {
	mu      sync.Mutex
	entries map[addressKey]*address
	revoked map[string]bool // The ids of invitations that were revoked a moment ago, in lower case.
	ahead   time.Duration   // How far a test has set the wall clock.
}

func (m *addresses) now() instant {
	now := time.Now()
	return instant{now, now.Round(0).Add(m.ahead)}
}

// revoke records that an invitation was revoked, or may have been, for as long as an address is remembered.
func (m *addresses) revoke(invitationID string) {
	id := strings.ToLower(invitationID)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.revoked[id] = true
	time.AfterFunc(memory, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.revoked, id)
	})
}

func (m *addresses) wasRevoked(invitationID string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.revoked[strings.ToLower(invitationID)]
}

type addressKey struct{ assessment, email string }

// address is one address in one assessment. Only the call that has locked it may use last.
type address struct {
	addressKey // Of [AddressKey].

	locked chan struct{} // A call has locked the address and closes this channel at its end. Nil: the address is not locked.
	last   lastRequest
}

// addressLifetime is how long an address is kept after a request: a listing that began before the request has settled may be
// used for maxListingAge, and does not show the invitation.
const addressLifetime = settled + maxListingAge

// lock waits until no other call invites the address.
func (m *addresses) lock(ctx context.Context, assessmentID, email string) (*address, error) {
	key := addressKey{strings.ToLower(assessmentID), AddressKey(email)}
	long := time.NewTimer(time.Second)
	defer long.Stop()
	for {
		a, locked := m.tryLock(key)
		if a != nil {
			return a, nil
		}
		select {
		case <-locked:
		case <-long.C:
			announceWait(ctx, settled, PauseLookup) // The end of the other call is not known.
		case <-ctx.Done():
			return nil, ensureError(OutcomeNotDone, "not sent, because another call is inviting the same address", contextError(ctx))
		}
	}
}

// tryLock locks an address and returns it. If another call has locked it, tryLock returns a channel that is closed when
// that call ends.
func (m *addresses) tryLock(key addressKey) (a *address, locked <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if a = m.entries[key]; a == nil {
		a = &address{addressKey: key}
		m.entries[key] = a
	}
	if a.locked != nil {
		return nil, a.locked
	}
	a.locked = make(chan struct{})
	return a, nil
}

// unlock ends the lock, and drops the address when no later call needs its last request. What the API accepted is kept,
// because it is never sent again.
func (m *addresses) unlock(a *address) {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(a.locked)
	a.locked = nil
	switch {
	case a.last.outcome == "":
		delete(m.entries, a.addressKey)
	case !a.last.accepted():
		time.AfterFunc(addressLifetime, func() { m.dropOld(a) })
	}
}

// dropOld drops an address unless a call has locked it or has sent a request meanwhile, or it was dropped before.
func (m *addresses) dropOld(a *address) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries[a.addressKey] == a && a.locked == nil && time.Since(a.last.ended.monotonic) >= addressLifetime {
		delete(m.entries, a.addressKey)
	}
}
