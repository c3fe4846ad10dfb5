package main

import (
	"context"
	_ "embed" // for the page
	"errors"
	"html/template"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

const (
	patience = 5 * time.Second // How long a browser waits.
	deadline = 3 * time.Minute // Of an invitation: Ensure looks for it a minute after a lost response, then sends it again.
)

//go:embed page.html
var text string

var pages = template.Must(template.New("").Parse(text))

// app responds to browsers.
type app struct {
	client     *hiring.Client
	assessment string
	sending    sync.WaitGroup // Invitations that are being sent, also after their browser has left.
}

// page is what the template shows.
type page struct {
	Notice    string
	Candidate hiring.NewInvitation
	Problems  map[string][]string // By the names of API fields.
}

// invite sends an invitation. It continues when the browser leaves, because a cancelled request has an unknown outcome.
// A form that is submitted twice sends one e-mail: Ensure waits for an earlier call for the address and finds its
// invitation.
func (a *app) invite(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	candidate := hiring.NewInvitation{Email: strings.TrimSpace(r.PostFormValue("email")), Name: strings.TrimSpace(r.PostFormValue("name"))}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), deadline)
	var invited hiring.InviteResult
	var err error
	done := make(chan struct{})
	a.sending.Go(func() {
		defer close(done)
		defer cancel()
		invited, err = a.client.Invitations.Ensure(ctx, a.assessment, candidate)
	})
	select {
	case <-done:
		respond(w, invited, err)
	case <-time.After(patience):
		show(w, http.StatusAccepted, page{Candidate: candidate, Notice: "The invitation is being sent. Submit the form again in a minute to see the result."})
	case <-r.Context().Done():
	}
}

// respond shows the result of an invitation. The client's log has the error.
func respond(w http.ResponseWriter, invited hiring.InviteResult, err error) {
	p, status := page{Candidate: invited.Candidate, Problems: hiring.FieldErrors(err)}, http.StatusOK
	switch {
	case invited.Outcome == hiring.InviteSent:
		p.Notice = "The invitation was sent."
	case invited.Outcome == hiring.InviteExisting:
		p.Notice = "The candidate has an invitation already. No e-mail was sent."
	case invited.Outcome == hiring.InviteUnknown:
		status, p.Notice = http.StatusAccepted, "It is not certain yet whether the invitation was sent. Submit the form again: the candidate gets one e-mail."
	case errors.Is(err, hiring.ErrInvalidInput):
		status, p.Notice = http.StatusBadRequest, "The form was not accepted."
	case errors.Is(err, hiring.ErrPlanLimitReached):
		status, p.Notice = http.StatusPaymentRequired, "The plan has no invitations left in this period."
	case errors.Is(err, hiring.ErrConflict):
		status, p.Notice = http.StatusConflict, "The assessment does not allow this now. Is it closed?"
	case errors.Is(err, hiring.ErrRateLimited):
		status, p.Notice = http.StatusServiceUnavailable, "Too many requests were made in this hour."
	case hiring.IsTransient(err), errors.Is(err, context.DeadlineExceeded):
		status, p.Notice = http.StatusServiceUnavailable, "The assessment service cannot be reached. Nothing was sent."
	default:
		status, p.Notice = http.StatusInternalServerError, "Something is wrong on our side. It was logged."
	}
	if status == http.StatusServiceUnavailable {
		retry := 30 * time.Second
		if failure, ok := errors.AsType[*hiring.Error](err); ok && failure.RetryAfter > 0 {
			retry = failure.RetryAfter
		}
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(retry.Seconds()))))
	}
	show(w, status, p)
}

func show(w http.ResponseWriter, status int, p page) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store") // The page contains names and addresses.
	w.WriteHeader(status)
	_ = pages.Execute(w, p) // The browser may have left.
}
