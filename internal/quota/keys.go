package quota

import (
	"maps"
	"time"
)

// few keys are kept whatever is known of them. An organization has at most 20.
const few = 64

// of returns what is known of a class. The lock must be held.
func (b *Book) of(key Key, class Class) *knowledge {
	known := b.keys[key]
	if known == nil {
		if b.keys == nil {
			b.keys = make(map[Key]*[2]knowledge)
		}
		known = new([2]knowledge)
		b.keys[key] = known
	}
	return &known[class]
}

// forget drops the keys whose windows have turned and that have nothing on its
// way, so that keys that rotate do not pile up. It looks at all of them only
// when they have doubled. The lock must be held.
func (b *Book) forget(now time.Time) {
	if len(b.keys) < max(few, b.sweep) {
		return
	}
	maps.DeleteFunc(b.keys, func(_ Key, known *[2]knowledge) bool {
		return known[Read].idle(now) && known[Write].idle(now)
	})
	b.sweep = 2 * len(b.keys)
}

func (k *knowledge) idle(now time.Time) bool { return k.inFlight == 0 && !k.turns.After(now) }

// A key that the service has refused MaxRefusals times in a row is tried once in
// a brakePause.
const (
	MaxRefusals = 3
	brakePause  = time.Minute
)

// brake is how often in a row the service called a key invalid.
type brake struct {
	refusals int
	last     time.Time // When it did so, or when the key was tried again since.
}

// wait is how long the key is not to be tried.
func (k brake) wait(now time.Time) time.Duration {
	if k.refusals < MaxRefusals {
		return 0
	}
	return max(0, k.last.Add(brakePause).Sub(now))
}

// tries notes that a key is used, so that of those that wait for its brake one
// alone goes. The lock must be held.
func (b *Book) tries(key Key, now time.Time) {
	if k, ok := b.brakes[key]; ok {
		b.brakes[key] = brake{k.refusals, now}
	}
}

// Judge keeps what a reply of the service says of its key.
func (b *Book) Judge(key Key, invalid bool, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !invalid {
		delete(b.brakes, key)
		return
	}
	k, known := b.brakes[key]
	if !known && len(b.brakes) >= few { // Keys that rotate must not pile up.
		maps.DeleteFunc(b.brakes, func(_ Key, k brake) bool { return now.Sub(k.last) >= Length })
	}
	if b.brakes == nil {
		b.brakes = make(map[Key]brake)
	}
	b.brakes[key] = brake{k.refusals + 1, now}
}
