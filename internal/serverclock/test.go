package serverclock

import (
	"sync"
	"time"
)

// Test is the time that a test has added to the clock of its own server. A nil
// Test never moves. It is safe for concurrent use.
type Test struct {
	mu    sync.Mutex
	ahead time.Duration
	last  time.Time     // When the clock moved last, by the local clock.
	moved chan struct{} // Closed when the clock moves next; nil until it is needed.
}

// Advance adds d and ends all waits on [Test.Moved].
func (t *Test) Advance(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ahead += d
	t.last = time.Now()
	if t.moved != nil {
		close(t.moved)
		t.moved = nil
	}
}

// Ahead returns the time that was added so far.
func (t *Test) Ahead() time.Duration {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ahead
}

// Moved returns a channel that is closed at the next Advance. It is nil for a nil
// Test.
func (t *Test) Moved() <-chan struct{} {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.moved == nil {
		t.moved = make(chan struct{})
	}
	return t.moved
}

// movedSince reports whether the clock has moved at or after a local time.
func (t *Test) movedSince(local time.Time) bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.last.IsZero() && !t.last.Before(local)
}

// tests holds each Test by the host and port of its server.
var tests sync.Map

// Register sets the test clock of the server at a host and port of the loopback
// interface.
func Register(host string, t *Test) { tests.Store(host, t) }

// Unregister removes the test clock of a server that was closed.
func Unregister(host string) { tests.Delete(host) }

// Of returns the test clock of the server at a host and port, nil when it has none:
// only a server in the same process that a test has started has one.
func Of(host string) *Test {
	t, _ := tests.Load(host)
	test, _ := t.(*Test)
	return test
}
