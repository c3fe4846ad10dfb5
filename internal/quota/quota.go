// Package quota keeps what the service said of each key's hourly quotas, and
// decides by it whether one more request may go, and if not, until when.
//
// Facts go in: a request begins ([Book.Enter]) and ends ([Book.Leave]), its reply
// says what is left ([Book.Learn]), what it thinks of the key ([Book.Judge]), or
// that the address is throttled ([Book.Hold]). What comes out is a [Barrier].
// Time goes in as well: by the local clock, but for a window's Reset, which is the
// service's.
//
// Reads and writes are counted apart, and so is each key. A reply to a request
// that began after the present knowledge arrived always wins; replies that
// overlap may arrive in any order, so that of them the later window holds, and
// within one the smaller remainder.
//
// Two things close more than a class. The service throttles an address, for every
// key on it, after too many failed authentications: then nothing goes. So that it
// does not come to that, a key that the service has called invalid a few times in
// a row is tried once a minute only.
package quota

import (
	"crypto/sha256"
	"math"
	"sync"
	"time"
)

// Key stands for a key, whose hash it is.
type Key [sha256.Size]byte

// Class is one of the two quotas that a key has.
type Class int

// The classes.
const (
	Read  Class = iota // GET.
	Write              // POST, PATCH and DELETE.
)

// Window is one hourly quota as a reply told it.
type Window struct {
	Limit     int
	Remaining int
	Reset     time.Time // By the server's clock.
}

const (
	// Length is how long a quota lasts.
	Length = time.Hour

	// Longest bounds what a reply's Reset is believed, so that no nonsense can close
	// a class for good. Windows are an hour (assumed: longest window).
	Longest = 2 * time.Hour

	// CrowdWait is how long a request waits for those that may take the last of a
	// quota. Then it goes all the same, since the service has not said that nothing
	// is left.
	CrowdWait = time.Second
)

// documented are taken for a class's limit until a reply has told it.
var documented = [2]int{Read: 1000, Write: 200}

// Book is what is known of all keys. It may be used by many goroutines at once.
// The zero value knows nothing.
type Book struct {
	mu sync.Mutex
	// ticks counts beginnings of requests and arrivals of replies, and so
	// orders them without a clock.
	ticks  uint64
	keys   map[Key]*[2]knowledge
	sweep  int       // With that many keys, those that nothing is known of any more are dropped.
	held   time.Time // Until then nothing is sent: the address is throttled.
	brakes map[Key]brake
}

// knowledge is what is known of one class of one key.
type knowledge struct {
	Window

	told     int // The Limit of the last response, also of one whose window had ended.
	ended    ended
	usage    usage
	arrived  uint64
	turns    time.Time // When the window ends, by the local clock.
	inFlight int
	news     chan struct{} // Closed when a request has ended; nil when nobody waits for that.
}

// ended is what is known when responses tell only of windows that have ended by
// their own Date, such as at a server whose clocks disagree. A Reset that changes still
// shows that another window has begun.
type ended struct {
	reset time.Time // Of the latest window; zero: the last response told of a present one.
	since time.Time // When it began at the earliest, by the local clock.
	used  int       // Requests of this client in it.
}

// learn counts a request whose response told of a window that has ended. A window that
// was known before may go on for a while, and so may one that was expected to be over:
// both are taken to end after half their length.
func (e *ended) learn(said, known Window, now time.Time) {
	switch {
	case e.reset.IsZero() && said.Reset.Equal(known.Reset):
		*e = ended{said.Reset, now.Add(-Length / 2), max(0, known.Limit-known.Remaining)}
	case said.Reset.After(e.reset):
		*e = ended{said.Reset, now, 0}
	case now.Sub(e.since) >= Length:
		*e = ended{e.reset, now.Add(-Length / 2), said.Limit}
	}
	e.used++
}

// Reason is why a request may not go.
type Reason int

// The reasons.
const (
	Open      Reason = iota // It may.
	Used                    // The window has nothing left, or nothing but what is reserved to others.
	Crowded                 // Requests on their way may take what is left.
	Throttled               // Too many failed authentications came from the address.
	Braked                  // The service keeps calling the key invalid.
)

// Barrier is what keeps a request from being sent.
type Barrier struct {
	Reason Reason
	Wait   time.Duration // Until it may be asked for again.
	Said   Window        // Of the class, when that is why.
	News   chan struct{} // When it is crowded: closed as soon as one of the others has ended.
}

