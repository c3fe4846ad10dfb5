// Package serverclock estimates a server's clock from the Date headers of its
// responses.
package serverclock

import (
	"sync/atomic"
	"time"
)

// maxSkew is longer than any difference that time zones and corrections of a clock cause.
const maxSkew = 36 * time.Hour

// Clock is the estimated clock of a server. The zero value agrees with the local
// clock. It is safe for concurrent use.
//
// With a [Test] clock, the local time is that of Now: a test that advances its
// server's clock advances the local time by as much.
type Clock struct {
	ahead  atomic.Int64 // Of the server's clock without the test clock, by the last Date that a time zone explains.
	latest atomic.Int64 // The same by the last Date.
	test   *Test        // Nil for every server but one of a test.
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
	if c.test.movedSince(sent) || date.Year() < 1990 || date.Year() > 2200 {
		return // After a move, Date may be of before or after it.
	}
	date = date.Add(-c.test.Ahead())
	skew := date.Sub(received)
	learn := func(ahead *atomic.Int64) {
		at := received.Add(time.Duration(ahead.Load()))
		if at.Before(date) || at.After(date.Add(time.Second+received.Sub(sent))) {
			ahead.Store(int64(skew))
		}
	}
	learn(&c.latest)
	if skew.Abs() <= maxSkew {
		learn(&c.ahead)
	}
}

// Server returns the server's time at a local time. A Date that no time zone explains does
// not count: it would make a recorded time useless.
func (c *Clock) Server(local time.Time) time.Time { return local.Add(time.Duration(c.ahead.Load())) }

// Local returns the local time at a time of Server.
func (c *Clock) Local(server time.Time) time.Time { return server.Add(-time.Duration(c.ahead.Load())) }

// Latest returns the server's time at a local time by the last Date, however far that is from
// the local clock.
func (c *Clock) Latest(local time.Time) time.Time { return local.Add(time.Duration(c.latest.Load())) }
