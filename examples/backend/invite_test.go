package main

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
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
	*app

	t      *testing.T
	server *sandbox.Server
	log    *strings.Builder
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, server: sandbox.Start(t), log: new(strings.Builder)}
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.app = &app{client: s.server.LiveClient(hiring.WithLogger(log)), assessment: s.server.AddAssessment("Backend")}
	t.Cleanup(func() {
		s.sending.Wait()
		for _, secret := range []string{"Ada", "ada@", "candidates.test", sandbox.LiveKey} {
			require.NotContains(t, s.log.String(), secret, "the log")
		}
	})
	return s
}

// post submits the form.
func (s *site) post(ctx context.Context, name, email string) *httptest.ResponseRecorder {
	fields := url.Values{"name": {name}, "email": {email}}
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/invitations", strings.NewReader(fields.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	s.invite(w, r)
	return w
}

func (s *site) posts() (n int) {
	for _, entry := range s.server.Journal() {
		if entry.Method == http.MethodPost {
			n++
		}
	}
	return n
}

func TestInvite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		w := s.post(t.Context(), "Ada <Example>", " ada@candidates.test")
		require.Equal(t, http.StatusOK, w.Code)
		require.Contains(t, w.Body.String(), "The invitation was sent.")
		require.Contains(t, w.Body.String(), `value="Ada &lt;Example&gt;"`)
		w = s.post(t.Context(), "Ada", "ADA@candidates.test")
		require.Contains(t, w.Body.String(), "has an invitation already")
		require.Equal(t, 1, s.posts())
	})
}

// TestLostResponses loses responses. No candidate gets two e-mails, and the form says when the e-mail was sent.
func TestLostResponses(t *testing.T) {
	for name, c := range map[string]struct {
		fault sandbox.Fault
		posts int
	}{
		"done":     {sandbox.Fault{After: true}, 1},
		"not done": {sandbox.Fault{Status: 500}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t)
				c.fault.Route = sendRoute
				s.server.Inject(c.fault)
				w := s.post(t.Context(), "Ada", "ada@candidates.test")
				require.Equal(t, http.StatusAccepted, w.Code)
				require.Contains(t, w.Body.String(), "Submit the form again in a minute")
				time.Sleep(2 * time.Minute)
				w = s.post(t.Context(), "Ada", "ada@candidates.test")
				require.Contains(t, w.Body.String(), "has an invitation already")
				require.Equal(t, c.posts, s.posts())
				require.Len(t, s.server.Mails(), 1)
			})
		})
	}
}

// TestDoneButNotShown gets a 201 without an invitation, which no listing shows.
func TestDoneButNotShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.server.Inject(sandbox.Fault{Route: sendRoute, Status: 201})
		w := s.post(t.Context(), "Ada", "ada@candidates.test")
		require.Equal(t, http.StatusAccepted, w.Code)
		require.Contains(t, w.Body.String(), "not certain yet")
		require.Equal(t, 1, s.posts(), "it is never sent again")
	})
}

func TestInvitationIsSentAfterTheBrowserLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.server.Inject(sandbox.Fault{Route: sendRoute, Delay: 2 * time.Second})
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		s.post(ctx, "Ada", "ada@candidates.test")
		time.Sleep(2 * time.Second)
		require.Len(t, s.server.Mails(), 1)
	})
}

func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		form       [2]string // Name and address; by default Ada's.
		fault      sandbox.Fault
		arrange    func(*site)
		status     int
		text       string
		retryAfter string
	}{
		"400 address":           {form: [2]string{"Ada", "ada"}, status: 400, text: `id="email-problem">Expected an email address`},
		"400 without a name":    {form: [2]string{" ", "ada@candidates.test"}, status: 400, text: `id="name-problem">must not be empty`},
		"400 about neither":     {fault: sandbox.Fault{Route: sendRoute, Status: 400}, status: 400, text: "not accepted"},
		"401":                   {arrange: func(s *site) { s.server.RevokeKey(sandbox.LiveKey) }, status: 500, text: "on our side"},
		"402":                   {arrange: func(s *site) { s.server.SetPlan(sandbox.LiveKey, 5, 5) }, status: 402, text: "no invitations left"},
		"404 assessment":        {arrange: func(s *site) { s.assessment = sandbox.UnknownID }, status: 500, text: "on our side"},
		"409 closed":            {fault: sandbox.Fault{Route: sendRoute, Code: hiring.ErrConflict}, status: 409, text: "Is it closed?"},
		"429":                   {fault: sandbox.Fault{Route: sendRoute, RetryAfter: 20 * time.Minute}, status: 503, text: "Too many requests", retryAfter: "1200"},
		"503 with Retry-After":  {fault: sandbox.Fault{Route: listRoute, Status: 503, RetryAfter: 90 * time.Second}, status: 503, text: "cannot be reached", retryAfter: "90"},
		"reset":                 {fault: sandbox.Fault{Route: listRoute, Reset: true, Times: -1}, status: 503, text: "cannot be reached", retryAfter: "30"},
		"a page of another web": {fault: sandbox.Fault{Route: listRoute, Status: 404, Body: "<h1>Not here</h1>"}, status: 500, text: "on our side"},
		"too large":             {form: [2]string{strings.Repeat("a", 16<<10), "ada@candidates.test"}, status: 400, text: `id="email-problem">must not be empty`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t)
				if c.fault != (sandbox.Fault{}) {
					s.server.Inject(c.fault)
				}
				if c.arrange != nil {
					c.arrange(s)
				}
				if c.form == [2]string{} {
					c.form = [2]string{"Ada", "ada@candidates.test"}
				}
				w := s.post(t.Context(), c.form[0], c.form[1])
				if w.Code == http.StatusAccepted { // The retries took more than the browser's patience.
					s.sending.Wait()
					t.Fatal("the browser waited in vain")
				}
				require.Equal(t, c.status, w.Code, w.Body)
				require.Contains(t, w.Body.String(), c.text)
				require.Equal(t, c.retryAfter, w.Header().Get("Retry-After"))
				for _, detail := range []string{"req_", "hiring:", "INVALID_TOKEN", "sk_", "Not here"} {
					require.NotContains(t, w.Body.String(), detail, "a detail of the API")
				}
				require.NotContains(t, w.Body.String(), "invitation was sent")
			})
		})
	}
}
