package hiring

import (
	"context"
	"strings"
	"sync"
	"time"
	"unicode"
)

// lastRequest is the last request to an address that may have sent an e-mail. The zero value
// means that there was none.
type lastRequest struct {
	ended      instant     // When the response came, or when a lookup found the invitation.
	outcome    Outcome     // OutcomeDone or OutcomeUnknown.
	invitation *Invitation // The invitation that an OutcomeDone has made, if it is known.
}

// accepted reports whether the API accepted the request, but its invitation is not known.
func (l lastRequest) accepted() bool { return l.outcome == OutcomeDone && l.invitation == nil }

// addresses holds the addresses that calls invite now or have invited a moment ago. A client
// shares it with its variants. It is safe for concurrent use.
type addresses struct {
	mu      sync.Mutex
	entries map[addressKey]*address
	revoked map[string]int // How often each invitation was revoked a moment ago, by idKey.
	wall    func() time.Time
}

func newAddresses() addresses {
	return addresses{entries: make(map[addressKey]*address), revoked: make(map[string]int), wall: time.Now}
}

// now returns the present. Without its monotonic reading a time is one of the wall clock.
func (m *addresses) now() instant { return instant{time.Now(), m.wall().Round(0)} }

// revoke records that an invitation was revoked, or may have been, for as long as it may be returned
// without a listing: a lookup finds one a minute after its request at the latest, and then it is
// remembered for a minute.
func (m *addresses) revoke(invitationID string) {
	id := idKey(invitationID)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.revoked[id]++
	time.AfterFunc(settleTime+rememberedFor, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.revoked[id]--; m.revoked[id] == 0 {
			delete(m.revoked, id)
		}
	})
}

func (m *addresses) wasRevoked(invitationID string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.revoked[idKey(invitationID)] > 0
}

type addressKey struct{ assessment, email string }

// address is one address in one assessment. Only the call that has locked it may use last.
type address struct {
	addressKey // Its e-mail is an [AddressKey].

	locked chan struct{} // A call has locked the address and closes this channel at its end. Nil: the address is not locked.
	last   lastRequest
}

// lock waits until no other call invites the address.
func (m *addresses) lock(ctx context.Context, assessmentID, email string) (*address, error) {
	key := addressKey{idKey(assessmentID), AddressKey(email)}
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
			announceWait(ctx, settleTime, PauseLookup) // The end of the other call is not known.
		case <-ctx.Done():
			return nil, ensureError(OutcomeNotDone, "not sent, because another call is inviting the same address", contextError(ctx))
		}
	}
}

// tryLock locks an address and returns it. If another call has locked it, tryLock returns a channel
// that is closed when that call ends.
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

// unlock ends the lock, and drops the address when no later call needs its last request. What the
// API accepted is kept, because it is never sent again.
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

// dropOld drops an address unless a call has locked it or has sent a request meanwhile, or it was
// dropped before.
func (m *addresses) dropOld(a *address) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries[a.addressKey] == a && a.locked == nil && time.Since(a.last.ended.monotonic) >= addressLifetime {
		delete(m.entries, a.addressKey)
	}
}

// AddressKey returns the same text for all spellings of one e-mail address: it removes zero-width
// characters, then the white space around the address, then lowers each letter (assumed:
// addresses). It is "" for an empty address. [SubmissionService.FindByEmail],
// [InvitationService.Ensure] and [InvitationService.EnsureAll] compare addresses by it. Programs
// may store it: it is the same in every version.
//
// Unicode normal forms, the two forms of an international domain (punycode), a final dot of
// the domain and quotes in the local part make different addresses. Capitals that Unicode has
// added after version 15 are not lowered.
func AddressKey(address string) string {
	visible := strings.Map(func(c rune) rune {
		if c >= '\u200b' && c <= '\u200d' || c == '\u2060' || c == '\ufeff' {
			return -1
		}
		return c
	}, address)
	return strings.Map(func(c rune) rune {
		if unicode.Is(lowered, c) {
			return unicode.ToLower(c)
		}
		return c
	}, strings.TrimSpace(visible))
}

// lowered has the ranges of Unicode 15 that have capitals, without unassigned code points: those
// may become capitals in a later version, and then in a later version of Go.
var lowered = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x0041, 0x0376, 1}, {0x037f, 0x037f, 1}, {0x0386, 0x038a, 1}, {0x038c, 0x038c, 1}, {0x038e, 0x03a1, 1}, {0x03a3, 0x052e, 1},
		{0x0531, 0x0556, 1}, {0x10a0, 0x10c5, 1}, {0x10c7, 0x10c7, 1}, {0x10cd, 0x10cd, 1}, {0x13a0, 0x13f5, 1}, {0x1c90, 0x1cba, 1},
		{0x1cbd, 0x1cbf, 1}, {0x1e00, 0x1f0f, 1}, {0x1f18, 0x1f1d, 1}, {0x1f28, 0x1f3f, 1}, {0x1f48, 0x1f4d, 1}, {0x1f59, 0x1f59, 1},
		{0x1f5b, 0x1f5b, 1}, {0x1f5d, 0x1f5d, 1}, {0x1f5f, 0x1f6f, 1}, {0x1f88, 0x1faf, 1}, {0x1fb8, 0x1fbc, 1}, {0x1fc8, 0x1fcc, 1},
		{0x1fd8, 0x1fdb, 1}, {0x1fe8, 0x1fec, 1}, {0x1ff8, 0x1ffc, 1}, {0x2126, 0x2183, 1}, {0x24b6, 0x24cf, 1}, {0x2c00, 0x2cf2, 1},
		{0xa640, 0xa69a, 1}, {0xa722, 0xa7c9, 1}, {0xa7d0, 0xa7d0, 1}, {0xa7d6, 0xa7d8, 1}, {0xa7f5, 0xa7f5, 1}, {0xff21, 0xff3a, 1},
	},
	R32: []unicode.Range32{
		{0x10400, 0x10427, 1}, {0x104b0, 0x104d3, 1}, {0x10570, 0x1057a, 1}, {0x1057c, 0x1058a, 1}, {0x1058c, 0x10592, 1}, {0x10594, 0x10595, 1},
		{0x10c80, 0x10cb2, 1}, {0x118a0, 0x118bf, 1}, {0x16e40, 0x16e5f, 1}, {0x1e900, 0x1e921, 1},
	},
}
