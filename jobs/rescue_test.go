package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
)

// TestJobsOfAKilledProcessAreRescuedByEachRoleSQLite has two deliveries and a run of invitations whose processes were killed, one delivery in
// its last attempt. First a process leads that only invites, then one that only watches.
func TestJobsOfAKilledProcessAreRescuedByEachRoleSQLite(t *testing.T) {
	t.Parallel()
	s, api := newSQLite(t), newAPI(t)
	ids := api.addEvaluated(t, 2)
	organization, r := api.recordedOrganization()
	watching, inviting := testConfig(), testConfig()
	var log logBuffer
	watching.ID, watching.Logger = "second", log.logger()
	var repaired atomic.Bool
	handle := func(ctx context.Context, tx *sql.Tx, d jobs.Delivery) error {
		if !repaired.Load() {
			return errors.New("failed")
		}
		return s.insertResult(ctx, tx, d)
	}
	require.NoError(t, jobs.Watch(watching, s.database, jobs.Results[*sql.Tx]{Organizations: []jobs.Organization{organization}, Handle: handle, Telemetry: r.telemetry()}))
	require.NoError(t, jobs.SendInvitations(inviting, s.database, jobs.Invitations{Organizations: api.organizations()}))
	delete(inviting.Queues, jobs.QueueInvitations) // It leads, and runs nothing but the health job.
	client := s.idle(t, watching)
	for _, id := range ids {
		s.deliver(t, client, "acme", id)
	}
	s.invite(t, client, api.assessment, candidates(1)...)
	const kill = `UPDATE river_job SET state = 'running', attempt = 1, attempted_at = '2026-01-01 00:00:00', attempted_by = jsonb('["first"]') WHERE kind = `
	s.mustExec(t, kill+"'hiring_delivery'")
	s.mustExec(t, "UPDATE river_job SET attempt = max_attempts WHERE args->>'submission_id' = $1", ids[1])

	began := time.Now()
	_, stop := s.start(t, inviting)
	rescued := func(kind string) (job *rivertype.JobRow) {
		t.Helper()
		eventually(t, func() bool {
			list, err := client.JobList(t.Context(), river.NewJobListParams().Kinds(kind).States(rivertype.JobStateRetryable))
			require.NoError(t, err)
			if len(list.Jobs) > 0 {
				job = list.Jobs[0]
			}
			return job != nil
		})
		return job
	}
	delivery := rescued(jobs.KindDelivery)
	s.mustExec(t, "UPDATE river_job SET scheduled_at = '2999-01-01 00:00:00' WHERE id = $1", delivery.ID)
	require.Greater(t, delivery.ScheduledAt, began.Add(29*time.Second), "it waits as after another failure, because it may have killed its process")
	stop()
	s.mustExec(t, kill+"'hiring_invitations'")
	s.start(t, watching)
	rescued(jobs.KindInvitations)
	failedTwice := func() (job *rivertype.JobRow) {
		eventually(t, func() bool {
			var err error
			job, err = client.JobGet(t.Context(), delivery.ID)
			require.NoError(t, err)
			return len(job.Errors) == 2
		})
		return job
	}
	retry := func() {
		t.Helper()
		_, err := client.JobRetry(t.Context(), delivery.ID)
		require.NoError(t, err)
	}
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesWaiting) == 1 })
	require.Zero(t, r.deliveries(jobs.DeliveriesFailing), "a killed process is no failure")
	retry()
	failed := failedTwice()
	require.Less(t, failed.ScheduledAt.Sub(failed.Errors[1].At), 35*time.Second, "it has failed for the first time")
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesFailing) == 1 })
	require.WithinDuration(t, failed.Errors[1].At, r.since(jobs.DeliveriesFailing), time.Second)
	repaired.Store(true)
	retry()
	eventually(t, s.countIs(t, 1, "results WHERE submission_id = $1", ids[0]))
	require.Contains(t, log.String(), "its process was killed, or it hung\" organization=acme submission_id="+ids[0])
	require.Contains(t, log.String(), `attempt=2 attempted_by="[first second]"`)
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesDiscarded) == 1 }, "the last attempt is reported")
}
