package console

import (
	"net/http"
	"strings"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

const (
	homePath   = "/_sandbox/"
	staticPath = "/_sandbox/console/static/"
)

// pagePaths are the paths at which the page is served. Its script shows the view of the
// path.
var pagePaths = map[string]bool{
	"/": true, "/_sandbox": true, homePath: true,
	"/_sandbox/console/pipeline": true, "/_sandbox/console/faults": true, "/_sandbox/console/keys": true,
}

// policy is the Content-Security-Policy. It prevents injected scripts, requests to other
// servers, and HTML made of texts: lit-html's policy is for its constant templates.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; " +
	"base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html"

// Handler returns the server together with its page at /, at /_sandbox/ for clients that
// ask for HTML, and below /_sandbox/console/. Any other request goes to the server.
func Handler(s *sandbox.Server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := fileFor(r)
		switch {
		case !ok:
			s.ServeHTTP(w, r)
		case isAdmitted(s, w, r):
			setSecurityHeaders(w.Header())
			file.serve(w, r)
		}
	})
}

// isAdmitted reports whether the server's control API accepts a request. If not, it sends
// the server's refusal. The page has no guard of its own, because two could differ. A link
// on another site opens the page in a window of its own, where that site cannot read it:
// frame-ancestors forbids frames, and the control API refuses requests of other origins.
func isAdmitted(s *sandbox.Server, w http.ResponseWriter, r *http.Request) bool {
	probe := r.Clone(r.Context())
	probe.URL.Path, probe.URL.RawQuery = unknownPath, ""
	if h := r.Header; r.Method == http.MethodGet && h.Get("Sec-Fetch-Mode") == "navigate" && h.Get("Sec-Fetch-Dest") == "document" {
		probe.Header.Del("Sec-Fetch-Site")
	}
	response := &probeWriter{ResponseWriter: w}
	s.ServeHTTP(response, probe)
	return response.admitted
}

// unknownPath is a path that the control API does not have. Its response is a 404, unless
// the control API refuses the request.
const unknownPath = "/_sandbox/console/"

// probeWriter drops a 404 and passes on any other response.
type probeWriter struct {
	http.ResponseWriter

	admitted bool
}

func (w *probeWriter) WriteHeader(status int) {
	w.admitted = status == http.StatusNotFound
	if !w.admitted {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *probeWriter) Write(p []byte) (int, error) {
	if w.admitted {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// fileFor returns the file that a request is for, and false for requests to the server.
func fileFor(r *http.Request) (file, bool) {
	path := r.URL.Path
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return file{}, false
	}
	all, hash := static()
	if name, ok := strings.CutPrefix(path, staticPath+hash+"/"); ok {
		f, ok := all[name]
		return f, ok
	}
	// Programs get the index of the control API at its path.
	isIndex := strings.TrimSuffix(path, "/") == "/_sandbox" && !strings.Contains(r.Header.Get("Accept"), "text/html")
	return all[pageName], pagePaths[path] && !isIndex
}

func setSecurityHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}
