package main

import (
	"html/template"
	"log/slog"
	"net/http"

	hiring "github.com/hiring-assessment/hiring-go"
)

// app is what answers requests.
type app struct {
	client     *hiring.Client
	assessment string
	log        *slog.Logger
}

func newApp(client *hiring.Client, assessment string, log *slog.Logger) *app {
	return &app{client: client, assessment: assessment, log: log}
}

func (a *app) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", a.form)
	mux.HandleFunc("POST /invitations", a.invite)
	return http.NewCrossOriginProtection().Handler(mux)
}

var page = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><title>Candidates</title>
<form method="post" action="/invitations">
<label>Name <input name="name" required></label>
<label>Email <input name="email" type="email" required></label>
<button>Invite</button>
</form>
{{range .}}<p>{{.CandidateName}}: {{.Status}}</p>{{end}}
`))

func (a *app) form(w http.ResponseWriter, r *http.Request) {
	invitations, err := a.client.Invitations.List(a.assessment).Collect(r.Context())
	if err != nil {
		http.Error(w, "The list cannot be shown now.", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	if err := page.Execute(w, invitations); err != nil {
		a.log.Warn("a page was not written", "error", err)
	}
}

func (a *app) invite(w http.ResponseWriter, r *http.Request) {
	candidate := hiring.NewInvitation{Email: r.PostFormValue("email"), Name: r.PostFormValue("name")}
	if _, err := a.client.Invitations.Ensure(r.Context(), a.assessment, candidate); err != nil {
		http.Error(w, "The invitation was not sent.", http.StatusServiceUnavailable)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
