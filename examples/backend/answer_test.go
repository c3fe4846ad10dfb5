package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// failure is a failure and what a browser shows of it.
type failure struct {
	name       string
	form       [2]string       // Name and address; by default Ada's.
	faults     []sandbox.Fault // Of the API.
	arrange    func(*site)     // Or anything else.
	status     int             // Status of the response to the form.
	text       string          // Part of its body.
	retryAfter string          // Its Retry-After header.
	view       int             // Status of the first page; 0: not checked.
	sends      int             // Requests that send an invitation.
	operator   bool            // The log has an error.
}

func always(f sandbox.Fault) []sandbox.Fault { f.Times = -1; return []sandbox.Fault{f} }

var failures = []failure{
	{name: "402 plan used up", arrange: func(s *site) { s.server.SetPlan(sandbox.LiveKey, 5, 5) },
		status: 402, text: "no invitations left", sends: 1},
	{name: "400 address", form: [2]string{"Ada", "ada"},
		status: 400, text: `id="email-problem">Expected an email address`, sends: 1},
	{name: "400 without a name", form: [2]string{" ", "ada@candidates.test"},
		status: 400, text: `id="name-problem">must not be empty`},
	{name: "400 without anything", form: [2]string{"", ""},
		status: 400, text: `id="email-problem">must not be empty`},
	{name: "400 about nothing in the form", faults: []sandbox.Fault{{Route: sendRoute, Status: 400}},
		status: 500, text: "on our side", sends: 1, operator: true},
	{name: "400 that quotes what was typed", faults: []sandbox.Fault{{Route: sendRoute, Status: 400, ContentType: "application/json",
		Body: `{"error":{"code":"INVALID_INPUT","message":"no more mail to ada@candidates.test","details":{"formErrors":[],"fieldErrors":{"region":["not for Ada"]}}}}`}},
		status: 500, text: "on our side", sends: 1, operator: true},
	{name: "404 assessment", arrange: func(s *site) { s.assessment = sandbox.UnknownID; s.serve(s.server.LiveClient) },
		status: 404, text: "does not exist any more", view: 404},
	{name: "409 closed", faults: []sandbox.Fault{{Route: sendRoute, Code: hiring.ErrConflict}},
		status: 409, text: "Is it closed?", sends: 1},
	{name: "429 writes", faults: []sandbox.Fault{{Route: sendRoute, RetryAfter: 20 * time.Minute}},
		status: 429, text: "Too many requests", retryAfter: "1200", sends: 1},
	{name: "429 reads", faults: always(sandbox.Fault{Route: "GET *", RetryAfter: 20 * time.Minute}),
		status: 429, text: "Try again in 20 minutes", retryAfter: "1200", view: 429},
	{name: "401", arrange: func(s *site) { s.server.RevokeKey(sandbox.LiveKey) },
		status: 500, text: "on our side", view: 500, operator: true},
	{name: "403", arrange: func(s *site) { s.key(sandbox.Key{Token: "sk_live_reader", Scope: sandbox.ScopeRead}) },
		status: 500, text: "on our side", sends: 1, operator: true},
	{name: "503", faults: always(sandbox.Fault{Status: 503}),
		status: 503, text: "cannot be reached", retryAfter: "30", view: 503},
	{name: "503 with Retry-After", faults: always(sandbox.Fault{Status: 503, RetryAfter: 90 * time.Second}),
		status: 503, text: "Try again in 90 seconds", retryAfter: "90", view: 503},
	{name: "500", faults: always(sandbox.Fault{Route: "GET *", Code: hiring.ErrInternal}),
		status: 503, text: "cannot be reached", retryAfter: "30", view: 503},
	{name: "reset", faults: always(sandbox.Fault{Reset: true}),
		status: 503, text: "cannot be reached", retryAfter: "30", view: 503},
	{name: "cut off", faults: always(sandbox.Fault{CutAfter: 5}),
		status: 503, text: "cannot be reached", retryAfter: "30", view: 503},
	{name: "timeout", faults: always(sandbox.Fault{Delay: time.Hour}),
		status: 504, text: "too long to answer", retryAfter: "30", view: 504},
	{name: "a proxy's 502", faults: always(sandbox.Fault{Status: 502, Body: "<h1>Bad gateway</h1>"}),
		status: 503, text: "cannot be reached", retryAfter: "30", view: 503},
	{name: "another web server", faults: always(sandbox.Fault{Status: 404, Body: "<h1>Not here</h1>"}),
		status: 500, text: "on our side", view: 500, operator: true},
	{name: "a sign-in page", faults: always(sandbox.Fault{Status: 200, Body: "<h1>Sign in</h1>"}),
		status: 500, text: "on our side", view: 500, operator: true},
	{name: "a redirect", faults: always(sandbox.Fault{Status: 302, Body: "elsewhere"}),
		status: 500, text: "on our side", view: 500, operator: true},
}

