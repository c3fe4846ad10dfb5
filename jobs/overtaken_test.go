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
)

// TestAttemptOvertakenWhileItIsRecordedPostgres has another transaction complete the
// job while River records the end of an attempt: the UPDATE of River waits for the
// lock of the row. River 0.47.0 then reads the row as it was before, running, and
// panics in a goroutine of its own, which would end this test process.
func TestAttemptOvertakenWhileItIsRecordedPostgres(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func() error{
		"Success": func() error { return nil },
		"Error":   func() error { return errors.New("no luck") },
		"Cancel":  func() error { return river.JobCancel(errors.New("not wanted")) },
		"Snooze":  func() error { return river.JobSnooze(0) },
		"Panic":   func() error { panic("no luck at all") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, w := newPostgres(t), newWorld(t)
			w.evaluated(t, 1)
			rival := make(chan *sql.Tx, 1)
			s.watch(t, hurried(), jobs.Results[pgx.Tx]{
				Organizations: w.organizations(),
				Send: func(context.Context, jobs.Delivery) error {
					rival <- s.overtake(t, "hiring_delivery")
					return end()
				},
			})
			s.commitWhenAwaited(t, <-rival)
			eventually(t, s.delivered(t, 1))
			rounds := s.rounds(t)
			eventually(t, func() bool { return s.rounds(t) > rounds+1 }, "the process works on")
		})
	}
}

// overtake completes the running job of a kind in a transaction of its own.
func (s *store[D, TTx]) overtake(t *testing.T, kind string) *sql.Tx {
	t.Helper()
	tx, err := s.db.BeginTx(context.WithoutCancel(t.Context()), nil)
	require.NoError(t, err)
	done, err := tx.ExecContext(t.Context(), "UPDATE river_job SET state = 'completed', finalized_at = now() WHERE kind = $1 AND state = 'running'", kind)
	require.NoError(t, err)
	n, err := done.RowsAffected()
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	return tx
}

// commitWhenAwaited commits once another transaction waits for one of its rows.
func (s *store[D, TTx]) commitWhenAwaited(t *testing.T, tx *sql.Tx) {
	t.Helper()
	eventually(t, func() bool {
		return s.count(t, "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") > 0
	}, "River records the end of the attempt")
	require.NoError(t, tx.Commit())
}

// TestStopsAndRepeatsWhileDeliveriesCommitPostgres provokes the races at the end of
// an attempt: commits take 30 ms, clients are stopped in the middle of them, which
// cancels their contexts, and completed deliveries are made to run again.
func TestStopsAndRepeatsWhileDeliveriesCommitPostgres(t *testing.T) {
	t.Parallel()
	stops, n := 25, 200
	if full() {
		stops, n = 250, 2000
	}
	s, w := newPostgres(t), newWorld(t)
	for _, statement := range []string{
		"CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.03); RETURN NULL; END'",
		"CREATE CONSTRAINT TRIGGER linger AFTER INSERT ON results DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION linger()",
	} {
		_, err := s.db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	ids := w.evaluated(t, n)
	results := jobs.Results[pgx.Tx]{Organizations: w.organizations(), Handle: s.put}
	repeat := func(client *river.Client[pgx.Tx]) {
		for range 3 {
			id := ids[rand.IntN(len(ids))]
			require.NoError(t, s.in(t, func(ctx context.Context, tx pgx.Tx) error { return jobs.Deliver(ctx, client, tx, "acme", id) }))
		}
	}
	for range stops {
		client, stop := s.watch(t, hurried(), results)
		stored := s.count(t, "results")
		eventually(t, func() bool { repeat(client); return s.count(t, "results") > stored })
		stop()
	}
	s.watch(t, hurried(), results)
	eventually(t, s.delivered(t, n), "every delivery ends")
	require.Equal(t, n, value[int](t, s.db, "SELECT count(DISTINCT submission_id) FROM results"))
}
