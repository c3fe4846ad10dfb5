package jobs_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestAlertQueryFindsAnUnpolledOrganizationPostgres runs the query of the README for an
// organization that was never polled successfully.
func TestAlertQueryFindsAnUnpolledOrganizationPostgres(t *testing.T) {
	t.Parallel()
	s, good, bad := newPostgres(t), newAPI(t), newAPI(t)
	bad.RevokeKey(sandbox.LiveKey)
	client, stop := s.watch(t, testConfig(), jobs.Results[pgx.Tx]{
		Organizations: []jobs.Organization{good.organization("good"), bad.organization("bad")}, Handle: s.insertResult,
	})
	eventually(t, func() bool {
		return s.count(t, "river_job WHERE args->>'organization' = 'good' AND state = 'completed'") > 0
	})
	eventually(t, s.countIs(t, 1, "river_job WHERE args->>'organization' = 'bad' AND errors IS NOT NULL"))
	query := alertQuery(t, "an organization that is not polled")
	require.Zero(t, s.count(t, "("+query+") AS found"), "no poll is 40 minutes late yet")
	_, err := s.db.ExecContext(t.Context(), "UPDATE hiring_jobs SET updated_at = updated_at - interval '1 hour'")
	require.NoError(t, err)
	var id int64
	var attempt int
	require.NoError(t, s.db.QueryRowContext(t.Context(), "SELECT id, attempt FROM river_job WHERE args->>'organization' = 'bad' AND finalized_at IS NULL").Scan(&id, &attempt))
	_, err = client.JobRetry(t.Context(), id) // Instead of the growing delay.
	require.NoError(t, err)
	eventually(t, s.countIs(t, 1, "river_job WHERE id = $1 AND attempt > $2 AND state <> 'running'", id, attempt), "there is another failed poll, which does not renew the row")
	eventually(t, s.countIs(t, 1, "("+query+") AS found"), "the row of the other organization is renewed")
	require.Equal(t, "bad", queryValue[string](t, s.db, query))

	stop()
	_, err = s.db.ExecContext(t.Context(), "UPDATE river_job SET state = 'scheduled', scheduled_at = now() + interval '10 minutes' WHERE args->>'organization' = 'bad' AND finalized_at IS NULL")
	require.NoError(t, err)
	require.Zero(t, s.count(t, "("+query+") AS found"), "a poll that waits for the next window of the rate limit is not late")
}
