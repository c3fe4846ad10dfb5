package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/archives"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/wire"
)

// exchangeArchive is exchange for a link to an archive.
func (s *Server) exchangeArchive(ctx context.Context, w http.ResponseWriter, c *call, id string) {
	r := c.request
	c.route, c.params = &archiveRoute, []string{id}
	f := s.arriveArchive(c)
	out := http.ResponseWriter(&noted{w, s, c})
	if f == nil {
		s.serveArchive(out, r, id)
		return
	}
	if !wire.Wait(ctx, f.Delay) || f.loses() || f.CutAfter != 0 && r.Method == http.MethodHead {
		wire.Lose(w)
		return
	}
	if f.CutAfter != 0 {
		out = wire.Cut(out, f.CutAfter)
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
	c.entry = newEntry(c)
	s.journal.add(c.entry)
	return s.met(c)
}

// noted tells the journal the status of a response that is not made under the lock.
type noted struct {
	http.ResponseWriter

	s *Server
	c *call
}

func (w *noted) WriteHeader(status int) {
	w.s.answered(w.c, status)
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *noted) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// serveArchive answers a link. It is storage and not the API: it asks for no
// key, counts against nothing and has no envelope.
func (s *Server) serveArchive(w http.ResponseWriter, r *http.Request, id string) {
	now := s.now()
	w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		plainly(w, http.StatusMethodNotAllowed, "Archives can only be read.")
		return
	}
	query := r.URL.Query()
	expires, ok := archives.ValidLink(id, query.Get("expires"), query.Get("signature"))
	if !ok {
		plainly(w, http.StatusForbidden, "The signature is not valid.")
		return
	}
	if now.UnixMilli() >= expires {
		plainly(w, http.StatusForbidden, "The link has expired.")
		return
	}
	modified, found, available := s.archived(id)
	if !available {
		plainly(w, http.StatusServiceUnavailable, "Storage is not available.")
		return
	}
	if !found {
		plainly(w, http.StatusNotFound, "There is no such archive.")
		return
	}
	content := archives.Zip(id, modified)
	sum := sha256.Sum256(content)
	w.Header().Set("Etag", `"`+hex.EncodeToString(sum[:16])+`"`)
	w.Header().Set("Content-Type", "application/zip")
	http.ServeContent(w, r, "", modified, bytes.NewReader(content))
}

func (s *Server) archived(id string) (modified time.Time, found, available bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, found := s.live.HandedIn(canonical(id))
	return at.Time(), found, !s.storage.gone
}
