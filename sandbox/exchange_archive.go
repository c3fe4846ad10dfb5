package sandbox

import (
	"net/http"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/doors"
)

// archiveRoute is that of the links to archives. They are not below /api/v1,
// but faults and the journal know them all the same.
var archiveRoute = newRoute("Archive", "GET /_archive/{id}", nil)

// exchangeArchive is exchange for a link to an archive.
func (s *Server) exchangeArchive(w http.ResponseWriter, r *http.Request, id string) {
	c := &call{s: s, request: r, at: s.now(), route: &archiveRoute, params: []string{id}}
	f := s.arriveArchive(c)
	out := http.ResponseWriter(&noted{w, c})
	if f == nil {
		s.serveArchive(out, r, id)
		return
	}
	if !doors.Wait(r.Context(), f.Delay) || f.loses() || f.CutAfter != 0 && r.Method == http.MethodHead {
		doors.Lose(w)
		return
	}
	if f.CutAfter != 0 {
		out = doors.Cut(out, f.CutAfter)
	}
	if !f.replaces() {
		s.serveArchive(out, r, id)
		return
	}
	// Storage has no envelope.
	plain := reply{status: f.status(), body: []byte(f.Body)}
	if !f.raw() && plain.status >= http.StatusBadRequest {
		plain.body = []byte(http.StatusText(plain.status) + "\n")
	}
	c.at = s.now()
	f.writeRaw(out, c, f.withRetryAfter(plain))
}

func (s *Server) arriveArchive(c *call) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(c.at)
	c.entry = c.newEntry()
	s.journal.add(c.entry)
	return s.faultFor(c)
}

// noted tells the journal the status of a reply that is not made under the lock.
type noted struct {
	http.ResponseWriter

	c *call
}

func (w *noted) WriteHeader(status int) {
	w.c.s.answered(w.c, status)
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *noted) Unwrap() http.ResponseWriter { return w.ResponseWriter }
