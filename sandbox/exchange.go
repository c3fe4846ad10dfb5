package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/wire"
)

// exchange responds to a call, unless a fault changes or prevents the response.
func (s *Server) exchange(ctx context.Context, w http.ResponseWriter, c *call) {
	r, f := s.receive(c)
	if f == nil {
		r.writeTo(w, c)
		return
	}
	if !wire.Wait(ctx, f.Delay) || f.dropsResponse() {
		wire.Drop(w)
		return
	}
	r = s.respondWithFault(c, f, r)
	if f.CutAfter != 0 {
		if r.body == nil || c.request.Method == http.MethodHead {
			s.setStatus(c, 0)
			wire.Drop(w)
			return
		}
		w = wire.Cut(w, f.CutAfter)
	}
	r.writeTo(w, c)
}

// receive records a call and responds to it, unless its fault delays the work. Late calls
// that are due are processed before.
func (s *Server) receive(c *call) (r response, f *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.processDue(c.at)
	c.drift = s.settings.drift()
	if id, ok := strings.CutPrefix(c.request.URL.Path, archivePath); ok {
		c.route, c.params = archiveRoute, []string{id}
	} else {
		s.requests++
		c.requestID = fmt.Sprintf("req_%016x", s.requests)
		c.route, c.params, c.allow = match(s.routes, c.request.Method, c.request.URL.EscapedPath())
	}
	s.record(c)
	switch f = s.matchFault(c); {
	case f == nil:
		r = s.respond(c)
		c.entry.Status = r.status
	case f.Late > 0:
		s.postpone(c, c.at.Add(f.Late))
	case f.After:
		r = s.respond(c)
	}
	return r, f
}

// matchFault returns the fault of a call, or nil.
func (s *Server) matchFault(c *call) *Fault {
	token := bearer(c.request)
	f := s.faults.match(c.route, c.request.Method, c.params, token, s.keys[token])
	if f != nil {
		s.notify("faults")
	}
	if c.detail != nil {
		c.detail.Fault = f
	}
	return f
}

// postpone schedules the work of a call for later. It stores a copy, because the call
// itself continues with its fault.
func (s *Server) postpone(c *call, due time.Time) {
	late := *c
	late.at = due
	at := len(s.lateCalls)
	for at > 0 && s.lateCalls[at-1].at.After(due) {
		at--
	}
	s.lateCalls = slices.Insert(s.lateCalls, at, &late)
}

// processDue does the work of late calls that are due.
func (s *Server) processDue(now time.Time) {
	for len(s.lateCalls) > 0 && !s.lateCalls[0].at.After(now) {
		c := s.lateCalls[0]
		s.lateCalls = s.lateCalls[1:]
		s.respond(c)
	}
}

// respondWithFault returns the response of a call with a fault. r is the response of work
// that was done already.
func (s *Server) respondWithFault(c *call, f *Fault, r response) response {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	c.drift = s.settings.drift()
	if !f.After && f.Late == 0 {
		c.at = now
		s.processDue(now)
		if !f.replacesResponse() {
			r = s.respond(c)
		}
	}
	if f.replacesResponse() {
		if (!f.After || f.Late > 0) && c.route != archiveRoute {
			c.quota = s.currentQuota(c)
		}
		r = f.response(c)
	}
	c.entry.Status = r.status
	return r
}

// setStatus sets the status of a call in the journal.
func (s *Server) setStatus(c *call, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.entry.Status = status
}

// currentQuota returns the rate limit of a call without counting the call.
func (s *Server) currentQuota(c *call) quota {
	class := classOf(c.request.Method)
	limit := s.settings.limit(class)
	key := s.keys[bearer(c.request)]
	if key == nil {
		return quota{limit: limit, remaining: limit, reset: windowEnd(c.at)}
	}
	w := key.window(class)
	w.open(c.at, limit)
	return quota{limit: limit, remaining: w.remaining, reset: w.reset}
}

// newCall returns a call whose body has not been read.
func (s *Server) newCall(r *http.Request) *call { return &call{server: s, request: r, at: s.now()} }

// record adds a call that was received to the journal.
func (s *Server) record(c *call) {
	e := &record{Entry: Entry{
		Method: c.request.Method, Path: c.request.URL.EscapedPath(), Query: c.request.URL.RawQuery,
		Key: bearer(c.request), At: c.at, Detail: c.detail,
	}}
	if c.route != nil {
		e.Route = c.route.template
	}
	if classOf(e.Method) == ClassWrite {
		e.Body = bytes.Clone(c.body) // The buffer of the body has spare capacity.
	}
	if key := s.keys[e.Key]; key != nil {
		e.organization = &key.Organization
	}
	c.entry = e
	s.journal.add(e)
	if number, ok := c.request.Context().Value(sentAgain{}).(*int); ok {
		*number = e.number
	}
	s.touch(e)
}

// sentAgain is the key of a context's *int that receives the number of an exchange.
type sentAgain struct{}
