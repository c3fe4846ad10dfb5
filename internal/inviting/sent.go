// Package inviting decides who has an invitation, so that no candidate gets a second
// e-mail. [Listing] holds the invitations that the API lists, and [Scan] decides how far to
// read them. [Sent] holds what a client has sent or is sending. [Lookups] decides when to
// look for an invitation after an unknown outcome. [Record] is the state that survives a
// crash.
package inviting

import (
	"maps"
	"strings"
	"sync"
	"time"
)

// Addressee is one address in one assessment.
type Addressee struct{ Assessment, Address string }

// To returns the addressee of an assessment and an address, however they are spelled.
func To(assessmentID, email string) Addressee {
	return Addressee{strings.ToLower(assessmentID), Address(email)}
}

// Address returns the same text for all spellings of one address: it ignores case,
// surrounding white space and zero-width characters (assumed: addresses). Unicode
// normal forms, the two forms of an international domain (punycode), a final dot of
// the domain and quotes in the local part make different addresses.
func Address(email string) string {
	return strings.ToLower(strings.TrimSpace(strings.Map(visible, email)))
}

// visible drops zero-width characters, which copied text may contain.
func visible(c rune) rune {
	if c >= '\u200b' && c <= '\u200d' || c == '\u2060' || c == '\ufeff' {
		return -1
	}
	return c
}

// Request is the last request that may have sent an e-mail to an addressee. Its zero value
// means that there was none. I is the type of an invitation, and E that of an error whose
// zero value means none.
type Request[I any, E comparable] struct {
	At         time.Time // When the request ended.
	Invitation I
	Lost       E // The error when the response was lost: the e-mail may have been sent.
}

// Invited reports whether the request is known to have sent the invitation.
func (r Request[I, E]) Invited() bool { return !r.At.IsZero() && r.Lost == *new(E) }

// Sent records which addressees a client and its variants have invited or are inviting, so
// that their calls need no listing to know it. It is safe for concurrent use. The zero
// value is empty.
type Sent[I any, E comparable] struct {
	mu      sync.Mutex
	entries map[Addressee]*entry[I, E]
	sweep   int // The number of entries at which old ones are dropped.
}

// entry is the state of one addressee.
type entry[I any, E comparable] struct {
	last     Request[I, E]
	claimed  Request[I, E] // The value of last when the address was claimed.
	inFlight int           // Calls that have not ended.
	idle     chan struct{} // Closed when no call is in flight; nil without waiters.
}

const (
	// remembered is how long a request is remembered at least. Any listing shows its
	// invitation much sooner, and a run updates its listing each minute before it sends.
	remembered = time.Hour

	// minSweep is the number of entries below which none is dropped.
	minSweep = 200
)

// Claim excludes other claims of an addressee until Release. When a call for the addressee
// is in flight, Claim returns a channel instead that is closed when there is none.
func (s *Sent[I, E]) Claim(to Addressee, now time.Time) (last Request[I, E], busy <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entry(to, now)
	if e.inFlight == 0 {
		e.inFlight, e.claimed = 1, e.last
		return e.last, nil
	}
	if e.idle == nil {
		e.idle = make(chan struct{})
	}
	return Request[I, E]{}, e.idle
}

// Join records the beginning of a call that does not exclude others.
func (s *Sent[I, E]) Join(to Addressee, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entry(to, now).inFlight++
}

// Release ends a claim or a join. last is what the call knows of the last request to the
// addressee: nil when it learned nothing, and the zero Request when none may have sent an
// e-mail.
func (s *Sent[I, E]) Release(to Addressee, last *Request[I, E]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[to]
	if last != nil && e.isReplacedBy(last) {
		e.last = *last
	}
	e.inFlight--
	if e.inFlight > 0 {
		return
	}
	if e.idle != nil {
		close(e.idle)
		e.idle = nil
	}
	if e.last.At.IsZero() {
		delete(s.entries, to)
	}
}

// isReplacedBy reports whether a request replaces the last one. An invitation is replaced
// by another invitation only. A claim that ends without a request has settled the outcome
// that it found, but not that of a call which ended meanwhile.
func (e *entry[I, E]) isReplacedBy(request *Request[I, E]) bool {
	switch {
	case request.Invited():
		return true
	case e.last.Invited():
		return false
	case request.At.IsZero():
		return e.last.At.Equal(e.claimed.At) && e.last.Lost == e.claimed.Lost
	}
	return !request.At.Before(e.last.At)
}

// Invitation returns the invitation that was sent to an addressee.
func (s *Sent[I, E]) Invitation(to Addressee) (sent I, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[to]; e != nil && e.last.Invited() {
		return e.last.Invitation, true
	}
	return sent, false
}

// entry returns the entry of an addressee. The lock must be held.
func (s *Sent[I, E]) entry(to Addressee, now time.Time) *entry[I, E] {
	if e := s.entries[to]; e != nil {
		return e
	}
	if len(s.entries) >= max(s.sweep, minSweep) {
		maps.DeleteFunc(s.entries, func(_ Addressee, e *entry[I, E]) bool {
			return e.inFlight == 0 && now.Sub(e.last.At) > remembered
		})
		s.sweep = 2 * len(s.entries)
	}
	if s.entries == nil {
		s.entries = make(map[Addressee]*entry[I, E])
	}
	e := new(entry[I, E])
	s.entries[to] = e
	return e
}
