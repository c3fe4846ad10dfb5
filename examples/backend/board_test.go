package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestViewsShareReads requests pages continuously from many browsers.
func TestViewsShareReads(t *testing.T) {
	for name, c := range map[string]struct {
		candidates int
		reads      int           // Of one page.
		keep       time.Duration // Until the next.
	}{
		"none": {0, 2, 30 * time.Second},
		"few":  {5, 2, 30 * time.Second},
		"more than an hour's reads would allow twice a minute": {1_150, 13, 13 * 7200 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t)
				for n := range c.candidates {
					_, err := s.server.Invite(s.assessment, fmt.Sprintf("c%d@candidates.test", n), "Candidate")
					require.NoError(t, err)
				}
				s.many(t, 50)
				require.Equal(t, c.reads, s.requests(http.MethodGet))
				time.Sleep(c.keep - time.Millisecond)
				s.many(t, 50)
				require.Equal(t, c.reads, s.requests(http.MethodGet), "nothing is read for a while")
				for range 60 * 60 {
					time.Sleep(time.Second)
					_, err := s.app.board.snapshot(t.Context())
					require.NoError(t, err)
				}
				require.LessOrEqual(t, s.requests(http.MethodGet), 500+2*c.reads, "half of an hour's reads, and both ends")
			})
		})
	}
}

// many requests a page from n browsers at once.
func (s *site) many(t *testing.T, n int) {
	t.Helper()
	var all sync.WaitGroup
	for range n {
		all.Go(func() { s.get("/") })
	}
	all.Wait()
}

func TestViewsShareAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		require.Equal(t, http.StatusSeeOther, s.post("Ada", "ada@candidates.test").Code)
		before := s.requests(http.MethodGet)
		s.server.Inject(sandbox.Fault{Times: -1, Status: 503})
		s.many(t, 50)
		require.Equal(t, before+3, s.requests(http.MethodGet), "the attempts of one read")
		require.NotContains(t, s.get("/").Body.String(), "<table>", "half a list")
		s.server.ClearFaults()
		time.Sleep(keepFailure + time.Millisecond)
		require.Equal(t, http.StatusOK, s.get("/").Code)
	})
}

// TestViewersWhoLeave checks that the others need not start over.
func TestViewersWhoLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.server.Inject(sandbox.Fault{Route: listRoute, Delay: 2 * time.Second})
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		var first sync.WaitGroup
		first.Go(func() { s.do(httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)) })
		time.Sleep(1500 * time.Millisecond)
		require.Equal(t, http.StatusOK, s.get("/").Code)
		first.Wait()
		require.Equal(t, 2, s.requests(http.MethodGet))
	})
}

// TestViewsLeaveReadsForInviting uses up the reads of views.
func TestViewsLeaveReadsForInviting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.get("/") // This shows the rate limit.
		s.server.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 252)
		time.Sleep(time.Minute)
		require.Equal(t, http.StatusOK, s.get("/").Code)
		time.Sleep(time.Minute)
		require.Equal(t, http.StatusTooManyRequests, s.get("/").Code)
		require.Equal(t, http.StatusSeeOther, s.post("Ada", "ada@candidates.test").Code)
	})
}

// TestInvitedAreShownAtOnce uses a listing that lags behind.
func TestInvitedAreShownAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, sandbox.WithListingLag(2*time.Minute))
		s.get("/")
		for range 2 {
			w, _ := s.invite("Ada", "ada@candidates.test")
			require.Equal(t, http.StatusOK, w.Code)
			require.Contains(t, w.Body.String(), "<h1>Ada ")
		}
		for range 10 {
			board, err := s.app.board.snapshot(t.Context())
			require.NoError(t, err)
			require.Len(t, board.Candidates, 1, "once")
			time.Sleep(31 * time.Second)
		}
	})
}

// TestListingsWithoutReports requires that each report is read separately, once.
func TestListingsWithoutReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		invitation, submission := s.evaluated()
		board, err := s.app.board.snapshot(t.Context())
		require.NoError(t, err)
		candidate, ok := board.find(invitation)
		require.True(t, ok)
		require.Equal(t, submission, candidate.Submission.ID)
		candidate.Submission.Report = nil
		reads := s.requests(http.MethodGet)
		for range 3 {
			w := s.get("/candidates/" + invitation)
			require.Equal(t, http.StatusOK, w.Code)
			require.Contains(t, w.Body.String(), "<td>82</td>")
		}
		require.Equal(t, reads+1, s.requests(http.MethodGet))
	})
}
