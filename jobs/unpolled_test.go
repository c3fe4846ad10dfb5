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
	_, stop := s.watch(t, testConfig(), jobs.Results[pgx.Tx]{
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
	attempt := func() int {
		return queryValue[int](t, s.db, "SELECT attempt FROM river_job WHERE args->>'organization' = 'bad'")
	}
	now := attempt()
	eventually(t, func() bool { return attempt() > now }, "there is another failed poll, which does not renew the row")
	eventually(t, s.countIs(t, 1, "("+query+") AS found"), "the row of the other organization is renewed")
	require.Equal(t, "bad", queryValue[string](t, s.db, query))

	stop()
	_, err = s.db.ExecContext(t.Context(), "UPDATE river_job SET state = 'scheduled', scheduled_at = now() + interval '10 minutes' WHERE args->>'organization' = 'bad' AND finalized_at IS NULL")
	require.NoError(t, err)
	require.Zero(t, s.count(t, "("+query+") AS found"), "a poll that waits for the next window of the rate limit is not late")
}
