package hiring

import (
	"maps"
	"strings"
	"sync"
	"time"
)

// ledger is whom a client and its variants invite and have invited, so that none
// of their calls has to find it in a listing, which may lag.
type ledger struct {
	mu      sync.Mutex
	entries map[addressee]*ledgerEntry
	sweep   int // With that many entries, the old ones are dropped.
}

// addressee is one address in one assessment.
type addressee struct{ assessment, address string }

func newAddressee(assessmentID, email string) addressee {
	return addressee{strings.ToLower(assessmentID), addressKey(email)}
}

// addressKey is the same for the spellings of one address (assumed: addresses).
func addressKey(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// ledgerEntry is what is known of one addressee.
type ledgerEntry struct {
	last    lastSend
	claimed lastSend      // The last when the address was claimed.
	sending int           // Calls on their way.
	idle    chan struct{} // Closed when none is any more; nil when nobody waits for that.
}

// lastSend is how the last request ended that may have mailed an addressee; zero
// when there was none.
type lastSend struct {
	at         time.Time
	invitation Invitation
	lost       *Error // Instead of the invitation: its outcome is Unknown, or Done without a readable body.
}

func (l lastSend) invited() bool { return !l.at.IsZero() && l.lost == nil }

// ledgerTime is how long a send is remembered at least. Any listing shows it
// much sooner, and a run looks at least once a minute before it sends.
const ledgerTime = time.Hour

// claim keeps other claims of an addressee off until release. When a call is on
// its way there, it returns a channel to wait on instead.
func (l *ledger) claim(who addressee) (last lastSend, busy <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entry(who)
	if e.sending == 0 {
		e.sending, e.claimed = 1, e.last
		return e.last, nil
	}
	if e.idle == nil {
		e.idle = make(chan struct{})
	}
	return lastSend{}, e.idle
}

// join notes a call that does not care about others.
func (l *ledger) join(who addressee) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entry(who).sending++
}

// release ends a claim or a join, and keeps how the call ended: nil when that
// tells nothing.
func (l *ledger) release(who addressee, last *lastSend) {
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
	if e.last.at.IsZero() {
		delete(l.entries, who)
	}
}

// yields tells whether what is known may be replaced. An invitation is never
// forgotten for something less, nor what a later call left open: a claim that
// ends with nothing open has settled only what it found.
func (e *ledgerEntry) yields(last *lastSend) bool {
	switch {
	case last.invited():
		return true
	case e.last.invited():
		return false
	case last.at.IsZero():
		return e.last.at.Equal(e.claimed.at) && e.last.lost == e.claimed.lost
	}
	return !last.at.Before(e.last.at)
}

// invitation returns what was sent to an addressee.
func (l *ledger) invitation(who addressee) (sent Invitation, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[who]
	if e == nil || !e.last.invited() {
		return Invitation{}, false
	}
	return e.last.invitation, true
}

// entry returns that of an addressee. The lock must be held.
func (l *ledger) entry(who addressee) *ledgerEntry {
	if e := l.entries[who]; e != nil {
		return e
	}
	if len(l.entries) >= max(l.sweep, fewEntries) {
		now := time.Now()
		maps.DeleteFunc(l.entries, func(_ addressee, e *ledgerEntry) bool {
			return e.sending == 0 && now.Sub(e.last.at) > ledgerTime
		})
		l.sweep = 2 * len(l.entries)
	}
	if l.entries == nil {
		l.entries = make(map[addressee]*ledgerEntry)
	}
	e := new(ledgerEntry)
	l.entries[who] = e
	return e
}

// fewEntries are kept however old they are.
const fewEntries = 200
