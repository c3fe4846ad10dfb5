package hiring

import (
	"maps"
	"sync"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
)

// lastRequest is the last request that may have sent an e-mail to an address. The zero value
// means that there was none.
type lastRequest struct {
	at         time.Time   // When it ended.
	invitation *Invitation // That it sent. Nil while that is not known.
	unclear    *Error      // Not nil if the e-mail may have been sent: OutcomeUnknown, or OutcomeDone without a readable body.
}

// processed reports whether the API has certainly processed the request.
func (r lastRequest) processed() bool {
	return r.invitation != nil || r.unclear != nil && r.unclear.Outcome == OutcomeDone
}

// requestMemory is what a client and its variants know of their requests to addresses. It has
// what no listing may show yet: what was sent a moment ago, what may have been sent, and which
// address a call is inviting now. An [inviteCheckpoint] saves it. It is safe for concurrent use.
// The zero value is empty.
type requestMemory struct {
	mu      sync.Mutex
	entries map[string]*rememberedAddress // By the Key of the addressee.
	sweep   int                           // The number of entries at which old ones are dropped.
}

// rememberedAddress is the state of one address.
type rememberedAddress struct {
	assessment string
	last       lastRequest
	calls      int           // In flight.
	idle       chan struct{} // Closed when no call is in flight; nil without waiters.
}

const (
	// remembered is how long an invitation that was sent is remembered at least. Any listing shows
	// it much sooner, and a run updates its listing each minute before it sends.
	remembered = time.Hour

	// rememberedUnclear is the same for a request that may have sent an e-mail. A run may reach the
	// address hours later, and looks it up then.
	rememberedUnclear = 24 * time.Hour

	// keptSent is how long a checkpoint keeps an address after its invitation was sent: a
	// listing may show it that late.
	keptSent = time.Minute

	// minSweep is the number of entries below which none is dropped.
	minSweep = 200
)

// claim excludes other claims of an address until release, and returns the last request to
// the address. When a call for the address is in flight, claim returns a channel instead
// that is closed when there is none.
func (m *requestMemory) claim(to inviting.Addressee, now time.Time) (last lastRequest, busy <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.entry(to, now)
	if e.calls == 0 {
		e.calls = 1
		return e.last, nil
	}
	if e.idle == nil {
		e.idle = make(chan struct{})
	}
	return lastRequest{}, e.idle
}

// enter begins a call that does not exclude others.
func (m *requestMemory) enter(to inviting.Addressee, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entry(to, now).calls++
}

// release ends a claim or an enter.
func (m *requestMemory) release(to inviting.Addressee) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.entries[to.Key]
	e.calls--
	if e.calls > 0 {
		return
	}
	if e.idle != nil {
		close(e.idle)
		e.idle = nil
	}
	if e.last == (lastRequest{}) {
		delete(m.entries, to.Key)
	}
}

// record records a request. A request that was processed is only replaced by an invitation,
// and any other by a later request.
func (m *requestMemory) record(to inviting.Addressee, request lastRequest, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.entry(to, now)
	if request.invitation != nil || !e.last.processed() && !request.at.Before(e.last.at) {
		e.last = request
	}
}

// settle drops a request to a claimed address that certainly sent no e-mail, unless another
// call has made one since.
func (m *requestMemory) settle(to inviting.Addressee, request lastRequest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.entries[to.Key]; e.last == request {
		e.last = lastRequest{}
	}
}

// last returns the last request to an address.
func (m *requestMemory) last(to inviting.Addressee) lastRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.entries[to.Key]; e != nil {
		return e.last
	}
	return lastRequest{}
}

// unsettled returns the Keys of an assessment's addresses whose invitation a listing may not
// show yet, each with the end of its last request.
func (m *requestMemory) unsettled(assessment string, now time.Time) map[string]time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	ends := make(map[string]time.Time)
	for key, e := range m.entries {
		if e.assessment == assessment && (e.last.unclear != nil || e.last.invitation != nil && now.Sub(e.last.at) < keptSent) {
			ends[key] = e.last.at
		}
	}
	return ends
}

// entry returns the entry of an address. The lock must be held.
func (m *requestMemory) entry(to inviting.Addressee, now time.Time) *rememberedAddress {
	if e := m.entries[to.Key]; e != nil {
		return e
	}
	if len(m.entries) >= max(m.sweep, minSweep) {
		maps.DeleteFunc(m.entries, func(_ string, e *rememberedAddress) bool {
			age := remembered
			if e.last.unclear != nil {
				age = rememberedUnclear
			}
			return e.calls == 0 && now.Sub(e.last.at) > age
		})
		m.sweep = 2 * len(m.entries)
	}
	if m.entries == nil {
		m.entries = make(map[string]*rememberedAddress)
	}
	e := &rememberedAddress{assessment: to.Assessment}
	m.entries[to.Key] = e
	return e
}
