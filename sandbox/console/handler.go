package console

import (
	"crypto/rand"
	"net/http"
	"strings"

	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/server"
)

// Handler returns the server together with its page at /_sandbox/ and below
// /_sandbox/console/. Any other request goes to the server. From then on the server keeps
// the details of exchanges, as with sandbox.WithDetails.
func Handler(s *sandbox.Server) http.Handler {
	c := &console{server: (*server.Server)(s), token: rand.Text()}
	c.server.KeepDetails()
	mux := http.NewServeMux()
	for _, r := range c.routes() {
		mux.Handle(r.pattern, r.handler)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		isHome := path == homePath && (r.Method == http.MethodGet || r.Method == http.MethodHead) && !wantsJSON(r)
		switch {
		case isHome || strings.HasPrefix(path, consolePath+"/"):
			c.guard(mux, w, r)
		case path == strings.TrimSuffix(homePath, "/") && r.Method == http.MethodGet:
			http.Redirect(w, r, homePath, http.StatusSeeOther)
		default:
			s.ServeHTTP(w, r)
		}
	})
}

// wantsJSON reports whether a request to the home page is for the index of the
// control API.
func wantsJSON(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/html")
}

// route is a pattern of http.ServeMux and its handler.
type route struct {
	pattern string
	handler http.Handler
}

// routes returns the pages and actions.
func (c *console) routes() []route {
	get := func(path string, view func(r *http.Request) (page, error)) route {
		return route{"GET " + path, c.pageHandler(view)}
	}
	post := func(path string, action func(r *http.Request) (nextURL string, err error)) route {
		return route{"POST " + consolePath + path, c.actionHandler(action)}
	}
	return []route{
		get(homePath+"{$}", c.journal),
		{"GET " + consolePath + "/live/journal", c.liveHandler("journal-live", c.journal)},
		get(consolePath+"/exchanges/{number}", c.exchange),

		get(consolePath+"/pipeline", c.pipeline),
		{"GET " + consolePath + "/live/pipeline", c.liveHandler("pipeline-message", c.pipeline)},
		get(consolePath+"/candidates/{id}", c.candidate),
		post("/candidates/{id}/open", c.open),
		post("/candidates/{id}/begin", c.begin),
		post("/candidates/{id}/submit", c.submit),
		post("/candidates/{id}/evaluate", c.evaluate),
		post("/candidates/{id}/events", c.appendEvents),
		post("/candidates/{id}/revoke", c.revokeInvitation),
		post("/assessments/{id}/close", c.closeAssessment),
		post("/assessments", c.addAssessment),
		post("/invitations", c.invite),

		post("/journal/clear", c.clearJournal),
		post("/exchanges/{number}/send", c.resend),

		get(consolePath+"/trouble", c.controls),
		{"GET " + consolePath + "/live/trouble", c.liveHandler("controls-message", c.controls)},
		post("/faults", c.inject),
		post("/faults/clear", c.clearFaults),
		post("/keys", c.addKey),
		post("/keys/quota", c.setQuota),
		post("/keys/plan", c.setPlan),
		post("/keys/revoke", c.revokeKey),
		post("/throttle", c.setThrottle),
		post("/archives", c.setArchives),
		post("/drift", c.setDrift),
		post("/clock", c.advance),
		post("/reset", c.reset),

		{"GET " + consolePath + "/static/", http.StripPrefix(consolePath, http.FileServerFS(staticFiles))},
		{"/", c.pageHandler(unknownPage)},
	}
}
