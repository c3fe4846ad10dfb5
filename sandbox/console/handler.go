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
		switch path := r.URL.Path; {
		case path == homePath && (r.Method == http.MethodGet || r.Method == http.MethodHead) && !wantsJSON(r), strings.HasPrefix(path, consolePath+"/"):
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

type route struct {
	pattern string
	handler http.Handler
}

// routes returns the pages and actions.
func (c *console) routes() []route {
	see := func(path string, view func(r *http.Request) (page, error)) route {
		return route{"GET " + path, c.pageHandler(view)}
	}
	do := func(path string, act func(r *http.Request) (to string, err error)) route {
		return route{"POST " + consolePath + path, c.actionHandler(act)}
	}
	return []route{
		see(homePath+"{$}", c.journal),
		{"GET " + consolePath + "/live/journal", c.liveHandler("journal-live", c.journal)},
		see(consolePath+"/exchanges/{number}", c.exchange),

		see(consolePath+"/pipeline", c.pipeline),
		{"GET " + consolePath + "/live/pipeline", c.liveHandler("pipeline-message", c.pipeline)},
		see(consolePath+"/candidates/{id}", c.candidate),
		do("/candidates/{id}/open", c.open),
		do("/candidates/{id}/begin", c.begin),
		do("/candidates/{id}/submit", c.submit),
		do("/candidates/{id}/evaluate", c.evaluate),
		do("/candidates/{id}/events", c.appendEvents),
		do("/candidates/{id}/revoke", c.revokeInvitation),
		do("/assessments/{id}/close", c.closeAssessment),
		do("/assessments", c.addAssessment),
		do("/invitations", c.invite),

		do("/journal/clear", c.clearJournal),
		do("/exchanges/{number}/send", c.resend),

		see(consolePath+"/trouble", c.controls),
		{"GET " + consolePath + "/live/trouble", c.liveHandler("controls-message", c.controls)},
		do("/faults", c.inject),
		do("/faults/clear", c.clearFaults),
		do("/keys", c.addKey),
		do("/keys/quota", c.setQuota),
		do("/keys/plan", c.setPlan),
		do("/keys/revoke", c.revokeKey),
		do("/throttle", c.setThrottle),
		do("/archives", c.setArchives),
		do("/drift", c.setDrift),
		do("/clock", c.advance),
		do("/reset", c.reset),

		{"GET " + consolePath + "/static/", http.StripPrefix(consolePath, http.FileServerFS(staticFiles))},
		{"/", c.pageHandler(unknownPage)},
	}
}
