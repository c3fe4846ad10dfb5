package hiring

import (
	"maps"
	"sync"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
)

// lastSend is the last request that may have sent an e-mail to an address. The zero value
// means that there was none.
type lastSend struct {
	at         time.Time   // When the request ended; for a call that a panic ended, when it began.
	invitation *Invitation // That it sent. Nil while that is not known.
	lost       *Error      // Not nil if the e-mail may have been sent: OutcomeUnknown, or OutcomeDone without a readable body.
}

// sentInvitations records which addresses a client and its variants have invited or are
// inviting, so that their calls need no listing to know it. It is safe for concurrent use.
// The zero value is empty.
type sentInvitations struct {
	mu      sync.Mutex
	entries map[inviting.Addressee]*sentEntry
	sweep   int // The number of entries at which old ones are dropped.
}

// sentEntry is the state of one address.
type sentEntry struct {
	last  lastSend
	calls int           // In flight.
	idle  chan struct{} // Closed when no call is in flight; nil without waiters.
}

const (
	// remembered is how long a request is remembered at least. Any listing shows its
	// invitation much sooner, and a run updates its listing each minute before it sends.
	remembered = time.Hour

	// minSweep is the number of entries below which none is dropped.
	minSweep = 200
)

// claim excludes other claims of an address until release, and returns the last request to
// the address. When a call for the address is in flight, claim returns a channel instead
// that is closed when there is none.
func (s *sentInvitations) claim(to inviting.Addressee, now time.Time) (last lastSend, busy <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entry(to, now)
	if e.calls == 0 {
		e.calls = 1
		return e.last, nil
	}
	if e.idle == nil {
		e.idle = make(chan struct{})
	}
	return lastSend{}, e.idle
}

// enter begins a call that does not exclude others.
func (s *sentInvitations) enter(to inviting.Addressee, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entry(to, now).calls++
}

// release ends a claim or an enter.
func (s *sentInvitations) release(to inviting.Addressee) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[to]
	e.calls--
	if e.calls > 0 {
		return
	}
	if e.idle != nil {
		close(e.idle)
		e.idle = nil
	}
	if e.last == (lastSend{}) {
		delete(s.entries, to)
	}
}

// record records a request. An invitation is only replaced by another one, and any other
// request by a later one.
func (s *sentInvitations) record(to inviting.Addressee, request lastSend, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entry(to, now)
	if request.invitation != nil || e.last.invitation == nil && !request.at.Before(e.last.at) {
		e.last = request
	}
}

// settle drops a request to a claimed address that certainly sent no e-mail, unless another
// call has made one since.
func (s *sentInvitations) settle(to inviting.Addressee, request lastSend) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[to]; e.last == request {
		e.last = lastSend{}
	}
}

// invitation returns the invitation that was sent to an address.
func (s *sentInvitations) invitation(to inviting.Addressee) (sent Invitation, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[to]; e != nil && e.last.invitation != nil {
		return *e.last.invitation, true
	}
	return sent, false
}

// entry returns the entry of an address. The lock must be held.
func (s *sentInvitations) entry(to inviting.Addressee, now time.Time) *sentEntry {
	if e := s.entries[to]; e != nil {
		return e
	}
	if len(s.entries) >= max(s.sweep, minSweep) {
		maps.DeleteFunc(s.entries, func(_ inviting.Addressee, e *sentEntry) bool {
			return e.calls == 0 && now.Sub(e.last.at) > remembered
		})
		s.sweep = 2 * len(s.entries)
	}
	if s.entries == nil {
		s.entries = make(map[inviting.Addressee]*sentEntry)
	}
	e := new(sentEntry)
	s.entries[to] = e
	return e
}
