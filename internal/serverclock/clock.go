// Package serverclock estimates a server's clock from the Date headers of its
// responses.
package serverclock

import (
	"sync/atomic"
	"time"
)

// Clock is the estimated clock of a server. The zero value agrees with the local
// clock. It is safe for concurrent use.
//
// With a [Test] clock, the local time is that of Now: a test that advances its
// server's clock advances the local time by as much.
type Clock struct {
	// MaxSkew is the largest difference to the local clock that Learn accepts. 0 means
	// any difference, as long as the Date is between 1990 and 2200.
	MaxSkew time.Duration

	ahead atomic.Int64 // Of the server's clock without the test clock.
	test  *Test        // Nil for every server but one of a test.
}

// Follow sets the test clock. It must be called before any other method.
func (c *Clock) Follow(t *Test) { c.test = t }

// Now returns the local time.
func (c *Clock) Now() time.Time { return time.Now().Add(c.test.Ahead()) }

// Moved returns a channel that is closed when a test advances the clock; nil
// without a test clock.
func (c *Clock) Moved() <-chan struct{} { return c.test.Moved() }

// Learn takes the Date of a response to a request that was sent and received at
// times of time.Now. Date headers have whole seconds, so that Learn changes the
// estimate only when the clocks differ by more.
func (c *Clock) Learn(date, sent, received time.Time) {
	if c.test.movedSince(sent) {
		return // Date may be of before or after the move.
	}
	date = date.Add(-c.test.Ahead())
	skew, at := date.Sub(received), c.Server(received)
	switch {
	case date.Year() < 1990 || date.Year() > 2200:
	case c.MaxSkew > 0 && skew.Abs() > c.MaxSkew:
	case at.Before(date), at.After(date.Add(time.Second + received.Sub(sent))):
		c.ahead.Store(int64(skew))
	}
}

// Server returns the server's time at a local time.
func (c *Clock) Server(local time.Time) time.Time { return local.Add(time.Duration(c.ahead.Load())) }

// Local returns the local time at a time of the server.
func (c *Clock) Local(server time.Time) time.Time { return server.Add(-time.Duration(c.ahead.Load())) }
