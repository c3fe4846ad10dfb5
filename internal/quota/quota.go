// Package quota keeps the last state of the hourly rate limits of each API key, and decides
// whether a request may be sent now.
//
// Reads and writes are separate classes, and each key has its own state. A class is closed
// while no requests of its window remain, and after a 429. A key that the API refused
// [MaxRefusals] times in a row is closed too, because repeated failed authentications throttle
// the address for every key behind it. The caller passes the local time; only a window's Reset
// is by the server's clock.
package quota

import (
	"cmp"
	"crypto/sha256"
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
	Reset     time.Time // The end of the window, by the server's clock.
}

// UntilReset returns the time from the Date of the window's response to the end of the window. It
// is an hour without a Date (zero), and also when Reset is not within the hour after Date, because
// then one of the two is wrong. Date has whole seconds, so a window of an hour can seem a second
// longer.
func (w Window) UntilReset(date time.Time) time.Duration {
	left := w.Reset.Sub(date)
	if left < 0 || left > Length+time.Second {
		return Length
	}
	return left
}

const (
	// Length is the length of a window (assumed: longest window).
	Length = time.Hour

	// Longest is the longest time for which a 429 closes a class, so that an invalid header
	// cannot close it forever.
	Longest = 2 * time.Hour

	// MaxRefusals is the number of consecutive 401 responses after which a key is tried once per
	// refusedPause.
	MaxRefusals  = 3
	refusedPause = time.Minute
)

// documentedLimits are the limits assumed until a response shows them.
var documentedLimits = [2]int{Read: 1000, Write: 200}

// Tracker is the state of all keys. It is safe for concurrent use. The zero value is ready to
// use.
type Tracker struct {
	mu   sync.Mutex
	keys map[Key]*keyState
}

type keyState struct {
	classes  [2]classState
	refusals int       // Consecutive 401 responses.
	tried    time.Time // Time of the last request.
}

// classState is the last state of a class. Its times are by the local clock.
type classState struct {
	Window

	ends   time.Time // End of the window, or of what a later 429 requested.
	closed time.Time // End of what the last 429 requested.
}

// Barrier is why a request may not be sent now. The zero value means that it may be sent.
type Barrier struct {
	Wait       time.Duration // Until the request may be sent.
	Window     Window        // The last window of the class.
	Asked      bool          // A 429 asked for the wait, not the window.
	KeyRefused bool          // The API refused the key several times in a row.
}

// Admit returns why a request may not be sent now. For one that may, it records the time: of a key
// that the API refuses, one request a minute is tried. reserve is the share of each window that
// stays free for others.
func (t *Tracker) Admit(key Key, class Class, reserve float64, now time.Time) Barrier {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.of(key)
	if wait := k.tried.Add(refusedPause).Sub(now); k.refusals >= MaxRefusals && wait > 0 {
		return Barrier{Wait: wait, KeyRefused: true}
	}
	c := &k.classes[class]
	until, asked := c.closed, true
	if c.Remaining <= kept(reserve, c.Limit) && c.ends.After(until) {
		until, asked = c.ends, false
	}
	if wait := until.Sub(now); wait > 0 {
		return Barrier{Wait: wait, Window: c.Window, Asked: asked}
	}
	k.tried = now // Of several requests with a refused key, only the first is sent.
	return Barrier{}
}

// kept returns how many requests of a window stay free for others.
func kept(reserve float64, limit int) int { return int(math.Ceil(reserve * float64(limit))) }

// Update records the rate limit of a response with a Date, zero if it has none. Of two responses
// of one window the one with fewer remaining requests applies, otherwise the one of the later
// window.
func (t *Tracker) Update(key Key, class Class, window Window, date, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := &t.of(key).classes[class]
	if !c.ends.After(now) || window.Reset.After(c.Reset) || window.Reset.Equal(c.Reset) && window.Remaining < c.Remaining {
		c.Window, c.ends = window, now.Add(window.UntilReset(date))
	}
}

// Close closes a class for the delay that a 429 requests, whatever its window says.
func (t *Tracker) Close(key Key, class Class, delay time.Duration, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := &t.of(key).classes[class]
	c.closed = now.Add(min(delay, Longest))
	c.ends = c.closed
}

// Authenticated records whether the API accepted the key of a request.
func (t *Tracker) Authenticated(key Key, accepted bool, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.of(key)
	k.refusals++
	k.tried = now
	if accepted {
		k.refusals = 0
	}
}

// Known returns the last window of a class, the zero Window before the first response.
func (t *Tracker) Known(key Key, class Class) Window {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k := t.keys[key]; k != nil {
		return k.classes[class].Window
	}
	return Window{}
}

// Left returns the limit and the remaining requests of the current window of a class, less what stays
// free for others, and the time until it ends. Without a current window it returns those of a new one.
func (t *Tracker) Left(key Key, class Class, reserve float64, now time.Time) (limit, remaining int, ends time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.of(key).classes[class]
	limit = cmp.Or(c.Limit, documentedLimits[class])
	remaining, ends = limit, Length
	switch {
	case c.closed.After(now):
		remaining, ends = 0, c.closed.Sub(now)
	case c.ends.After(now):
		remaining, ends = c.Remaining, c.ends.Sub(now)
	}
	others := kept(reserve, limit)
	return limit - others, remaining - others, ends
}

// of returns the state of a key. The lock must be held.
func (t *Tracker) of(key Key) *keyState {
	if t.keys == nil {
		t.keys = make(map[Key]*keyState)
	}
	if t.keys[key] == nil {
		t.keys[key] = new(keyState)
	}
	return t.keys[key]
}
