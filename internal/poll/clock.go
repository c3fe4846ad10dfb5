package poll

import "time"

// Caller is a time by the caller's clock, which may begin anew in each process.
type Caller time.Duration

// Local is a time by the machine's clock. 0 means none. Only clock, and the functions that make a
// machine, convert it from the caller's clock or into a time of the server.
type Local time.Duration

// Server is a time by the server's clock, since 1970. 0 means none.
type Server time.Duration

// Add returns the time d later.
func (t Local) Add(d time.Duration) Local { return t + Local(d) }

// Sub returns the time from u to t.
func (t Local) Sub(u Local) time.Duration { return time.Duration(t - u) }

// Add returns the time d later.
func (t Server) Add(d time.Duration) Server { return t + Server(d) }

// clock is the machine's clock. It begins with the server's time and then runs by the caller's
// clock, so that a server's clock that is set delays no request.
type clock struct {
	Now   Local         `json:"clock"` // Never goes back.
	Ahead time.Duration `json:"ahead"` // How much the server's clock is ahead.

	caller  Caller // The time of the caller's clock at Now.
	resumed bool   // No reply has come since Resume: the time between the save and the load is not known yet.
}

// advance moves the clock on by what has passed on the caller's.
func (c *clock) advance(caller Caller) {
	c.Now += Local(max(0, caller-c.caller))
	c.caller = caller
}

// synchronise sets the clock by a reply. The first one after Resume shows how much time passed
// since the save, which synchronise returns.
func (c *clock) synchronise(r Reply) (passed Local) {
	c.advance(r.At)
	if c.resumed {
		c.resumed = false
		passed = max(0, Local(r.Server.Add(-c.Ahead))-c.Now)
		c.Now += passed
	}
	c.Ahead = time.Duration(r.Server) - time.Duration(c.Now)
	return passed
}

// server returns the present time by the server's clock.
func (c *clock) server() Server { return c.serverAt(c.Now) }

// serverAt returns the server's time at a time of the machine's clock.
func (c *clock) serverAt(at Local) Server { return Server(at.Add(c.Ahead)) }
