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

	"github.com/hiring-assessment/hiring-go/jobs"
)

// riverUI sends a request to River's web page, and returns the body of the response.
func riverUI[TTx any](t *testing.T, client *river.Client[TTx], method, path, body string) string {
	t.Helper()
	page, err := riverui.NewHandler(&riverui.HandlerOpts{Endpoints: riverui.NewEndpoints(client, nil), Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	require.NoError(t, page.Start(ctx))
	response := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	page.ServeHTTP(response, r)
	require.Equal(t, http.StatusOK, response.Code, response.Body)
	return response.Body.String()
}

func TestDiscardedDeliveryIsRetriedInRiverUI(t *testing.T) {
	t.Parallel()
	onBothStores(t, discardedDeliveryIsRetriedInRiverUI[*riverpgxv5.Driver, pgx.Tx], discardedDeliveryIsRetriedInRiverUI[*riversqlite.Driver, *sql.Tx])
}

func discardedDeliveryIsRetriedInRiverUI[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	api := newAPI(t)
	ids := api.addEvaluated(t, 20)
	var repaired atomic.Bool
	client, _ := s.watch(t, testConfig(), jobs.Results[TTx]{
		Organizations: api.organizations(), Retry: attempts(2),
		Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			if d.Submission.ID == ids[7] && !repaired.Load() {
				return errors.New("the database rejects it")
			}
			return s.insertResult(ctx, tx, d)
		},
	})
	eventually(t, s.deliveredIs(t, 19))
	eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_delivery' AND state = 'discarded'"))
	require.Contains(t, riverUI(t, client, http.MethodGet, "/api/jobs?state=discarded", ""), ids[7])
	id := queryValue[int64](t, s.db, "SELECT id FROM river_job WHERE state = 'discarded'")
	require.Contains(t, riverUI(t, client, http.MethodGet, fmt.Sprintf("/api/jobs/%d", id), ""), "the database rejects it")

	repaired.Store(true)
	riverUI(t, client, http.MethodPost, "/api/jobs/retry", fmt.Sprintf(`{"ids": ["%d"]}`, id))
	eventually(t, s.deliveredIs(t, 20))
	require.Equal(t, 20, s.count(t, "results"))
}

func TestDeliverRetriesCancelledAndDiscardedDeliveries(t *testing.T) {
	t.Parallel()
	onBothStores(t, deliverRetriesCancelledAndDiscardedDeliveries[*riverpgxv5.Driver, pgx.Tx], deliverRetriesCancelledAndDiscardedDeliveries[*riversqlite.Driver, *sql.Tx])
}

// deliverRetriesCancelledAndDiscardedDeliveries checks that Deliver retries the existing
// jobs. A second job for a submission could deliver it twice.
func deliverRetriesCancelledAndDiscardedDeliveries[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	api := newAPI(t)
	ids := api.addEvaluated(t, 2)
	var repaired atomic.Bool
	client, _ := s.watch(t, testConfig(), jobs.Results[TTx]{
		Organizations: api.organizations(), Retry: attempts(1),
		Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			if repaired.Load() {
				return s.insertResult(ctx, tx, d)
			}
			if d.Submission.ID == ids[0] {
				return river.JobCancel(errors.New("cancelled"))
			}
			return errors.New("failed")
		},
	})
	eventually(t, s.countIs(t, 2, "river_job WHERE kind = 'hiring_delivery' AND state IN ('cancelled', 'discarded')"))
	repaired.Store(true)
	for _, id := range ids {
		s.deliver(t, client, "acme", id)
	}
	eventually(t, s.deliveredIs(t, 2))
	require.Equal(t, 2, s.count(t, "river_job WHERE kind = 'hiring_delivery'"))
	require.Equal(t, 2, s.count(t, "results"))
}
