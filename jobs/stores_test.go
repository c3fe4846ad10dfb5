package jobs_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/hiring-assessment/hiring-go/jobs"
)

// store is a database for one test, with the table results.
type store[TTx any] struct {
	database  jobs.Database[TTx]
	db        *sql.DB // The same database, for queries of the test.
	url       string
	newClient func(*river.Config) (*river.Client[TTx], error)
	begin     func(ctx context.Context, do func(tx TTx) error) error
	exec      func(ctx context.Context, tx TTx, query string, args ...any) error
}

type (
	postgresStore = store[pgx.Tx]
	sqliteStore   = store[*sql.Tx]
)

const resultsTable = "CREATE TABLE IF NOT EXISTS results (submission_id text, score integer, organization text)"

var databases atomic.Int64

// newPostgres creates a database on the shared server, and drops it after the test.
func newPostgres(tb testing.TB) *postgresStore {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context())
	require.NoError(tb, openShared(ctx, tb)) // The server runs longer than this test.
	name := fmt.Sprintf("%s_%d", shared.template, databases.Add(1))
	require.NoError(tb, onShared(ctx, "CREATE DATABASE "+name+" TEMPLATE "+shared.template))
	tb.Cleanup(func() { require.NoError(tb, onShared(ctx, "DROP DATABASE "+name+" WITH (FORCE)")) })
	s, stop, err := openPostgres(ctx, sharedURL(name))
	require.NoError(tb, err)
	tb.Cleanup(stop)
	s.logFailure(tb)
	return s
}

// openPostgres opens a database, and returns a function that closes it.
func openPostgres(ctx context.Context, databaseURL string) (*postgresStore, func(), error) {
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return nil, nil, err
	}
	config.MaxConns = 15
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, nil, err
	}
	s := &postgresStore{
		database: jobs.Postgres(pool), db: stdlib.OpenDBFromPool(pool), url: databaseURL,
		newClient: func(c *river.Config) (*river.Client[pgx.Tx], error) { return river.NewClient(riverpgxv5.New(pool), c) },
		begin:     func(ctx context.Context, do func(pgx.Tx) error) error { return pgx.BeginFunc(ctx, pool, do) },
		exec: func(ctx context.Context, tx pgx.Tx, query string, args ...any) error {
			_, err := tx.Exec(ctx, query, args...)
			return err
		},
	}
	return s, func() { _ = s.db.Close(); pool.Close() }, nil
}

func newSQLite(tb testing.TB) *sqliteStore {
	tb.Helper()
	s, stop, err := openSQLite(filepath.Join(tb.TempDir(), "jobs.sqlite"))
	require.NoError(tb, err)
	tb.Cleanup(stop)
	require.NoError(tb, s.migrate(tb.Context()))
	s.logFailure(tb)
	return s
}

// openSQLite opens a file, and returns a function that closes it.
func openSQLite(path string) (*sqliteStore, func(), error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)")
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	s := &sqliteStore{
		database: jobs.SQLite(db), db: db, url: path,
		newClient: func(c *river.Config) (*river.Client[*sql.Tx], error) { return river.NewClient(riversqlite.New(db), c) },
		begin: func(ctx context.Context, do func(*sql.Tx) error) error {
			tx, err := db.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			defer func() { _ = tx.Rollback() }() // Has no effect after the commit.
			if err := do(tx); err != nil {
				return err
			}
			return tx.Commit()
		},
		exec: func(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
			_, err := tx.ExecContext(ctx, query, args...)
			return err
		},
	}
	return s, func() { _ = db.Close() }, nil
}

func (s *store[TTx]) migrate(ctx context.Context) error {
	if err := jobs.Migrate(ctx, s.database, ""); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, resultsTable)
	return err
}

func (s *store[TTx]) isSQLite() bool { return strings.HasPrefix(s.url, "/") }

// insertResult is a handler that stores a result in the table results.
func (s *store[TTx]) insertResult(ctx context.Context, tx TTx, d jobs.Delivery) error {
	score, _ := d.Report.Score()
	return s.exec(ctx, tx, "INSERT INTO results (submission_id, score, organization) VALUES ($1, $2, $3)", d.Submission.ID, score, d.Organization.Name)
}

