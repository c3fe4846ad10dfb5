package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
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
	eventually(t, s.countIs(t, 1, "hiring_jobs WHERE organization = 'good' AND address = '' AND updated_at > now() - interval '40 minutes'"), "the row of the other organization is renewed")
	require.Equal(t, 1, s.count(t, "("+query+") AS found"))
	require.Equal(t, "bad", queryValue[string](t, s.db, query))

	stop()
	_, err = s.db.ExecContext(t.Context(), "UPDATE river_job SET state = 'scheduled', scheduled_at = now() + interval '10 minutes' WHERE args->>'organization' = 'bad' AND finalized_at IS NULL")
	require.NoError(t, err)
	require.Zero(t, s.count(t, "("+query+") AS found"), "a poll that waits for the next window of the rate limit is not late")
}

func TestAFailedPollLeavesTheTimeOfItsRow(t *testing.T) {
	t.Parallel()
	onBothStores(t, failedPollLeavesTheTimeOfItsRow[*riverpgxv5.Driver, pgx.Tx], failedPollLeavesTheTimeOfItsRow[*riversqlite.Driver, *sql.Tx])
}

// failedPollLeavesTheTimeOfItsRow repeats a poll whose key is revoked, and then accepts the key again.
func failedPollLeavesTheTimeOfItsRow[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	api := newAPI(t)
	api.RevokeKey(sandbox.LiveKey)
	client, _ := s.watch(t, testConfig(), jobs.Results[TTx]{Organizations: []jobs.Organization{api.organization("acme")}, Handle: s.insertResult})
	eventually(t, func() bool { return s.polls(t) > 0 })
	const old = "hiring_jobs WHERE organization = 'acme' AND address = '' AND updated_at = '2026-01-01 00:00:00'"
	_, err := s.db.ExecContext(t.Context(), "UPDATE hiring_jobs SET updated_at = '2026-01-01 00:00:00' WHERE organization = 'acme'")
	require.NoError(t, err)
	require.Equal(t, 1, s.count(t, old))
	failed := s.polls(t)
	id := queryValue[int64](t, s.db, "SELECT id FROM river_job WHERE kind = 'hiring_poll' AND finalized_at IS NULL")
	_, err = client.JobRetry(t.Context(), id) // Instead of the growing delay.
	require.NoError(t, err)
	eventually(t, func() bool { return s.polls(t) > failed })
	require.Equal(t, 1, s.count(t, old))

	api.AddKey(sandbox.Key{Token: sandbox.LiveKey})
	eventually(t, s.countIs(t, 0, old), "a successful poll sets the time")
}

func TestQueriesForOperators(t *testing.T) {
	t.Parallel()
	onBothStores(t, queriesForOperators[*riverpgxv5.Driver, pgx.Tx], queriesForOperators[*riversqlite.Driver, *sql.Tx])
}

// queriesForOperators runs queries of the README for a failing delivery, for the
// lateness of polls and for processes.
func queriesForOperators[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	good, bad := newAPI(t), newAPI(t)
	good.addEvaluated(t, 2)
	id := bad.addEvaluated(t, 1)[0]
	s.watch(t, testConfig(), jobs.Results[TTx]{
		Organizations: []jobs.Organization{good.organization("good"), bad.organization("bad")}, Retry: jobs.RetryPolicy{First: time.Hour},
		Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			if d.Organization.Name == "bad" {
				return errors.New("failed")
			}
			return s.insertResult(ctx, tx, d)
		},
	})
	count := func(condition, where string, args ...any) func() bool {
		return s.countIs(t, 1, "("+alertQuery(t, condition)+") AS found WHERE "+where, args...)
	}
	eventually(t, s.deliveredIs(t, 2))
	eventually(t, count("failing deliveries", "organization = 'bad' AND submission = $1 AND attempt = 1", id))
	require.Equal(t, 1, s.count(t, "("+alertQuery(t, "failing deliveries")+") AS found"))
	eventually(t, s.countIs(t, 2, "("+alertQuery(t, "organizations by lateness")+") AS found"))
	eventually(t, s.countIs(t, 1, "("+alertQuery(t, "processes")+") AS found"))
	require.Zero(t, s.count(t, "("+alertQuery(t, "submissions that cannot be decoded")+") AS found"))
}
