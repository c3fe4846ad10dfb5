package jobs_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
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
	client, _ := s.watch(t, hurried(), jobs.Results[TTx]{
		Organizations: w.organizations(), Retry: attempts(2),
		Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			if d.Submission.ID == ids[7] && !repaired.Load() {
				return errors.New("the database does not take it")
			}
			return s.put(ctx, tx, d)
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

func TestDeliverRetriesWhatWasGivenUp(t *testing.T) {
	t.Parallel()
	on(t, deliverRetriesWhatWasGivenUp[*riverpgxv5.Driver, pgx.Tx], deliverRetriesWhatWasGivenUp[*riversqlite.Driver, *sql.Tx])
}

// deliverRetriesWhatWasGivenUp: there is one job for a submission, so that nobody
// who retries the old one delivers it twice.
func deliverRetriesWhatWasGivenUp[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	ids := w.evaluated(t, 2)
	var repaired atomic.Bool
	client, _ := s.watch(t, hurried(), jobs.Results[TTx]{
		Organizations: w.organizations(), Retry: attempts(1),
		Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			if repaired.Load() {
				return s.put(ctx, tx, d)
			}
			if d.Submission.ID == ids[0] {
				return river.JobCancel(errors.New("never"))
			}
			return errors.New("not now")
		},
	})
	eventually(t, func() bool {
		return s.count(t, "river_job WHERE kind = 'hiring_delivery' AND state IN ('cancelled', 'discarded')") == 2
	})
	repaired.Store(true)
	for _, id := range ids {
		require.NoError(t, s.in(t, func(ctx context.Context, tx TTx) error { return jobs.Deliver(ctx, client, tx, "acme", id) }))
	}
	eventually(t, s.delivered(t, 2))
	require.Equal(t, 2, s.count(t, "river_job WHERE kind = 'hiring_delivery'"))
	require.Equal(t, 2, s.count(t, "results"))
}

func TestUnreadableReportEndsDiscarded(t *testing.T) {
	t.Parallel()
	on(t, unreadableReportEndsDiscarded[*riverpgxv5.Driver, pgx.Tx], unreadableReportEndsDiscarded[*riversqlite.Driver, *sql.Tx])
}

// unreadableReportEndsDiscarded has a submission whose report makes no sense, on
// a page with others.
func unreadableReportEndsDiscarded[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	w.evaluated(t, 3)
	poison := w.begins(t)
	w.grade(t, poison, sandbox.Result{ShipScore: 71, Extra: map[string]any{"pillars": "none of your business"}})
	w.evaluated(t, 3)
	organization := w.organization("acme")
	var repaired atomic.Bool
	organization.Client = w.through(t, func(body []byte) []byte {
		if repaired.Load() {
			body = bytes.ReplaceAll(body, []byte(`"none of your business"`), []byte(`[]`))
		}
		return body
	})
	client, _ := s.watch(t, hurried(), jobs.Results[TTx]{Organizations: []jobs.Organization{organization}, Handle: s.put, Retry: attempts(2)})
	eventually(t, s.delivered(t, 6), "those beside it")
	discarded := func() bool {
		return s.count(t, "river_job WHERE kind = 'hiring_delivery' AND state = 'discarded'") == 1
	}
	eventually(t, discarded)
	w.evaluated(t, 2)
	eventually(t, s.delivered(t, 8), "those after it")
	require.Zero(t, s.count(t, "results WHERE submission_id = $1", poison))
	require.Contains(t, operate(t, client, http.MethodGet, "/api/jobs?state=discarded", ""), poison)
	id := value[int64](t, s.db, "SELECT id FROM river_job WHERE state = 'discarded'")
	require.Contains(t, operate(t, client, http.MethodGet, fmt.Sprintf("/api/jobs/%d", id), ""), "the reply cannot be read: /data/pillars")

	repaired.Store(true)
	operate(t, client, http.MethodPost, "/api/jobs/retry", fmt.Sprintf(`{"ids": ["%d"]}`, id))
	eventually(t, s.delivered(t, 9))
	require.Equal(t, 71, value[int](t, s.db, "SELECT score FROM results WHERE submission_id = $1", poison))
	require.Equal(t, 9, s.count(t, "results"))
}

// through is a client whose replies are changed on their way.
func (w *world) through(t *testing.T, change func(body []byte) []byte) *hiring.Client {
	t.Helper()
	transport := through(func(r *http.Request) (*http.Response, error) {
		reply, err := w.Transport().RoundTrip(r)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		body = change(body)
		reply.Body, reply.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		return reply, err
	})
	client, err := hiring.New("http://sandbox.test", sandbox.LiveKey, hiring.WithInsecureHTTP(), hiring.WithHTTPClient(&http.Client{Transport: transport}))
	require.NoError(t, err)
	return client
}
