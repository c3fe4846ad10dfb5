package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestLostResponses loses responses. No candidate gets two e-mails, and the browser waits
// until an e-mail was certainly sent.
func TestLostResponses(t *testing.T) {
	lost := sandbox.Fault{Route: sendRoute, After: true}
	for name, c := range map[string]struct {
		faults []sandbox.Fault
		posts  int
		within time.Duration
	}{
		"done, and the response lost":   {[]sandbox.Fault{lost}, 1, 20 * time.Second},
		"done, and the connection dies": {[]sandbox.Fault{{Route: sendRoute, After: true, Reset: true}}, 1, 20 * time.Second},
		"done late":                     {[]sandbox.Fault{{Route: sendRoute, Late: 30 * time.Second}}, 1, 70 * time.Second},
		"not done":                      {[]sandbox.Fault{{Route: sendRoute, Status: 500}}, 2, 70 * time.Second},
		"done, and looking fails for some minutes": {
			[]sandbox.Fault{lost, {Route: listRoute, Skip: 1, Times: 25, Status: 503}}, 1, 7 * time.Minute,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t)
				for _, fault := range c.faults {
					s.server.Inject(fault)
				}
				w, waited := s.invite("Ada", "ada@candidates.test")
				require.Equal(t, http.StatusOK, w.Code)
				require.Contains(t, w.Body.String(), "<h1>Ada ")
				require.Greater(t, waited, patience)
				require.Less(t, waited, c.within)
				require.Equal(t, c.posts, s.requests(http.MethodPost))
				require.Equal(t, 1, s.mails())
			})
		})
	}
}

// TestOutcomeThatStaysUnknown checks that the page shows an unknown outcome, and that the
// form checks again.
func TestOutcomeThatStaysUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.server.Inject(sandbox.Fault{Route: sendRoute, After: true})
		s.server.Inject(sandbox.Fault{Route: listRoute, Skip: 1, Times: -1, Status: 503})
		w, waited := s.invite("Ada", "ada@candidates.test")
		require.Equal(t, http.StatusAccepted, w.Code)
		require.Contains(t, w.Body.String(), "not certain yet whether the invitation was sent")
		require.NotContains(t, w.Body.String(), "Nothing was sent")
		require.Contains(t, w.Body.String(), `value="ada@candidates.test"`)
		require.Greater(t, waited, 10*time.Minute)
		require.Equal(t, 1, s.requests(http.MethodPost), "it is never sent blindly")

		s.server.ClearFaults()
		w = s.post("Ada", "ada@candidates.test")
		require.Equal(t, http.StatusSeeOther, w.Code)
		require.Contains(t, w.Header().Get("Location"), "?already")
		require.Equal(t, 1, s.requests(http.MethodPost))
	})
}

// TestDoneButNotShown gets a 201 without an invitation, which no listing shows.
func TestDoneButNotShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.server.Inject(sandbox.Fault{Route: sendRoute, Status: 201})
		w, _ := s.invite("Ada", "ada@candidates.test")
		require.Equal(t, http.StatusAccepted, w.Code)
		require.Contains(t, w.Body.String(), "not certain yet")
		require.Equal(t, 1, s.requests(http.MethodPost), "it is never sent again")
	})
}

func TestDoubleSubmitInvitesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.server.Inject(sandbox.Fault{Route: sendRoute, Delay: 2 * time.Second})
		var both sync.WaitGroup
		replies := make([]*httptest.ResponseRecorder, 2)
		for i, email := range []string{"ada@candidates.test", " ADA@candidates.test"} {
			both.Go(func() { replies[i] = s.post("Ada", email) })
		}
		both.Wait()
		first, _, already := strings.Cut(replies[0].Header().Get("Location"), "?")
		second, _, too := strings.Cut(replies[1].Header().Get("Location"), "?")
		require.NotEmpty(t, first)
		require.Equal(t, first, second, "both see the candidate")
		require.NotEqual(t, already, too, "one of them sent it")
		require.Equal(t, 1, s.requests(http.MethodPost))
		require.Equal(t, 1, s.mails())
	})
}

// TestInvitationIsSentAfterTheBrowserDisconnects checks that the invitation is sent nevertheless.
func TestInvitationIsSentAfterTheBrowserDisconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.server.Inject(sandbox.Fault{Route: sendRoute, Delay: 2 * time.Second})
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		s.do(form(ctx, "Ada", "ada@candidates.test"))
		w := s.get(s.pendingPath())
		require.Equal(t, http.StatusAccepted, w.Code)
		time.Sleep(2 * time.Second)
		w = s.get(s.pendingPath())
		require.Equal(t, http.StatusSeeOther, w.Code)
		require.Equal(t, 1, s.mails())
	})
}

func TestClaimsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.server.Inject(sandbox.Fault{Route: sendRoute, After: true, Times: -1})
		s.post("Ada", "ada@candidates.test")
		began := time.Now()
		s.app.tasks.end(time.Second)
		require.Equal(t, time.Second, time.Since(began))
		require.Equal(t, http.StatusAccepted, s.get(s.pendingPath()).Code, "it is not certain")
		require.Equal(t, 1, s.requests(http.MethodPost))
	})
}

// TestNoInvitationBeginsAfterTheEnd uses a request that outlasts the shutdown.
func TestNoInvitationBeginsAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.app.tasks.end(0)
		w, _ := s.invite("Ada", "ada@candidates.test")
		require.Equal(t, 503, w.Code)
		require.Zero(t, s.mails())
	})
}

func TestClaimsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.post("Ada", "ada@candidates.test")
		path := s.pendingPath()
		time.Sleep(rememberFor + time.Second)
		w := s.get(path)
		require.Equal(t, http.StatusNotFound, w.Code)
		require.Contains(t, w.Body.String(), "Invite again")
	})
}

func TestFormsOfOtherSitesAreRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		for header, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"} {
			r := form(t.Context(), "Ada", "ada@candidates.test")
			r.Header.Set(header, value)
			require.Equal(t, http.StatusForbidden, s.do(r).Code, header)
		}
		require.Empty(t, s.server.Journal())
	})
}

func TestFormTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		w := s.post(strings.Repeat("a", maxForm), "ada@candidates.test")
		require.Equal(t, http.StatusBadRequest, w.Code)
		require.Empty(t, s.server.Journal())
	})
}
