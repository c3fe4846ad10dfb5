package server

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/wire"
)

// exchange answers a call, unless a fault has it otherwise.
func (s *Server) exchange(ctx context.Context, w http.ResponseWriter, c *call) {
	r, f := s.arrive(c)
	if f == nil {
		r.writeTo(w, c)
		return
	}
	if !wire.Wait(ctx, f.Delay) || f.loses() {
		wire.Lose(w)
		return
	}
	r = s.faulty(c, f, r)
	if f.CutAfter != 0 {
		if r.body == nil || c.request.Method == http.MethodHead {
			s.answered(c, 0)
			wire.Lose(w)
			return
		}
		w = wire.Cut(w, f.CutAfter)
	}
	if f.raw() {
		f.writeRaw(w, c, r)
		return
	}
	r.writeTo(w, c)
}

// arrive does all that happens to a call at once: what is due before it, and
// its own work unless a fault puts that off.
func (s *Server) arrive(c *call) (r reply, f *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(c.at)
	s.requests++
	c.drift = s.drift
	c.requestID = fmt.Sprintf("req_%016x", s.requests)
	c.route, c.params, c.allow = match(s.routes, c.request.Method, c.request.URL.EscapedPath())
	c.entry = newEntry(c)
	s.journal.add(c.entry)
	switch f = s.met(c); {
	case f == nil:
		r = s.answer(c)
		c.entry.Status = r.status
	case f.Late > 0:
		s.postpone(c, c.at.Add(f.Late))
	case f.After:
		r = s.answer(c)
	}
	return r, f
}

// met is the fault that acts on a call, or nil.
func (s *Server) met(c *call) *Fault {
	f := s.faults.meet(c.route, c.request.Method, c.params, bearer(c.request))
	if c.detail != nil {
		c.detail.Fault = f
		s.notify()
	}
	return f
}

// postpone keeps a call to be judged later. It is a copy: the call itself goes
// on to its fault.
func (s *Server) postpone(c *call, due time.Time) {
	late := *c
	late.at = due
	at := len(s.late)
	for at > 0 && s.late[at-1].at.After(due) {
		at--
	}
	s.late = slices.Insert(s.late, at, &late)
}

// catchUp does the work of late calls that is due.
func (s *Server) catchUp(now time.Time) {
	for len(s.late) > 0 && !s.late[0].at.After(now) {
		c := s.late[0]
		s.late = s.late[1:]
		s.answer(c)
	}
}

// faulty returns what is answered under a fault, given the response of a service
// that has done its work.
func (s *Server) faulty(c *call, f *Fault, r reply) reply {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	c.drift = s.drift
	if !f.After && f.Late == 0 {
		c.at = now
		s.catchUp(now)
		if !f.replaces() {
			r = s.answer(c)
		}
	}
	if f.replaces() {
		if !f.After || f.Late > 0 {
			c.quota = s.quotaOf(c)
		}
		r = f.reply(c)
	}
	c.entry.Status = r.status
	return r
}

func (s *Server) answered(c *call, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.entry.Status = status
}

// quotaOf is what a response to the call says of the quota when it does not count.
func (s *Server) quotaOf(c *call) quota {
	class := classOf(c.request.Method)
	limit := s.config.limit(class)
	key := s.keys[bearer(c.request)]
	if key == nil {
		return quota{limit: limit, remaining: limit, reset: windowEnd(c.at)}
	}
	w := key.window(class)
	w.open(c.at, limit)
	return quota{limit: limit, remaining: w.remaining, reset: w.reset}
}

// newCall is a request that nothing was done for.
func (s *Server) newCall(r *http.Request) *call {
	return &call{config: &s.config, live: &s.live, storage: &s.storage, request: r, at: s.now()}
}

// newEntry is what the journal keeps of a call that has arrived.
func newEntry(c *call) *Entry {
	e := &Entry{
		Method: c.request.Method, Path: c.request.URL.EscapedPath(), Query: c.request.URL.RawQuery,
		Key: bearer(c.request), At: c.at, Detail: c.detail,
	}
	if c.route != nil {
		e.Route = c.route.template
	}
	if classOf(e.Method) == ClassWrite {
		e.Body = bytes.Clone(c.body) // reading left it with room to grow
	}
	return e
}
