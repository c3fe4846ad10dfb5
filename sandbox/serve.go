package sandbox

import (
	"net/http"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/wire"
)

// ServeHTTP responds to one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path+"/", controlPath) {
		s.serveControl(w, r)
		return
	}
	c := s.newCall(r)
	s.mu.Lock()
	detailed := s.settings.Details
	s.mu.Unlock()
	if detailed {
		kept := &wire.CopyWriter{ResponseWriter: w, Limit: DetailResponse}
		defer s.recordEnd(c, kept, time.Now())
		c.detail, w = newDetail(r), kept
	}
	c.readBody(w)
	s.exchange(r.Context(), w, c)
}

// recordEnd records the end of an exchange with details, also after a panic.
func (s *Server) recordEnd(c *call, kept *wire.CopyWriter, began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := c.detail
	before := d.size()
	d.Ended, d.RequestID, d.Took = true, c.requestID, time.Since(began)
	d.ResponseHeader, d.Response, d.ResponseSize = kept.Sent, kept.Body, kept.Size
	d.Limit, d.Remaining = c.quota.limit, c.quota.remaining
	if c.entry == nil {
		return
	}
	if c.entry.Status == http.StatusTooManyRequests && d.Fault == nil {
		_, allowed := s.throttle.allows(remoteHost(c.request.RemoteAddr), c.at)
		d.Throttled = !allowed
	}
	if s.journal.has(c.entry) && c.entry.Detail != nil {
		s.journal.addDetailBytes(d.size() - before)
	}
	s.touch(c.entry)
}