// attempts returns a policy with n attempts, a second apart.
func attempts(n int) jobs.RetryPolicy {
	return jobs.RetryPolicy{First: time.Second, Max: time.Second, End: time.Duration(n)*time.Second - 1}
}

// testConfig returns a configuration with short intervals.
func testConfig() *river.Config {
	return &river.Config{
		FetchCooldown: 10 * time.Millisecond, FetchPollInterval: 200 * time.Millisecond, TestOnly: true,
		Logger: slog.New(slog.DiscardHandler),
	}
}

// skipScheduler makes a job that is due within seconds available at its time. Otherwise it would wait for River's scheduler, which runs
// every 5 s.
func skipScheduler(_ context.Context, job *rivertype.JobInsertParams) error {
	if job.State == rivertype.JobStateScheduled && job.ScheduledAt != nil && time.Until(*job.ScheduledAt).Abs() < 5*time.Second {
		job.State = rivertype.JobStateAvailable
	}
	return nil
}

// start runs a client until the test ends or stop is called.
func (s *store[TTx]) start(tb testing.TB, config *river.Config) (client *river.Client[TTx], stop func()) {
	tb.Helper()
	if config.FetchPollInterval > 0 { // Unlike the configuration of benchmarks.
		config.Hooks = append(config.Hooks, river.HookInsertBeginFunc(skipScheduler))
	}
	client, err := s.newClient(config)
	require.NoError(tb, err)
	require.NoError(tb, client.Start(context.WithoutCancel(tb.Context())))
	ending := func(stop func(context.Context) error) func() {
		return func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), maxWait)
			defer cancel()
			require.NoError(tb, stop(ctx))
		}
	}
	tb.Cleanup(ending(client.StopAndCancel))
	return client, ending(client.Stop) // Stop also finishes the jobs that are being fetched. After StopAndCancel they may stay running until River rescues them.
}

// watch starts a client that watches for results. Without a policy, deliveries are
// retried after a second.
func (s *store[TTx]) watch(tb testing.TB, config *river.Config, results ...jobs.Results[TTx]) (client *river.Client[TTx], stop func()) {
	tb.Helper()
	for i := range results {
		if results[i].Retry == (jobs.RetryPolicy{}) {
			results[i].Retry.First = time.Second
		}
	}
	require.NoError(tb, jobs.Watch(config, s.database, results...))
	return s.start(tb, config)
}

// inTx runs do in a transaction, and commits it unless do returns an error.
func (s *store[TTx]) inTx(tb testing.TB, do func(ctx context.Context, tx TTx) error) error {
	tb.Helper()
	return s.begin(tb.Context(), func(tx TTx) error { return do(tb.Context(), tx) })
}

// queryValue returns the result of a query with one value.
func queryValue[T any](tb testing.TB, db *sql.DB, query string, args ...any) (v T) {
	tb.Helper()
	require.NoError(tb, db.QueryRowContext(tb.Context(), query, args...).Scan(&v), query)
	return v
}

// mustExec executes a statement.
func (s *store[TTx]) mustExec(tb testing.TB, statement string, args ...any) {
	tb.Helper()
	_, err := s.db.ExecContext(tb.Context(), statement, args...)
	require.NoError(tb, err)
}

// count returns the number of rows of a table, with an optional condition after its
// name.
func (s *store[TTx]) count(tb testing.TB, from string, args ...any) int {
	tb.Helper()
	return queryValue[int](tb, s.db, "SELECT count(*) FROM "+from, args...)
}

// countIs returns a function that reports whether count returns n.
func (s *store[TTx]) countIs(tb testing.TB, n int, from string, args ...any) func() bool {
	return func() bool {
		tb.Helper()
		return s.count(tb, from, args...) == n
	}
}

// requireStoredOnce checks that results has n rows, all of different submissions.
func (s *store[TTx]) requireStoredOnce(tb testing.TB, n int) {
	tb.Helper()
	require.Equal(tb, n, s.count(tb, "results"))
	require.Equal(tb, n, queryValue[int](tb, s.db, "SELECT count(DISTINCT submission_id) FROM results"))
}

