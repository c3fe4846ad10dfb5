package console

import (
	"crypto/rand"
	"net/http"
	"strings"

	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/oldpage"
)

// Handler returns the server together with its page at /_sandbox/ and below
// /_sandbox/console/. Any other request goes to the server. From then on the server keeps
// the details of exchanges, as with sandbox.WithDetails.
func Handler(s *sandbox.Server) http.Handler {
	c := &console{server: oldpage.Of(s).(pageServer), token: rand.Text()}
	c.server.KeepDetails()
	mux := c.routes()
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

// routes returns the handler of the pages and actions.
func (c *console) routes() *http.ServeMux {
	mux := http.NewServeMux()
	get := func(path string, view func(r *http.Request) (page, error)) {
		mux.Handle("GET "+path, c.pageHandler(view))
	}
	live := func(name, block string, view func(r *http.Request) (page, error)) {
		mux.Handle("GET "+consolePath+"/live/"+name, c.liveHandler(block, view))
	}
	post := func(path string, action func(r *http.Request) (nextURL string, err error)) {
		mux.Handle("POST "+consolePath+path, c.actionHandler(action))
	}
	get(homePath+"{$}", c.journal)
	live("journal", "journal-live", c.journal)
	get(consolePath+"/exchanges/{number}", c.exchange)

	get(consolePath+"/pipeline", c.pipeline)
	live("pipeline", "pipeline-message", c.pipeline)
	get(consolePath+"/candidates/{id}", c.candidate)
	post("/candidates/{id}/open", c.open)
	post("/candidates/{id}/begin", c.begin)
	post("/candidates/{id}/submit", c.submit)
	post("/candidates/{id}/evaluate", c.evaluate)
	post("/candidates/{id}/events", c.appendEvents)
	post("/candidates/{id}/revoke", c.revokeInvitation)
	post("/assessments/{id}/close", c.closeAssessment)
	post("/assessments", c.addAssessment)
	post("/invitations", c.invite)

	post("/journal/clear", c.clearJournal)
	post("/exchanges/{number}/send", c.resend)

	get(consolePath+"/trouble", c.controls)
	live("trouble", "controls-message", c.controls)
	post("/faults", c.inject)
	post("/faults/clear", c.clearFaults)
	post("/keys", c.addKey)
	post("/keys/quota", c.setQuota)
	post("/keys/plan", c.setPlan)
	post("/keys/revoke", c.revokeKey)
	post("/throttle", c.setThrottle)
	post("/archives", c.setArchives)
	post("/drift", c.setDrift)
	post("/clock", c.advance)
	post("/reset", c.reset)

	mux.Handle("GET "+consolePath+"/static/", http.StripPrefix(consolePath, http.FileServerFS(staticFiles)))
	mux.Handle("/", c.pageHandler(unknownPage))
	return mux
}
