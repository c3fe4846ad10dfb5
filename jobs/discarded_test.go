package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
)

func TestDeliverRetriesCancelledAndDiscardedDeliveries(t *testing.T) {
	t.Parallel()
	onBothStores(t, deliverRetriesCancelledAndDiscardedDeliveries[pgx.Tx], deliverRetriesCancelledAndDiscardedDeliveries[*sql.Tx])
}

// deliverRetriesCancelledAndDiscardedDeliveries checks that Deliver retries the existing
// jobs. A second job for a submission could deliver it twice.
func deliverRetriesCancelledAndDiscardedDeliveries[TTx any](t *testing.T, s *store[TTx]) {
	api := newAPI(t)
	ids := api.addEvaluated(t, 2)
	var repaired atomic.Bool
	client, _ := s.watch(t, testConfig(), jobs.Results[TTx]{
		Organizations: api.organizations(), Retry: attempts(2),
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
	eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_delivery' AND state = 'cancelled'"))
	const discarded = "river_job WHERE kind = 'hiring_delivery' AND state = 'discarded' AND attempt = "
	eventually(t, s.countIs(t, 1, discarded+"2"))
	s.deliver(t, client, "acme", ids[1])
	eventually(t, s.countIs(t, 1, discarded+"3"), "it gets one more attempt")
	repaired.Store(true)
	for _, id := range ids {
		s.deliver(t, client, "acme", id)
	}
	eventually(t, s.deliveredIs(t, 2))
	require.Equal(t, 2, s.count(t, "river_job WHERE kind = 'hiring_delivery'"))
	require.Equal(t, 2, s.count(t, "river_job WHERE kind = 'hiring_delivery' AND args->>'submission' <> ''"), "they keep what the poll found")
	require.Equal(t, 2, s.count(t, "results"))
}

func TestDeliveryOfAnUnknownSubmissionIsCancelled(t *testing.T) {
	t.Parallel()
	onBothStores(t, deliveryOfAnUnknownSubmissionIsCancelled[pgx.Tx], deliveryOfAnUnknownSubmissionIsCancelled[*sql.Tx])
}

// deliveryOfAnUnknownSubmissionIsCancelled delivers the result of a submission that the API does not have.
func deliveryOfAnUnknownSubmissionIsCancelled[TTx any](t *testing.T, s *store[TTx]) {
	organization, r := newAPI(t).recordedOrganization()
	config := testConfig()
	var log logBuffer
	config.Logger = log.logger()
	client, _ := s.watch(t, config, jobs.Results[TTx]{Organizations: []jobs.Organization{organization}, Telemetry: r.telemetry(), Handle: s.insertResult})
	s.deliver(t, client, "acme", "unknown")
	job := s.deliveryIn(t, client, rivertype.JobStateCancelled, 1)
	require.Contains(t, job.Errors[0].Error, "the API has no submission unknown")
	require.Contains(t, log.String(), `msg="jobs: cancelled" organization=acme kind=hiring_delivery`)
	require.Contains(t, log.String(), `cause="status 404" submission_id=unknown`)
	require.Equal(t, 1, r.event(jobs.EventCancelled))
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesCancelled) == 1 })
	s.mustExec(t, `UPDATE river_job SET metadata = '{"cancel_attempted_at":"2026-03-14T09:00:00Z"}' WHERE id = $1`, job.ID)
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesCancelled) == 0 }, "an operator who cancels needs no alert")
}
