package jobs_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestOrganizationThatWasNeverReadIsFoundPostgres by the query of the README, as one
// that is read no more.
func TestOrganizationThatWasNeverReadIsFoundPostgres(t *testing.T) {
	t.Parallel()
	s, good, bad := newPostgres(t), newWorld(t), newWorld(t)
	bad.RevokeKey(sandbox.LiveKey)
	s.watch(t, hurried(), jobs.Results[pgx.Tx]{
		Organizations: []jobs.Organization{good.organization("good"), bad.organization("bad")}, Handle: s.put,
	})
	eventually(t, func() bool {
		return s.count(t, "river_job WHERE args->>'organization' = 'good' AND state = 'completed'") > 0
	})
	eventually(t, func() bool {
		return s.count(t, "river_job WHERE args->>'organization' = 'bad' AND errors IS NOT NULL") == 1
	})
	query := alert(t, "an organization that is not read")
	require.Zero(t, s.count(t, "("+query+") AS found"), "its first polls have just failed")
	_, err := s.db.ExecContext(t.Context(), "UPDATE hiring_jobs SET updated_at = updated_at - interval '1 hour'")
	require.NoError(t, err)
	attempt := func() int {
		return value[int](t, s.db, "SELECT attempt FROM river_job WHERE args->>'organization' = 'bad'")
	}
	now := attempt()
	eventually(t, func() bool { return attempt() > now }, "a poll that fails changes nothing")
	eventually(t, func() bool { return s.count(t, "("+query+") AS found") == 1 }, "the other is read again")
	require.Equal(t, "bad", value[string](t, s.db, query))
}
