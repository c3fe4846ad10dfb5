// Package serverclock estimates a server's clock from the Date headers of its
// responses.
package serverclock

import (
	"sync/atomic"
	"time"
)

// absurd is a difference between two clocks that neither a time zone nor a late
// correction explains. A Date header that far off says nothing.
const absurd = 36 * time.Hour

// Clock is the estimated clock of a server. The zero value agrees with the local
// clock. It is safe for concurrent use.
type Clock struct{ ahead atomic.Int64 }

// Learn takes the Date of a response to a request that was sent and answered at
// local times. Date headers have whole seconds, so that Learn changes the estimate
// only when the clocks differ by more.
func (c *Clock) Learn(date, sent, received time.Time) {
	ahead := time.Duration(c.ahead.Load())
	switch skew := date.Sub(received); {
	case skew.Abs() > absurd:
	case received.Add(ahead).Before(date), received.Add(ahead).After(date.Add(time.Second + received.Sub(sent))):
		c.ahead.Store(int64(skew))
	}
}

// Server returns the server's time at a local time.
func (c *Clock) Server(local time.Time) time.Time { return local.Add(time.Duration(c.ahead.Load())) }

// Local returns the local time at a time of the server.
func (c *Clock) Local(server time.Time) time.Time { return server.Add(-time.Duration(c.ahead.Load())) }
