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
	c.anyHost = c.server.Watch()
	mux := http.NewServeMux()
	for _, r := range c.routes() {
		mux.Handle(r.pattern, r.handler)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path == home && (r.Method == http.MethodGet || r.Method == http.MethodHead) && !wantsJSON(r), strings.HasPrefix(path, root+"/"):
			c.guarded(mux, w, r)
		case path == strings.TrimSuffix(home, "/") && r.Method == http.MethodGet:
			http.Redirect(w, r, home, http.StatusSeeOther)
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
		return route{"GET " + path, c.see(view)}
	}
	do := func(path string, act func(r *http.Request) (to string, err error)) route {
		return route{"POST " + root + path, c.do(act)}
	}
	return []route{
		see(home+"{$}", c.journal),
		{"GET " + root + "/live/journal", c.follow("journal-live", c.journal)},
		see(root+"/exchanges/{number}", c.exchange),

		see(root+"/pipeline", c.pipeline),
		{"GET " + root + "/live/pipeline", c.follow("pipeline-message", c.pipeline)},
		see(root+"/candidates/{id}", c.candidate),
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
		do("/exchanges/{number}/send", c.sendAgain),

		see(root+"/trouble", c.trouble),
		{"GET " + root + "/live/trouble", c.follow("trouble-message", c.trouble)},
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

		{"GET " + root + "/static/", http.StripPrefix(root, http.FileServerFS(static))},
		{"/", c.see(nowhere)},
	}
}