// Enter returns what a request must wait for before it may be sent, and begins it
// when that is nothing. reserve is the share of each window that it leaves to
// others; with one, the requests on their way count. Without one, what the service
// said is left is used up, but requests that begin together do not overdraw it,
// unless one is in a hurry. begun is for Learn.
func (b *Book) Enter(key Key, class Class, reserve float64, hurry bool, now time.Time) (closed Barrier, begun uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if wait := b.brakes[key].wait(now); wait > 0 {
		return Barrier{Reason: Braked, Wait: wait}, 0
	}
	if b.held.After(now) {
		return Barrier{Reason: Throttled, Wait: b.held.Sub(now)}, 0
	}
	if b.keys[key] == nil {
		b.forget(now)
	}
	k := b.of(key, class)
	if k.turns.After(now) {
		left := k.Remaining - k.inFlight
		switch {
		case k.Remaining == 0, reserve > 0 && left <= k.share(reserve):
			return Barrier{Reason: Used, Wait: k.turns.Sub(now), Said: k.Window}, 0
		case left <= 0 && !hurry:
			if k.news == nil {
				k.news = make(chan struct{})
			}
			return Barrier{Reason: Crowded, Wait: CrowdWait, Said: k.Window, News: k.news}, 0
		}
	}
	b.tries(key, now)
	k.inFlight++
	k.usage.begin()
	b.ticks++
	return Barrier{}, b.ticks
}

// Leave takes a request that has ended off the way.
func (b *Book) Leave(key Key, class Class) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.of(key, class)
	k.inFlight--
	if k.news != nil {
		close(k.news)
		k.news = nil
	}
}

// Learn keeps what a response says to a request that began at begun. left is how
// long the window still lasts, by the server's clock: it counts from the response's
// arrival. A window that has ended says nothing about the present one: only its
// Limit counts.
func (b *Book) Learn(key Key, class Class, begun uint64, said Window, left time.Duration, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ticks++
	k := b.of(key, class)
	if left <= 0 {
		if begun > k.arrived {
			if !k.turns.After(now) {
				k.ended.learn(said, k.Window, now)
			}
			k.told = said.Limit
			if k.Window != (Window{}) {
				k.Limit = said.Limit
			}
		}
		return
	}
	newer := begun > k.arrived ||
		said.Reset.After(k.Reset) ||
		said.Reset.Equal(k.Reset) && said.Remaining < k.Remaining
	if newer {
		k.Window, k.told, k.arrived, k.ended = said, said.Limit, b.ticks, ended{}
		k.turns = now.Add(min(left, Longest))
		k.usage.learn(k.Limit, k.Remaining, k.inFlight, k.turns, now)
	}
}

// IsThrottle tells a 429 for too many failed authentications from one that says
// that a class is used up (assumed: look of a throttle). The former counts neither
// reads nor writes, and says nothing about the quotas.
func (b *Book) IsThrottle(key Key, class Class, said Window) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return said.Remaining != 0 || said.Limit != b.of(key, class).limit(class)
}

// Hold keeps every request back: a throttle is for the address, whatever the key.
func (b *Book) Hold(until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if until.After(b.held) {
		b.held = until
	}
}

// Known returns what the service last said of a key's class; zero when it said
// nothing yet.
func (b *Book) Known(key Key, class Class) Window {
	b.mu.Lock()
	defer b.mu.Unlock()
	if known := b.keys[key]; known != nil {
		return known[class].Window
	}
	return Window{}
}

// Left returns how many requests the present window, or else a new one, still has
// for a class, and how long it lasts. When responses tell only of windows that have
// ended, the requests of this client are counted.
func (b *Book) Left(key Key, class Class, now time.Time) (limit, remaining int, ends time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.of(key, class)
	limit = k.limit(class)
	if k.turns.After(now) {
		return limit, k.Remaining - k.inFlight, k.turns.Sub(now)
	}
	if ends := k.ended.since.Add(Length).Sub(now); !k.ended.reset.IsZero() && ends > 0 {
		return limit, max(0, limit-k.ended.used-k.inFlight), ends
	}
	return limit, limit, Length
}

// Pace returns how long the next write of a long run waits, that leaves a tenth
// of each window to others, or more where reserve asks for more; wholly is true
// when that is until the next window.
func (b *Book) Pace(key Key, reserve float64, now time.Time) (wait time.Duration, wholly bool, said Window) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.of(key, Write)
	wait, wholly = k.usage.wait(max(k.Limit/10, k.share(reserve)), k.inFlight, now)
	return wait, wholly, k.Window
}

// limit is that of the class, as far as it is known.
func (k *knowledge) limit(class Class) int {
	if k.told == 0 {
		return documented[class]
	}
	return k.told
}

// share is a fraction of each window, in requests.
func (k *knowledge) share(fraction float64) int { return int(math.Ceil(fraction * float64(k.Limit))) }
