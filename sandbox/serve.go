package sandbox

import (
	"net/http"
	"strings"
)

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, controlPath) {
		serveControl(s, w, r)
		return
	}
	if id, ok := strings.CutPrefix(r.URL.Path, archivePath); ok {
		s.exchangeArchive(w, r, id)
		return
	}
	c := s.newCall(r)
	c.readBody()
	s.exchange(r.Context(), w, c)
}
