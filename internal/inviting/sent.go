// Package inviting decides who has an invitation, so that no candidate gets a second
// e-mail. [Listing] keeps what the API lists, [Sent] what this process has sent or is
// sending, [Lookups] when to look after an unknown outcome, and [Record] what
// survives a crash.
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

// Request is how the last request ended that may have mailed an addressee; zero when
// there was none. I is an invitation, and E an error that is zero when there is none.
type Request[I any, E comparable] struct {
	At         time.Time
	Invitation I
	Lost       E // Instead of the invitation: the mail may be out.
}

// Invited reports whether the addressee has the invitation.
func (s Request[I, E]) Invited() bool { return !s.At.IsZero() && s.Lost == *new(E) }

// Sent is whom a client and its variants invite and have invited, so that none
// of their calls has to find it in a listing. It may be used by many goroutines at
// once. The zero value is empty.
type Sent[I any, E comparable] struct {
	mu      sync.Mutex
	entries map[Addressee]*entry[I, E]
	sweep   int // With that many entries, the old ones are dropped.
}

// entry is what is known of one addressee.
type entry[I any, E comparable] struct {
	last    Request[I, E]
	claimed Request[I, E] // The last when the address was claimed.
	sending int           // Calls on their way.
	idle    chan struct{} // Closed when none is any more; nil when nobody waits for that.
}

const (
	// remembered is how long a send is, at least. Any listing shows it much sooner,
	// and a run looks at least once a minute before it sends.
	remembered = time.Hour

	// few entries are kept however old they are.
	few = 200
)

// Claim keeps other claims of an addressee off until Release. When a call is on
// its way there, it returns a channel to wait on instead.
func (l *Sent[I, E]) Claim(who Addressee, now time.Time) (last Request[I, E], busy <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entry(who, now)
	if e.sending == 0 {
		e.sending, e.claimed = 1, e.last
		return e.last, nil
	}
	if e.idle == nil {
		e.idle = make(chan struct{})
	}
	return Request[I, E]{}, e.idle
}

// Join notes a call that does not care about others.
func (l *Sent[I, E]) Join(who Addressee, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entry(who, now).sending++
}

// Release ends a claim or a join, and keeps how the call ended: nil when that
// tells nothing.
func (l *Sent[I, E]) Release(who Addressee, last *Request[I, E]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[who]
	if last != nil && e.yields(last) {
		e.last = *last
	}
	if e.sending--; e.sending > 0 {
		return
	}
	if e.idle != nil {
		close(e.idle)
		e.idle = nil
	}
	if e.last.At.IsZero() {
		delete(l.entries, who)
	}
}

// yields reports whether last replaces what is known. An invitation is replaced by
// another invitation only. An unknown outcome of a later call stays: a claim that ends
// without an unknown outcome has settled only the outcome that it found.
func (e *entry[I, E]) yields(last *Request[I, E]) bool {
	switch {
	case last.Invited():
		return true
	case e.last.Invited():
		return false
	case last.At.IsZero():
		return e.last.At.Equal(e.claimed.At) && e.last.Lost == e.claimed.Lost
	}
	return !last.At.Before(e.last.At)
}

// Invitation returns what was sent to an addressee.
func (l *Sent[I, E]) Invitation(who Addressee) (sent I, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.entries[who]; e != nil && e.last.Invited() {
		return e.last.Invitation, true
	}
	return sent, false
}

// entry returns the entry of an addressee. The lock must be held.
func (l *Sent[I, E]) entry(who Addressee, now time.Time) *entry[I, E] {
	if e := l.entries[who]; e != nil {
		return e
	}
	if len(l.entries) >= max(l.sweep, few) {
		maps.DeleteFunc(l.entries, func(_ Addressee, e *entry[I, E]) bool {
			return e.sending == 0 && now.Sub(e.last.At) > remembered
		})
		l.sweep = 2 * len(l.entries)
	}
	if l.entries == nil {
		l.entries = make(map[Addressee]*entry[I, E])
	}
	e := new(entry[I, E])
	l.entries[who] = e
	return e
}
