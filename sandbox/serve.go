package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/wire"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// ServeHTTP responds to one request of the API, unless a fault changes or prevents the
// response, and to requests of the control API.
func (s *Server) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if strings.HasPrefix(request.URL.Path+"/", controlPath) {
		s.serveControl(w, request)
		return
	}
	c := &call{server: s, request: request, at: s.now(), began: time.Now()}
	c.readBody(w)
	c.entry.Entry, c.entry.FromPage = newEntry(request, c.body, c.at), request.Header.Get("X-Sandbox-Page") != ""
	c.entry.Agent = c.entry.Header.Get("User-Agent")
	r, f := s.receive(c)
	if f == nil {
		r.writeTo(w, c, r.size(c))
		return
	}
	if !wire.Wait(request.Context(), f.Delay, nil) || f.dropsResponse() {
		c.withhold(r)
		s.end(c, nil, 0)
		wire.Drop(w)
		return
	}
	r = s.respondWithFault(c, f, r)
	size := r.size(c)
	if f.CutAfter != 0 {
		c.withhold(r)
		if size == 0 {
			s.end(c, nil, 0)
			wire.Drop(w)
			return
		}
		size = min(max(f.CutAfter, 0), size-1)
	}
	s.end(c, &r, size)
	r.writeTo(w, c, size)
}

// receive begins the entry of a call and responds to it, unless its fault acts before the work.
func (s *Server) receive(c *call) (r response, f *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.drift = s.drift()
	if id, ok := strings.CutPrefix(c.request.URL.Path, archivePath); ok {
		c.route, c.params = archiveRoute, []string{id}
	} else {
		s.requests++
		c.requestID = fmt.Sprintf("req_%016x", s.requests)
		c.route, c.params, c.allow = match(s.routes, basePath, c.request.Method, c.request.URL.EscapedPath())
	}
	if key := s.keys[bearer(c.request)]; key != nil {
		c.entry.Organization, c.entry.Subject = &key.Organization, c.subject(s.worldOf(key, c.at))
	}
	if acting := s.faults.match(c); acting != nil {
		f, c.entry.FaultID = &acting.Fault, acting.id
		s.notify(topicFaults)
	}
	c.begin(f)
	switch {
	case f == nil:
		r = s.respond(c)
		c.end(&r, r.size(c))
	case f.After:
		r = s.respond(c)
	}
	return r, f
}

// respondWithFault returns the response of a call with a fault. r is the response of work
// that was done already.
func (s *Server) respondWithFault(c *call, f *Fault, r response) response {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	c.drift = s.drift()
	if !f.After {
		c.at = now
		if !f.replacesResponse() {
			r = s.respond(c)
		}
	}
	if f.replacesResponse() {
		if !f.After && c.route != archiveRoute {
			c.quota = s.quotaOf(s.keys[bearer(c.request)], classOf(c.request.Method), c.at)
		}
		c.withhold(r)
		r = f.response(c)
	}
	return r
}

// withhold keeps the response of work that was done, which the client does not receive as such. It keeps
// the first one, and none for a request whose work was not done.
func (c *call) withhold(r response) {
	if r.status != 0 && c.entry.Withheld == nil && c.route != archiveRoute {
		c.entry.Withheld = &withheldJSON{r.status, []byte(hideKeys(string(r.body[:min(len(r.body), maxResponse)]))), r.error}
	}
}

// begin completes the journal's entry of a call that was received. One with a fault is in
// the journal before its end, because the fault may delay it.
func (c *call) begin(f *Fault) {
	e, token := &c.entry, bearer(c.request)
	e.RequestID, e.KeyID, e.Fault = c.requestID, keyID(token), f
	if c.route != nil {
		e.Route = c.route.template
	}
	if f != nil {
		c.put(*e)
	}
}

// put stores the exchange of a call.
func (c *call) put(e exchange) {
	e.revision = c.server.revise()
	c.server.journal.put(&e)
	c.entry.Number, c.entry.Repeats = e.Number, e.Repeats
}

// end records the end of a call with its response, or without one for nil. size is the number
// of bytes of the body that are sent. end is called before the response is sent, so that a
// client that has the response finds it in the journal. The lock must be held.
func (c *call) end(r *response, size int) {
	e := c.entry
	e.Ended, e.Took, e.Throttled = true, time.Since(c.began), c.throttled
	e.Limit, e.Remaining = c.quota.limit, c.quota.remaining
	if r != nil {
		e.Status, e.ResponseHeader, e.ResponseSize, e.ResponseCut = r.status, r.header(c), size, size > maxResponse
		e.Response, e.Error = []byte(hideKeys(string(r.body[:min(size, maxResponse)]))), r.error
	}
	c.put(e)
	if e.FromPage && e.changedLive() {
		by := &control{Server: c.server, now: c.at}
		by.recordAction("Sent again", "as #"+strconv.Itoa(c.entry.Number), "")
	}
}

// end is like the method of call, without the lock.
func (s *Server) end(c *call, r *response, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.end(r, size)
}

// maxSubject is the number of bytes of a subject.
const maxSubject = 200

// subject returns whom or what a request concerns: the address or the name in its body, or
// what the ids in its path and query belong to.
func (c *call) subject(in *world.Organization) string {
	var text string
	if len(c.body) > 0 {
		object := c.members(new(problems))
		for _, name := range []string{"name", c.server.config.dialect.InvitationEmail} {
			_ = json.Unmarshal(object[name], &text) // A member that is missing or no text changes nothing.
		}
	}
	ids := append([]string{canonicalID(c.request.URL.Query().Get("assessment_id"))}, c.params...)
	for i := len(ids) - 1; i >= 0 && text == ""; i-- {
		text = in.Subject(ids[i])
	}
	return hideKeys(strings.ToValidUTF8(text[:min(len(text), maxSubject)], ""))
}
