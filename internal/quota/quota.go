// Package quota tracks the hourly rate limits of each API key and decides whether a
// request may be sent now, and if not, when.
//
// The caller reports events: a request begins ([Tracker.Enter]) and ends ([Tracker.Leave]), a
// response has rate-limit headers ([Tracker.Learn]), accepts or rejects the key
// ([Tracker.RecordAuthentication]), or throttles the IP address ([Tracker.Block]). The decision is a [Barrier].
// The caller passes the current time of the local clock. Only a window's Reset is by the
// server's clock.
//
// Reads and writes are separate classes, and each key has its own state. A response to a
// request that began after the last update always replaces the state. Responses that
// overlap can arrive in any order: the later window applies, and within one window the
// smaller number of remaining requests.
//
// Two states block more than one class. After too many failed authentications the API
// throttles an IP address for all keys, and no request is sent. To avoid that throttle, a
// key that was rejected [MaxRefusals] times in a row is tried once a minute.
package quota

import (
	"crypto/sha256"
	"maps"
	"math"
	"sync"
	"time"
)

// Key is the hash of an API key.
type Key [sha256.Size]byte

// Class is one of the two rate limits of a key.
type Class int

// The classes.
const (
	Read  Class = iota // GET.
	Write              // POST, PATCH and DELETE.
)

// Window is one hourly rate limit, from a response's headers.
type Window struct {
	Limit     int
	Remaining int
	Reset     time.Time // By the server's clock.
}

const (
	// Length is the length of a window.
	Length = time.Hour

	// Longest is the longest time until Reset that is accepted, so that an invalid header
	// cannot block a class forever. Windows are an hour long (assumed: longest window).
	Longest = 2 * time.Hour

	// rounding is how much later than Reset the Date of a window's last response may be, because
	// both are whole seconds.
	rounding = time.Second

	// CrowdWait is the longest time that a request waits for requests in flight that may
	// use the last of a window. The request is then sent, because the API has not reported
	// that the window is used up.
	CrowdWait = time.Second
)

// documented are the limits assumed until a response shows them.
var documented = [2]int{Read: 1000, Write: 200}

// Tracker is the rate-limit state of all keys. It is safe for concurrent use. The zero value
// is ready to use.
type Tracker struct {
	mu sync.Mutex
	// ticks counts starts of requests and arrivals of responses, which orders them without
	// a clock.
	ticks        uint64
	keys         map[Key]*[2]classState
	sweep        int       // Number of keys at which idle ones are dropped.
	blockedUntil time.Time // No request is sent until then, because the IP address is throttled.
	brakes       map[Key]brake
}

// classState is the state of one class of one key.
type classState struct {
	Window

	lastLimit int // Limit in the last response, also if its window had ended.
	past      pastWindow
	usage     usage     // Of the class Write, for Pace.
	arrived   uint64    // Value of ticks at the last update.
	ends      time.Time // End of the window, by the local clock.
	inFlight  int
	ended     chan struct{} // Closed when a request has ended; nil without waiters.
}

// pastWindow is the state while responses report only windows that have ended by the
// responses' own Date, as from a server whose clocks disagree. A Reset that changes
// still shows that another window has begun.
type pastWindow struct {
	reset time.Time // Reset of the latest window; zero if the last response reported a current window.
	since time.Time // Earliest beginning of that window, by the local clock.
	used  int       // Requests of this client in it.
}

// learn counts a request whose response reported a window that has ended. A window that
// was known before may still last a while, and so may one that should have ended. Both
// are assumed to end after half of their length.
func (p *pastWindow) learn(window, known Window, now time.Time) {
	switch {
	case p.reset.IsZero() && window.Reset.Equal(known.Reset):
		*p = pastWindow{window.Reset, now.Add(-Length / 2), max(0, known.Limit-known.Remaining)}
	case window.Reset.After(p.reset):
		*p = pastWindow{window.Reset, now, 0}
	case now.Sub(p.since) >= Length:
		*p = pastWindow{p.reset, now.Add(-Length / 2), window.Limit}
	}
	p.used++
}

// Reason is why a request is blocked.
type Reason int

