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
	const kill = `UPDATE river_job SET state = 'running', attempt = attempt + 1, attempted_at = '2026-01-01 00:00:00', attempted_by = jsonb('["first"]') WHERE kind = `
	s.mustExec(t, kill+"'hiring_delivery'")
	s.mustExec(t, "UPDATE river_job SET attempt = CASE args->>'submission_id' WHEN $1 THEN 9 ELSE max_attempts END WHERE kind = 'hiring_delivery'", ids[0])

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
	require.Less(t, time.Until(delivery.ScheduledAt), 34*time.Second, "failures before do not count")
	s.mustExec(t, "UPDATE river_job SET scheduled_at = '2999-01-01 00:00:00', attempt = 1 WHERE id = $1", delivery.ID)
	require.Greater(t, delivery.ScheduledAt, began.Add(29*time.Second), "it waits as after another failure, because it may have killed its process")
	stop()
	s.mustExec(t, `INSERT INTO river_job (args, kind, queue, max_attempts) VALUES ('{"organization": "acme", "wait": 1}', 'hiring_poll', 'hiring_polls', 25);
		INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail) VALUES ('acme', '', '', 'begun', '2026-01-02T15:04:05Z');
		UPDATE river_job SET attempt = 20 WHERE kind <> 'hiring_delivery'`)
	s.mustExec(t, kill+"'hiring_invitations' OR kind = 'hiring_poll' OR id = $1", delivery.ID)
	s.start(t, watching)
	require.Less(t, time.Until(rescued(jobs.KindInvitations).ScheduledAt), 67*time.Second, "as those of invitations do not")
	eventually(t, s.statusIs(t, jobs.StatusWatching, 1), "nor for polls")
	retry := func() {
		t.Helper()
		_, err := client.JobRetry(t.Context(), delivery.ID)
		require.NoError(t, err)
	}
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesRescued) == 1 }, "twice")
	require.Zero(t, r.deliveries(jobs.DeliveriesWaiting), "a result that may kill its process does not show that workers are missing")
	require.Zero(t, r.deliveries(jobs.DeliveriesFailing), "a killed process is no failure")
	retry()
	var job *rivertype.JobRow
	eventually(t, func() bool {
		var err error
		job, err = client.JobGet(t.Context(), delivery.ID)
		return err == nil && len(job.Errors) == 3
	})
	require.Less(t, job.ScheduledAt.Sub(job.Errors[2].At), 35*time.Second, "it has failed for the first time")
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesFailing) == 1 })
	require.WithinDuration(t, job.Errors[2].At, r.since(jobs.DeliveriesFailing), time.Second)
	repaired.Store(true)
	retry()
	eventually(t, s.countIs(t, 1, "results WHERE submission_id = $1", ids[0]))
	require.Contains(t, log.String(), "its process was killed, or it hung\" organization=acme submission_id="+ids[0])
	require.Contains(t, log.String(), `attempt=3 attempted_by="[first second]"`)
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesDiscarded) == 1 }, "the last attempt is reported")
}