// deliver calls Deliver in a transaction, and commits it.
func (s *store[TTx]) deliver(tb testing.TB, client *river.Client[TTx], organization, submission string) {
	tb.Helper()
	require.NoError(tb, s.inTx(tb, func(ctx context.Context, tx TTx) error {
		return jobs.Deliver(ctx, client, tx, organization, submission)
	}))
}

// deliveredIs returns a function that reports whether n deliveries are completed.
func (s *store[TTx]) deliveredIs(tb testing.TB, n int) func() bool {
	tb.Helper()
	return s.countIs(tb, n, "river_job WHERE kind = 'hiring_delivery' AND state = 'completed'")
}

// maxWait is the longest wait for a condition, on a busy machine.
const maxWait = 2 * time.Minute

// eventually waits until a condition holds. The description is for the failure message.
func eventually(tb testing.TB, condition func() bool, description ...any) {
	tb.Helper()
	deadline := time.Now().Add(maxWait)
	for !condition() {
		if time.Now().After(deadline) {
			require.Fail(tb, "the condition did not hold in time", description...)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// waitForCount waits until count returns at least n. It fails when the count has not
// grown for maxWait.
func waitForCount(tb testing.TB, n int, count func() int, summary func() string) {
	tb.Helper()
	for highest, at := -1, time.Now(); highest < n; time.Sleep(100 * time.Millisecond) {
		if now := count(); now > highest {
			highest, at = now, time.Now()
		}
		if time.Since(at) > maxWait {
			require.Fail(tb, "the count does not grow", "%d of %d: %s", highest, n, summary())
		}
	}
}

// onBothStores runs a test on PostgreSQL and on SQLite.
func onBothStores(t *testing.T, postgres func(*testing.T, *postgresStore), sqlite func(*testing.T, *sqliteStore)) {
	t.Helper()
	t.Run("Postgres", func(t *testing.T) { t.Parallel(); postgres(t, newPostgres(t)) })
	t.Run("SQLite", func(t *testing.T) { t.Parallel(); sqlite(t, newSQLite(t)) })
}

// idle returns a client that is not started.
func (s *store[TTx]) idle(tb testing.TB, config *river.Config) *river.Client[TTx] {
	tb.Helper()
	client, err := s.newClient(config)
	require.NoError(tb, err)
	return client
}

// leader returns the id of the leading client, or "".
func (s *store[TTx]) leader(tb testing.TB) (id string) {
	tb.Helper()
	_ = s.db.QueryRowContext(context.WithoutCancel(tb.Context()), "SELECT leader_id FROM river_leader").Scan(&id) // There may be none.
	return id
}

// polls returns the number of saved polls, also failed ones, of the organization with the most.
func (s *store[TTx]) polls(tb testing.TB) int64 {
	tb.Helper()
	return queryValue[int64](tb, s.db, "SELECT coalesce(max(version), 0) FROM hiring_jobs WHERE address = ''")
}

// logFailure logs the summary when the test has failed.
func (s *store[TTx]) logFailure(tb testing.TB) {
	tb.Helper()
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Log(s.summary(tb))
		}
	})
}

// summary describes the jobs and rows of the database, for failure messages.
func (s *store[TTx]) summary(tb testing.TB) string {
	tb.Helper()
	var text strings.Builder
	rows, err := s.db.QueryContext(context.WithoutCancel(tb.Context()), `SELECT kind, CAST(state AS text), count(*), CAST(max(scheduled_at) AS text), max(CAST(errors AS text)) FROM river_job GROUP BY kind, state
		UNION ALL SELECT 'hiring_jobs', status, count(*), CAST(max(updated_at) AS text), NULL FROM hiring_jobs GROUP BY status`)
	require.NoError(tb, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var kind, state string
		var n int
		var at, errors sql.NullString
		require.NoError(tb, rows.Scan(&kind, &state, &n, &at, &errors))
		fmt.Fprintf(&text, "\n%s %s: %d, latest %s %.2000s", kind, state, n, at.String, errors.String)
	}
	require.NoError(tb, rows.Err())
	return text.String() + "\nleader " + s.leader(tb) + ", now " + time.Now().UTC().String()
}
