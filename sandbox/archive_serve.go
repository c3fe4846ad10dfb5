package sandbox

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

// exchangeArchive is like exchange, for a link to an archive.
func (s *Server) exchangeArchive(ctx context.Context, w http.ResponseWriter, c *call, id string) {
	r := c.request
	c.route, c.params = archiveRoute, []string{id}
	f := s.receiveArchive(c)
	out := http.ResponseWriter(&statusRecorder{ResponseWriter: w, server: s, call: c})
	if f == nil {
		s.serveArchive(out, r, id)
		return
	}
	if !wire.Wait(ctx, f.Delay) || f.dropsResponse() || f.CutAfter != 0 && r.Method == http.MethodHead {
		wire.Drop(w)
		return
	}
	if f.CutAfter != 0 {
		out = wire.Cut(out, f.CutAfter)
	}
	if !f.replacesResponse() {
		s.serveArchive(out, r, id)
		return
	}
	// Storage has no envelope.
	plain := response{status: f.status(), body: []byte(f.Body)}
	if !f.isRaw() && plain.status >= http.StatusBadRequest {
		plain.body = []byte(http.StatusText(plain.status) + "\n")
	}
	c.at = s.now()
	f.writeRaw(out, c, f.withRetryAfter(plain))
}

// receiveArchive records a request for an archive and returns its fault, or nil.
func (s *Server) receiveArchive(c *call) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.processDue(c.at)
	s.record(c)
	return s.matchFault(c)
}

// statusRecorder records the status of a response that is written without the lock.
type statusRecorder struct {
	http.ResponseWriter

	server *Server
	call   *call
}

func (w *statusRecorder) WriteHeader(status int) {
	w.server.setStatus(w.call, status)
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is called by http.ResponseController.
func (w *statusRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// serveArchive responds to an archive link as storage does: without a key, rate limit or
// envelope.
func (s *Server) serveArchive(w http.ResponseWriter, r *http.Request, id string) {
	now := s.now()
	w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		writePlainError(w, http.StatusMethodNotAllowed, "Archives can only be read.")
		return
	}
	query := r.URL.Query()
	expires, ok := archives.ValidLink(id, query.Get("expires"), query.Get("signature"))
	if !ok {
		writePlainError(w, http.StatusForbidden, "The signature is not valid.")
		return
	}
	if now.UnixMilli() >= expires {
		writePlainError(w, http.StatusForbidden, "The link has expired.")
		return
	}
	modified, found, available := s.archiveState(id)
	if !available {
		writePlainError(w, http.StatusServiceUnavailable, "Storage is not available.")
		return
	}
	if !found {
		writePlainError(w, http.StatusNotFound, "There is no such archive.")
		return
	}
	content := archives.Zip(id, modified)
	sum := sha256.Sum256(content)
	w.Header().Set("Etag", `"`+hex.EncodeToString(sum[:16])+`"`)
	w.Header().Set("Content-Type", "application/zip")
	http.ServeContent(w, r, "", modified, bytes.NewReader(content))
}

// archiveState returns when the archive of a submission was stored, whether there is one,
// and whether storage is available.
func (s *Server) archiveState(id string) (modified time.Time, found, available bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, found := s.live.SubmittedAt(canonicalID(id))
	return at.Time(), found, s.settings.ArchivesAvailable
}
