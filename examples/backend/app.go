package main

import (
	"log/slog"
	"net/http"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// app is what answers requests.
type app struct {
	client  *hiring.Client
	board   *board
	tasks   *inviteTasks
	log     *slog.Logger
	mode    string // Whom the mails reach, for every page to say.
	console string // Where the embedded sandbox's own page is; empty: there is none.
}

// options returns the options of a client whose caller waits for the response: it fails
// soon, and its observer's log contains no id, name, address or key.
func options(log *slog.Logger) []hiring.Option {
	return []hiring.Option{
		hiring.WithTimeout(5 * time.Second),
		hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 3, BaseBackoff: 100 * time.Millisecond, MaxBackoff: time.Second, MaxWait: 2 * time.Second}),
		hiring.WithLogger(log),
		hiring.WithUserAgent("hiring-backend"),
	}
}

// newApp answers for one assessment.
func newApp(client *hiring.Client, assessment string, log *slog.Logger) (*app, error) {
	viewing, err := client.With(hiring.WithQuotaReserve(0.25)) // Inviting needs reads, too.
	if err != nil {
		return nil, err
	}
	a := &app{client: viewing, log: log, mode: "Candidates are real: each gets an e-mail."}
	if client.Environment() == hiring.EnvironmentTest {
		a.mode = "Test mode: nobody gets an e-mail, and nothing is kept."
	}
	a.board = &board{client: viewing, assessment: assessment, reading: make(chan struct{}, 1), reports: make(map[string]*hiring.Report)}
	a.tasks = &inviteTasks{client: client, assessment: assessment, log: log, invited: a.board.add, all: make(map[string]*inviteTask)}
	return a, nil
}

// handler is all there is to see and to do. A form of another site is refused.
func (a *app) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", a.home)
	mux.HandleFunc("POST /invitations", a.invite)
	mux.HandleFunc("GET /pending/{id}", a.pending)
	mux.HandleFunc("GET /candidates/{id}", a.candidate)
	mux.HandleFunc("GET /candidates/{id}/archive", a.archive)
	mux.HandleFunc("GET /style.css", a.style)
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {}) // Sends no API request.
	return a.logged(careful(http.NewCrossOriginProtection().Handler(mux)))
}

// careful keeps pages about people out of caches, frames and other sites' logs.
func careful(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// logged logs each request, also one that is broken off.
func (a *app) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer a.note(r, seen, time.Now())
		next.ServeHTTP(seen, r)
	})
}

// note names a request by its route: paths hold ids, and forms hold names.
func (a *app) note(r *http.Request, answered *statusWriter, began time.Time) {
	a.log.InfoContext(r.Context(), "request", "route", r.Pattern, "status", answered.status, "took", time.Since(began))
}

// statusWriter records the status of a response.
type statusWriter struct {
	http.ResponseWriter

	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
