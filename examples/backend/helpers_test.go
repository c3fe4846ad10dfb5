package main

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const (
	sendRoute = "POST /assessments/{id}/invitations"
	listRoute = "GET /assessments/{id}/invitations"
)

// site is the app with a sandbox, inside testing/synctest.
type site struct {
	t          *testing.T
	server     *sandbox.Server
	app        *app
	handler    http.Handler
	assessment string
	log        *text
}

func newSite(t *testing.T, opts ...sandbox.Option) *site {
	t.Helper()
	server := sandbox.Start(t, opts...)
	s := &site{t: t, server: server, assessment: server.AddAssessment("Backend"), log: new(text)}
	s.serve(server.LiveClient)
	return s
}

// serve creates the app again, with another client.
func (s *site) serve(client func(...hiring.Option) *hiring.Client) {
	s.t.Helper()
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	app, err := newApp(client(options(log)...), s.assessment, log)
	require.NoError(s.t, err)
	s.app, s.handler = app, app.handler()
	s.t.Cleanup(func() {
		app.tasks.end(0)
		for _, secret := range []string{"Ada", "ada@", "candidates.test", sandbox.LiveKey, "sk_live_reader", "signature"} {
			require.NotContains(s.t, s.log.String(), secret, "the log")
		}
	})
}

func (s *site) do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w
}

func (s *site) get(path string) *httptest.ResponseRecorder {
	return s.do(httptest.NewRequestWithContext(s.t.Context(), http.MethodGet, path, nil))
}

func (s *site) post(name, email string) *httptest.ResponseRecorder {
	return s.do(form(s.t.Context(), name, email))
}

func form(ctx context.Context, name, email string) *http.Request {
	fields := url.Values{"name": {name}, "email": {email}}
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/invitations", strings.NewReader(fields.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

// invite submits the form as a browser does. It reloads while the page says so, follows
// redirects, and returns how long that took.
func (s *site) invite(name, email string) (w *httptest.ResponseRecorder, waited time.Duration) {
	s.t.Helper()
	w = s.post(name, email)
	began := time.Now()
	for range 1000 {
		switch {
		case w.Code == http.StatusSeeOther:
			w = s.get(w.Header().Get("Location"))
		case w.Header().Get("Refresh") == "3":
			require.Equal(s.t, http.StatusAccepted, w.Code)
			require.Contains(s.t, w.Body.String(), "Being checked")
			time.Sleep(3 * time.Second)
			w = s.get(s.pendingPath())
		default:
			return w, time.Since(began)
		}
	}
	s.t.Fatal("it is told to wait forever")
	return nil, 0
}

// pendingPath is the page of the only task of a test.
func (s *site) pendingPath() string {
	s.t.Helper()
	s.app.tasks.mu.Lock()
	defer s.app.tasks.mu.Unlock()
	require.Len(s.t, s.app.tasks.all, 1)
	for id := range s.app.tasks.all {
		return "/pending/" + id
	}
	return ""
}

// requests counts the requests to the API.
func (s *site) requests(method string) (n int) {
	for _, entry := range s.server.Journal() {
		if entry.Method == method {
			n++
		}
	}
	return n
}

// mails counts the invitations of the assessment.
func (s *site) mails() int {
	s.t.Helper()
	invitations, err := s.server.LiveClient().Invitations.List(s.assessment).Collect(s.t.Context())
	require.NoError(s.t, err)
	return len(invitations)
}

// text is a log that goroutines write.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (x *text) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.b.Write(p)
}

func (x *text) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.b.String()
}