func (s *site) key(k sandbox.Key) {
	s.server.AddKey(k)
	s.serve(func(opts ...hiring.Option) *hiring.Client {
		client, err := hiring.New("http://127.0.0.1", k.Token, append(opts, hiring.WithHTTPClient(&http.Client{Transport: s.server.Transport()}))...)
		require.NoError(s.t, err)
		return client
	})
}

func (f failure) happen(s *site) {
	for _, fault := range f.faults {
		s.server.Inject(fault)
	}
	if f.arrange != nil {
		f.arrange(s)
	}
}

// TestFailuresAnswerTheForm checks all results of an invitation except for an unknown
// outcome.
func TestFailuresAnswerTheForm(t *testing.T) {
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t)
				f.happen(s)
				if f.form == [2]string{} && f.name != "400 without anything" {
					f.form = [2]string{"Ada", "ada@candidates.test"}
				}
				w, _ := s.invite(f.form[0], f.form[1])
				f.check(t, s, w, f.status)
				require.Contains(t, w.Body.String(), "Nothing was sent this time.")
				require.Contains(t, w.Body.String(), `value="`+f.form[1]+`"`, "the form keeps what was typed in")
				require.Equal(t, f.sends, s.requests(http.MethodPost), "requests that invite")
			})
		})
	}
}

func (f failure) check(t *testing.T, s *site, w *httptest.ResponseRecorder, status int) {
	t.Helper()
	body := w.Body.String()
	require.Equal(t, status, w.Code, body)
	require.Contains(t, body, f.text)
	require.Equal(t, f.retryAfter, w.Header().Get("Retry-After"))
	for _, detail := range []string{"req_", "hiring:", "INVALID_TOKEN", "sk_", "Not here", "Sign in", "Bad gateway"} {
		require.NotContains(t, body, detail, "a detail of the API")
	}
	if f.operator {
		require.Contains(t, s.log.String(), "level=ERROR")
	} else {
		require.NotContains(t, s.log.String(), "level=ERROR")
	}
}

// TestFailuresAnswerViews checks the first page and the page of a candidate.
func TestFailuresAnswerViews(t *testing.T) {
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t)
				id, err := s.server.Invite(s.assessment, "grace@candidates.test", "Grace")
				require.NoError(t, err)
				if f.view == 0 {
					s.server.Inject(sandbox.Fault{Route: "POST *", Status: 503, Times: -1})
					s.post("Ada", "ada@candidates.test")
					require.Equal(t, http.StatusOK, s.get("/").Code)
					require.Equal(t, http.StatusOK, s.get("/candidates/"+id).Code)
					return
				}
				f.happen(s)
				f.check(t, s, s.get("/"), f.view)
				require.Contains(t, s.get("/").Body.String(), "<form", "the form is there all the same")
				f.check(t, s, s.get("/candidates/"+id), f.view)
				require.Zero(t, s.requests(http.MethodPost))
			})
		})
	}
}
