package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

//go:embed static
var embedded embed.FS

const consolePath = "/_sandbox/console"

// file is a file of the page.
type file struct {
	plain, zipped []byte
	kind, tag     string
}

// files are the files of the page by their paths, and its script, which is all modules in one.
var files = sync.OnceValue(func() map[string]file {
	all := make(map[string]file)
	add := func(name, kind string, plain []byte) {
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		_, _ = w.Write(plain) // A buffer accepts everything.
		_ = w.Close()
		all[consolePath+"/static/"+name] = file{plain, zipped.Bytes(), kind + "; charset=utf-8", fmt.Sprintf(`"%x"`, sha256.Sum256(plain))}
	}
	for name, kind := range map[string]string{"index.html": "text/html", "console.css": "text/css", "icon.svg": "image/svg+xml"} {
		plain, _ := embedded.ReadFile("static/" + name) // They are embedded.
		add(name, kind, plain)
	}
	add("script.js", "text/javascript", joinModules("console.js"))
	all["/favicon.ico"] = all[consolePath+"/static/icon.svg"]
	return all
})

// serve sends a file. A browser that has it gets a 304.
func (f file) serve(w http.ResponseWriter, r *http.Request) {
	h, content := w.Header(), f.plain
	h.Set("Cache-Control", "no-cache") // Another version of the program may have other files.
	h.Set("Vary", "Accept, Accept-Encoding")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Type", f.kind)
	h.Set("Etag", f.tag)
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		content = f.zipped
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// policy is the Content-Security-Policy. It prevents injected scripts, requests to other
// servers, and HTML made of texts: lit-html's policy is for its constant templates.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; " +
	"base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html"

// Handler returns the server together with its page at / and /console/, at /_sandbox/ for clients that
// ask for HTML, and at and below /_sandbox/console, and with its icon at /favicon.ico. Any
// other request goes to the server.
func Handler(s *sandbox.Server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, isFile := files()[r.URL.Path]
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead || !isFile && !isPage(r):
			s.ServeHTTP(w, r)
		case !isAdmitted(s, w, r):
		case isFile:
			found.serve(w, r)
		default:
			files()[consolePath+"/static/index.html"].serve(w, r)
		}
	})
}

// isAdmitted reports whether the server's control API accepts a request. If not, it sends
// the server's refusal. The page has no guard of its own, because two could differ. A link
// on another site opens the page in a window of its own, where that site cannot read it:
// frame-ancestors forbids frames, and the control API refuses requests of other origins.
func isAdmitted(s *sandbox.Server, w http.ResponseWriter, r *http.Request) bool {
	probe := r.Clone(r.Context())
	// The control API does not have this path: it responds with a 404, unless it refuses the request.
	probe.URL.Path, probe.URL.RawQuery = consolePath+"/", ""
	if h := r.Header; r.Method == http.MethodGet && h.Get("Sec-Fetch-Mode") == "navigate" && h.Get("Sec-Fetch-Dest") == "document" {
		probe.Header.Del("Sec-Fetch-Site")
	}
	response := httptest.NewRecorder()
	if s.ServeHTTP(response, probe); response.Code == http.StatusNotFound {
		return true
	}
	maps.Copy(w.Header(), response.Header())
	w.WriteHeader(response.Code)
	_, _ = response.Body.WriteTo(w)
	return false
}

// isPage reports whether a path is that of the page. Its script shows the view of the path, or that there is no such view.
// Programs get the index of the control API at its path.
func isPage(r *http.Request) bool {
	switch path := strings.TrimSuffix(r.URL.Path, "/"); path {
	case "", consolePath, "/console":
		return true
	case "/_sandbox":
		return strings.Contains(r.Header.Get("Accept"), "text/html")
	default:
		return strings.HasPrefix(path, consolePath+"/") && !strings.HasPrefix(path, consolePath+"/static/")
	}
}
