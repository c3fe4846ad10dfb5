package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/stretchr/testify/require"
	"riverqueue.com/riverui"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// operate asks River's page, as an operator does.
func operate[TTx any](t *testing.T, client *river.Client[TTx], method, path, body string) string {
	t.Helper()
	page, err := riverui.NewHandler(&riverui.HandlerOpts{Endpoints: riverui.NewEndpoints(client, nil), Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	require.NoError(t, page.Start(ctx))
	reply := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	page.ServeHTTP(reply, r)
	require.Equal(t, http.StatusOK, reply.Code, reply.Body)
	return reply.Body.String()
}

func TestFailingHandlerEndsDiscarded(t *testing.T) {
	t.Parallel()
	on(t, failingHandlerEndsDiscarded[*riverpgxv5.Driver, pgx.Tx], failingHandlerEndsDiscarded[*riversqlite.Driver, *sql.Tx])
}

func failingHandlerEndsDiscarded[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	ids := w.evaluated(t, 20)
	var repaired atomic.Bool
	config := hurried()
	config.MaxAttempts = 2
	client, _ := s.watch(t, config, jobs.Results[TTx]{
		Organizations: w.organizations(),
		Handle: func(ctx context.Context, tx TTx, submission hiring.Submission, report hiring.Report) error {
			if submission.ID == ids[7] && !repaired.Load() {
				return errors.New("the database does not take it")
			}
			return s.put(ctx, tx, submission, report)
		},
	})
	eventually(t, s.delivered(t, 19))
	discarded := func() bool {
		return s.count(t, "river_job WHERE kind = 'hiring_delivery' AND state = 'discarded'") == 1
	}
	eventually(t, discarded)
	require.Contains(t, operate(t, client, http.MethodGet, "/api/jobs?state=discarded", ""), ids[7])
	id := value[int64](t, s.db, "SELECT id FROM river_job WHERE state = 'discarded'")
	require.Contains(t, operate(t, client, http.MethodGet, fmt.Sprintf("/api/jobs/%d", id), ""), "the database does not take it")

	repaired.Store(true)
	operate(t, client, http.MethodPost, "/api/jobs/retry", fmt.Sprintf(`{"ids": ["%d"]}`, id))
	eventually(t, s.delivered(t, 20))
	require.Equal(t, 20, s.count(t, "results"))
}

func TestUnreadableReportEndsDiscarded(t *testing.T) {
	t.Parallel()
	on(t, unreadableReportEndsDiscarded[*riverpgxv5.Driver, pgx.Tx], unreadableReportEndsDiscarded[*riversqlite.Driver, *sql.Tx])
}

// unreadableReportEndsDiscarded delivers a submission whose report makes no sense,
// which is noticed when it is read for its delivery.
func unreadableReportEndsDiscarded[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	w.evaluated(t, 3)
	organizations := w.organizations()
	organizations[0].Watch.AssessmentID = w.assessment
	config := hurried()
	config.MaxAttempts = 1
	client, _ := s.watch(t, config, jobs.Results[TTx]{Organizations: organizations, Handle: s.put})
	eventually(t, s.delivered(t, 3))
	other := world{w.Server, w.recruiter, w.AddAssessment("Not watched"), w.begun}
	poison := other.begins(t)
	w.grade(t, poison, sandbox.Result{Extra: map[string]any{"pillars": "none of your business"}})
	require.NoError(t, s.in(t, func(ctx context.Context, tx TTx) error {
		return jobs.Deliver(ctx, client, tx, "acme", poison)
	}))
	eventually(t, func() bool {
		return s.count(t, "river_job WHERE kind = 'hiring_delivery' AND state = 'discarded'") == 1
	})
	w.evaluated(t, 2)
	eventually(t, s.delivered(t, 5), "the others are not held up")
	require.Contains(t, operate(t, client, http.MethodGet, "/api/jobs?state=discarded", ""), poison)
}