// Reasons why a request is blocked.
const (
	Open      Reason = iota // It may be sent.
	Used                    // No requests remain in the window, or only the reserve.
	Crowded                 // Requests in flight may use the remaining ones.
	Throttled               // The IP address has too many failed authentications.
	Braked                  // The API keeps rejecting the key.
)

// Barrier is what blocks a request. Its zero value means that the request may be sent.
type Barrier struct {
	Reason Reason
	Wait   time.Duration // Time until the next call of Enter.
	Window Window        // The window, if Reason is Used or Crowded.
	Freed  chan struct{} // If Reason is Crowded: closed when a request in flight has ended.
}

// Enter decides whether a request may be sent, and if so, records its beginning. reserve
// is the share of each window that stays free for others. With a reserve, requests in
// flight count as used. Without one, all remaining requests are used, and a request waits
// while those in flight may use them up, unless hurry is set. begun is an argument for
// Learn.
func (b *Tracker) Enter(key Key, class Class, reserve float64, hurry bool, now time.Time) (closed Barrier, begun uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if wait := b.brakes[key].wait(now); wait > 0 {
		return Barrier{Reason: Braked, Wait: wait}, 0
	}
	if b.blockedUntil.After(now) {
		return Barrier{Reason: Throttled, Wait: b.blockedUntil.Sub(now)}, 0
	}
	if b.keys[key] == nil {
		b.forget(now)
	}
	k := b.of(key, class)
	if k.ends.After(now) {
		left := k.Remaining - k.inFlight
		switch {
		case k.Remaining == 0, reserve > 0 && left <= k.share(reserve):
			return Barrier{Reason: Used, Wait: k.ends.Sub(now), Window: k.Window}, 0
		case left <= 0 && !hurry:
			if k.ended == nil {
				k.ended = make(chan struct{})
			}
			return Barrier{Reason: Crowded, Wait: CrowdWait, Window: k.Window, Freed: k.ended}, 0
		}
	}
	if tried, ok := b.brakes[key]; ok { // Only one of several waiting requests is sent.
		b.brakes[key] = brake{tried.refusals, now}
	}
	if class == Write {
		k.usage.begin(k.paceReserve(reserve), k.inFlight, now)
	}
	k.inFlight++
	b.ticks++
	return Barrier{}, b.ticks
}

// Leave records the end of a request.
func (b *Tracker) Leave(key Key, class Class, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.of(key, class)
	k.inFlight--
	if class == Write {
		k.usage.ended = now
	}
	if k.ended != nil {
		close(k.ended)
		k.ended = nil
	}
}

// Learn records the rate-limit headers of a response to a request that began at begun.
// left is the time until the window ends, by the server's clock, counted from the
// response's arrival. From a window that has ended, only the Limit is used.
func (b *Tracker) Learn(key Key, class Class, begun uint64, window Window, left time.Duration, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ticks++
	k := b.of(key, class)
	if left <= 0 {
		if begun > k.arrived {
			if lastOfWindow := left >= -rounding && window.Reset.Equal(k.Reset); !k.ends.After(now) && !lastOfWindow {
				k.past.learn(window, k.Window, now)
			}
			k.lastLimit = window.Limit
			if k.Window != (Window{}) {
				k.Limit = window.Limit
			}
		}
		return
	}
	newer := begun > k.arrived ||
		window.Reset.After(k.Reset) ||
		window.Reset.Equal(k.Reset) && window.Remaining < k.Remaining
	if newer {
		k.Window, k.lastLimit, k.arrived, k.past = window, window.Limit, b.ticks, pastWindow{}
		k.ends = now.Add(min(left, Longest))
		if class == Write {
			k.usage.learn(k.Limit, k.Remaining, k.inFlight, k.ends, now)
		}
	}
}

// IsThrottle distinguishes a 429 for too many failed authentications from a 429 for a
// class that is used up (assumed: look of a throttle). The former counts as neither read
// nor write and does not show the rate limits. Until a response has shown the limit of the
// class, any limit may be that of the class, because a key may have other limits than the
// documented ones.
func (b *Tracker) IsThrottle(key Key, class Class, window Window) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := b.of(key, class).lastLimit
	return window.Remaining != 0 || known != 0 && window.Limit != known
}

// Block blocks all requests, with any key, until the given time.
func (b *Tracker) Block(until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if until.After(b.blockedUntil) {
		b.blockedUntil = until
	}
}

