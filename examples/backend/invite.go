package main

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

const (
	maxForm  = 16 << 10
	patience = 5 * time.Second // How long a browser waits for an invitation.
)

// invite sends an invitation and redirects to the candidate's page. If it takes longer, as
// after a lost response, it redirects to a page that says so.
func (a *app) invite(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		a.show(w, r, "problem", page{Answer: failureText{Status: http.StatusBadRequest, Text: "This form cannot be read."}})
		return
	}
	e := a.tasks.begin(r.Context(), hiring.NewInvitation{
		Email: strings.TrimSpace(r.PostForm.Get("email")),
		Name:  strings.TrimSpace(r.PostForm.Get("name")),
	})
	select {
	case <-e.done:
		a.finish(w, r, e)
	case <-time.After(patience):
		http.Redirect(w, r, "/pending/"+e.id, http.StatusSeeOther)
	case <-r.Context().Done(): // The browser has disconnected. The invitation continues.
	}
}

// pending shows an invitation that is on its way. It reads nothing.
func (a *app) pending(w http.ResponseWriter, r *http.Request) {
	e, ok := a.tasks.find(r.PathValue("id"))
	if !ok {
		a.show(w, r, "problem", page{Answer: failureText{
			Status: http.StatusNotFound,
			Text:   "What became of this invitation is not known any more. Invite again: who has an invitation gets no second one.",
		}})
		return
	}
	select {
	case <-e.done:
		a.finish(w, r, e)
	default:
		w.Header().Set("Refresh", "3")
		a.show(w, r, "pending", page{Answer: failureText{Status: http.StatusAccepted}, Form: e.candidate})
	}
}

// finish shows the result of an invitation.
func (a *app) finish(w http.ResponseWriter, r *http.Request, e *inviteTask) {
	if e.err == nil {
		to := "/candidates/" + url.PathEscape(e.invited.Invitation.ID)
		if e.invited.Outcome == hiring.InviteExisting {
			to += "?already"
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	p := page{Answer: answerTo(e.err), Posted: true, Form: e.candidate}
	a.showHome(w, r, p)
}
