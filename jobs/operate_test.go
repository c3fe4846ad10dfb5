package jobs_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
)

func TestOperatorStartsJobs(t *testing.T) {
	t.Parallel()
	onBothStores(t, operatorStartsJobs[pgx.Tx], operatorStartsJobs[*sql.Tx])
}

// operatorStartsJobs has jobs of two organizations in all states, and no workers.
func operatorStartsJobs[TTx any](t *testing.T, s *store[TTx]) {
	client := s.idle(t, &river.Config{})
	failed := `{"error": "%s", "at": "2026-01-02T15:04:05Z"}`
	list := "ARRAY['" + failed + "'::jsonb]"
	if s.isSQLite() {
		list = "jsonb('[" + failed + "]')"
	}
	job := func(organization, kind, state, problem string) (id int64) {
		t.Helper()
		finalized := "NULL"
		if state == "completed" || state == "cancelled" || state == "discarded" {
			finalized = "CURRENT_TIMESTAMP"
		}
		return queryValue[int64](t, s.db, fmt.Sprintf(`INSERT INTO river_job (args, kind, attempt, max_attempts, state, scheduled_at, finalized_at, errors) VALUES
			('{"organization": %q}', '%s', 9, 9, '%s', '2999-01-01 00:00:00', %s, `+list+`) RETURNING id`, organization, kind, state, finalized, problem))
	}
	started := func(id int64) bool {
		t.Helper()
		return s.count(t, "river_job WHERE id = $1 AND state = 'available' AND scheduled_at < '2999-01-01 00:00:00' AND finalized_at IS NULL AND max_attempts = 10", id) == 1
	}
	operate := func(f func(context.Context, *river.Client[TTx], TTx, string) error, organization string) error {
		return s.inTx(t, func(ctx context.Context, tx TTx) error { return f(ctx, client, tx, organization) })
	}
	retryAll := func(organization string) (n int) {
		t.Helper()
		require.NoError(t, operate(func(ctx context.Context, client *river.Client[TTx], tx TTx, organization string) (err error) {
			n, err = jobs.RetryAll(ctx, client, tx, organization)
			return err
		}, organization))
		return n
	}
	require.ErrorContains(t, operate(jobs.Pause[TTx], "acme"), `organization "acme" was never polled`)
	s.mustExec(t, "INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail) VALUES ('acme', '', '', 'watching', '')")

	waits, poll := job("acme", jobs.KindDelivery, "retryable", "failed"), job("acme", jobs.KindPoll, "scheduled", "failed")
	given, other := job("acme", jobs.KindDelivery, "discarded", "failed"), job("globex", jobs.KindDelivery, "cancelled", "by a handler")
	for range 2 {
		require.NoError(t, operate(jobs.Pause[TTx], "acme"))
	}
	require.NoError(t, operate(jobs.Resume[TTx], "acme"))
	require.ErrorContains(t, operate(jobs.Resume[TTx], "acme"), "not paused")
	require.Equal(t, []bool{true, false, false}, []bool{started(waits), started(poll), started(given)})

	kept := []int64{job("acme", jobs.KindPoll, "discarded", "failed"), job("acme", "of another program", "retryable", "failed"), job("acme", jobs.KindDelivery, "completed", "failed"),
		job("acme", jobs.KindDelivery, "running", "failed"),
		job("acme", jobs.KindDelivery, "cancelled", "JobCancelError: jobs: the handler ended the transaction: do not"), job("acme", jobs.KindDelivery, "retryable", "failed")}
	stopped := kept[len(kept)-1]
	_, err := client.JobCancel(t.Context(), stopped)
	require.NoError(t, err)
	moved, health := []int64{poll, given, job("acme", jobs.KindInvitations, "available", "failed")}, job("", jobs.KindHealth, "available", "failed")
	s.mustExec(t, "UPDATE river_job SET args = '{}' WHERE id = $1", health)
	require.Equal(t, 3, retryAll("acme"), "without the delivery that Resume has started")
	for _, id := range moved {
		require.True(t, started(id))
	}
	require.False(t, started(other) || started(health))
	require.Equal(t, 2, retryAll(""))
	require.True(t, started(other) && started(health))
	for _, id := range kept {
		require.False(t, started(id))
	}
	require.Zero(t, retryAll("unknown"))
}
