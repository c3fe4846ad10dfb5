package quota

import (
	"maps"
	"time"
)

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
