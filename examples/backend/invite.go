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

func (a *app) form(w http.ResponseWriter, _ *http.Request) { show(w, http.StatusOK, page{}) }

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
	p := page{Candidate: invited.Candidate}
	switch invited.Outcome {
	case hiring.InviteSent:
		p.Notice = "The invitation was sent."
	case hiring.InviteExisting:
		p.Notice = "The candidate has an invitation already. No e-mail was sent."
	case hiring.InviteUnknown:
		p.Notice = "It is not certain yet whether the invitation was sent. Submit the form again: the candidate gets one e-mail."
		show(w, http.StatusAccepted, p)
		return
	}
	status := http.StatusOK
	if err != nil {
		var retry time.Duration
		status, p.Notice, retry = explain(err)
		p.Problems = hiring.FieldErrors(err)
		if retry > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(retry.Seconds()))))
		}
	}
	show(w, status, p)
}

// explain returns what a browser sees of an error after which no invitation was sent.
func explain(err error) (status int, notice string, retry time.Duration) {
	retry = 30 * time.Second
	if failure, ok := errors.AsType[*hiring.Error](err); ok && failure.RetryAfter > 0 {
		retry = failure.RetryAfter
	}
	switch {
	case errors.Is(err, hiring.ErrInvalidInput):
		return http.StatusBadRequest, "The form was not accepted.", 0
	case errors.Is(err, hiring.ErrPlanLimitReached):
		return http.StatusPaymentRequired, "The plan has no invitations left in this period.", 0
	case errors.Is(err, hiring.ErrConflict):
		return http.StatusConflict, "The assessment does not allow this now. Is it closed?", 0
	case errors.Is(err, hiring.ErrRateLimited):
		return http.StatusTooManyRequests, "Too many requests were made in this hour.", retry
	case hiring.IsTransient(err), errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, "The assessment service cannot be reached. Nothing was sent.", retry
	}
	return http.StatusInternalServerError, "Something is wrong on our side. It was logged.", 0
}

func show(w http.ResponseWriter, status int, p page) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store") // The page contains names and addresses.
	w.WriteHeader(status)
	_ = pages.Execute(w, p) // The browser may have left.
}
