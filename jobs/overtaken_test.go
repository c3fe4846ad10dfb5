package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestAttemptOvertakenWhileItIsRecordedPostgres completes the job in another
// transaction while River records the end of an attempt: River's UPDATE waits for the
// lock of the row. River 0.47.0 then read the old version of the row and panicked in its
// own goroutine, which ended the process. Later versions do not.
func TestAttemptOvertakenWhileItIsRecordedPostgres(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func() error{
		"Success": func() error { return nil },
		"Error":   func() error { return errors.New("failed") },
		"Cancel":  func() error { return river.JobCancel(errors.New("cancelled")) },
		"Snooze":  func() error { return river.JobSnooze(0) },
		"Panic":   func() error { panic("failed") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, api := newPostgres(t), newAPI(t)
			api.addEvaluated(t, 1)
			transactions := make(chan *sql.Tx, 1)
			s.watch(t, testConfig(), jobs.Results[pgx.Tx]{
				Organizations: api.organizations(),
				Send: func(context.Context, jobs.Delivery) error {
					transactions <- s.completeRunning(t, "hiring_delivery")
					return end()
				},
			})
			s.commitWhenAwaited(t, <-transactions)
			eventually(t, s.deliveredIs(t, 1))
			polls := s.polls(t)
			eventually(t, func() bool { return s.polls(t) > polls+1 }, "the process continues to poll")
		})
	}
}

// completeRunning completes the running job of a kind in a new transaction, which it
// does not commit.
func (s *store[D, TTx]) completeRunning(t *testing.T, kind string) *sql.Tx {
	t.Helper()
	tx, err := s.db.BeginTx(context.WithoutCancel(t.Context()), nil)
	require.NoError(t, err)
	updated, err := tx.ExecContext(t.Context(), "UPDATE river_job SET state = 'completed', finalized_at = now() WHERE kind = $1 AND state = 'running'", kind)
	require.NoError(t, err)
	n, err := updated.RowsAffected()
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	return tx
}

// commitWhenAwaited commits tx when another transaction waits for the lock of one of
// its rows.
func (s *store[D, TTx]) commitWhenAwaited(t *testing.T, tx *sql.Tx) {
	t.Helper()
	eventually(t, func() bool {
		return s.count(t, "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") > 0
	}, "River's UPDATE waits for the lock")
	require.NoError(t, tx.Commit())
}

// TestConcurrentStopsAndRetriesDuringCommitsPostgres provokes races at the end of an
// attempt. Commits take 30 ms. Clients are stopped during commits, which cancels the
// contexts of the commits, and completed deliveries are retried.
func TestConcurrentStopsAndRetriesDuringCommitsPostgres(t *testing.T) {
	t.Parallel()
	stops, n := 25, 200
	if longTests() {
		stops, n = 250, 2000
	}
	// A retry of a submission that no poll has found yet costs a read.
	s, api := newPostgres(t), newAPI(t, sandbox.WithQuota(100_000, 100_000))
	for _, statement := range []string{
		"CREATE FUNCTION slow_commit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.03); RETURN NULL; END'",
		"CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON results DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow_commit()",
	} {
		_, err := s.db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	ids := api.addEvaluated(t, n)
	results := jobs.Results[pgx.Tx]{Organizations: api.organizations(), Handle: s.insertResult}
	retrySome := func(client *river.Client[pgx.Tx]) {
		for range 3 {
			id := ids[rand.IntN(len(ids))]
			s.deliver(t, client, "acme", id)
		}
	}
	for range stops {
		client, stop := s.watch(t, testConfig(), results)
		stored := s.count(t, "results")
		waitForCount(t, stored+1, func() int { retrySome(client); return s.count(t, "results") }, func() string { return s.summary(t) })
		stop()
	}
	s.watch(t, testConfig(), results)
	eventually(t, s.deliveredIs(t, n), "every delivery is completed")
	require.Equal(t, n, queryValue[int](t, s.db, "SELECT count(DISTINCT submission_id) FROM results"))
}