// Known returns the last window of a key's class, or the zero Window before the first
// response.
func (b *Tracker) Known(key Key, class Class) Window {
	b.mu.Lock()
	defer b.mu.Unlock()
	if known := b.keys[key]; known != nil {
		return known[class].Window
	}
	return Window{}
}

// Left returns the limit and the remaining requests of the current window of a class, and
// the time until the window ends. Without a current window it returns those of a new one.
// While responses report only windows that have ended, Left counts this client's requests.
func (b *Tracker) Left(key Key, class Class, now time.Time) (limit, remaining int, ends time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.of(key, class)
	limit = k.limit(class)
	if k.ends.After(now) {
		return limit, k.Remaining - k.inFlight, k.ends.Sub(now)
	}
	if ends := k.past.since.Add(Length).Sub(now); !k.past.reset.IsZero() && ends > 0 {
		return limit, max(0, limit-k.past.used-k.inFlight), ends
	}
	return limit, limit, Length
}

// Pace returns the delay before the next write of a long run. The run leaves a tenth of
// each window to others, or more if reserve is larger. wholly reports whether the delay
// lasts until the next window.
func (b *Tracker) Pace(key Key, reserve float64, now time.Time) (wait time.Duration, wholly bool, window Window) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.of(key, Write)
	wait, wholly = k.usage.wait(k.paceReserve(reserve), k.inFlight, now)
	return wait, wholly, k.Window
}

// limit returns the last limit that the API sent, or the documented one.
func (k *classState) limit(class Class) int {
	if k.lastLimit == 0 {
		return documented[class]
	}
	return k.lastLimit
}

// paceReserve returns how many requests of a window a long run leaves to others.
func (k *classState) paceReserve(reserve float64) int { return max(k.Limit/10, k.share(reserve)) }

// share returns a fraction of the limit, rounded up.
func (k *classState) share(fraction float64) int { return int(math.Ceil(fraction * float64(k.Limit))) }

// minSweep is the number of keys below which no key is dropped. An organization has at
// most 20 active keys.
const minSweep = 64

// of returns the state of a class. The lock must be held.
func (b *Tracker) of(key Key, class Class) *classState {
	known := b.keys[key]
	if known == nil {
		if b.keys == nil {
			b.keys = make(map[Key]*[2]classState)
		}
		known = new([2]classState)
		b.keys[key] = known
	}
	return &known[class]
}

// forget drops the keys whose windows have ended and that have no requests in flight, so
// that rotated keys do not accumulate. It runs when the number of keys has doubled since
// the last time. The lock must be held.
func (b *Tracker) forget(now time.Time) {
	if len(b.keys) < max(minSweep, b.sweep) {
		return
	}
	maps.DeleteFunc(b.keys, func(_ Key, known *[2]classState) bool {
		return known[Read].idle(now) && known[Write].idle(now)
	})
	b.sweep = 2 * len(b.keys)
}

func (k *classState) idle(now time.Time) bool { return k.inFlight == 0 && !k.ends.After(now) }

// After MaxRefusals consecutive 401 responses a key is tried once per brakePause.
const (
	MaxRefusals = 3
	brakePause  = time.Minute
)

// brake counts the consecutive responses that called a key invalid.
type brake struct {
	refusals int
	last     time.Time // Time of the last such response, or of the last request since.
}

// wait returns how long no request with the key may be sent.
func (k brake) wait(now time.Time) time.Duration {
	if k.refusals < MaxRefusals {
		return 0
	}
	return max(0, k.last.Add(brakePause).Sub(now))
}

// RecordAuthentication records whether a response called the key invalid.
func (b *Tracker) RecordAuthentication(key Key, invalid bool, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !invalid {
		delete(b.brakes, key)
		return
	}
	k, known := b.brakes[key]
	if !known && len(b.brakes) >= minSweep { // Rotated keys must not accumulate.
		maps.DeleteFunc(b.brakes, func(_ Key, k brake) bool { return now.Sub(k.last) >= Length })
	}
	if b.brakes == nil {
		b.brakes = make(map[Key]brake)
	}
	b.brakes[key] = brake{k.refusals + 1, now}
}
