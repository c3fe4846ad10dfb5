package jobs_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/hiring-assessment/hiring-go/jobs"
)

// store is a database of a test's own, with a table of the user's.
type store[D riverdriver.Driver[TTx], TTx any] struct {
	driver D
	db     *sql.DB // The same database, to look at it.
	url    string
	exec   func(ctx context.Context, tx TTx, query string, args ...any) error
}

type (
	postgresStore = store[*riverpgxv5.Driver, pgx.Tx]
	sqliteStore   = store[*riversqlite.Driver, *sql.Tx]
)

const usersTable = "CREATE TABLE IF NOT EXISTS results (submission_id text, score integer, organization text)"

var databases atomic.Int64

// newPostgres makes a database of its own on the tests' server.
func newPostgres(tb testing.TB) *postgresStore {
	tb.Helper()
	ctx := tb.Context()
	at := postgresURL(tb)
	admin, err := pgx.Connect(ctx, at)
	require.NoError(tb, err)
	name := fmt.Sprintf("hiring_jobs_%d_%d", time.Now().UnixNano(), databases.Add(1))
	_, err = admin.Exec(ctx, "CREATE DATABASE "+name)
	require.NoError(tb, err)
	location, err := url.Parse(at)
	require.NoError(tb, err)
	location.Path = "/" + name
	tb.Cleanup(func() {
		ctx := context.WithoutCancel(tb.Context())
		_, err := admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		require.NoError(tb, err)
		require.NoError(tb, admin.Close(ctx))
	})
	s, stop, err := openPostgres(ctx, location.String())
	require.NoError(tb, err)
	tb.Cleanup(stop)
	s.migrate(tb)
	return s
}

func openPostgres(ctx context.Context, at string) (*postgresStore, func(), error) {
	config, err := pgxpool.ParseConfig(at)
	if err != nil {
		return nil, nil, err
	}
	config.MaxConns = 15
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, nil, err
	}
	s := &postgresStore{driver: riverpgxv5.New(pool), db: stdlib.OpenDBFromPool(pool), url: at}
	s.exec = func(ctx context.Context, tx pgx.Tx, query string, args ...any) error {
		_, err := tx.Exec(ctx, query, args...)
		return err
	}
	return s, func() { _ = s.db.Close(); pool.Close() }, nil
}

func newSQLite(tb testing.TB) *sqliteStore {
	tb.Helper()
	s, stop, err := openSQLite(filepath.Join(tb.TempDir(), "jobs.sqlite"))
	require.NoError(tb, err)
	tb.Cleanup(stop)
	s.migrate(tb)
	return s
}

func openSQLite(at string) (*sqliteStore, func(), error) {
	db, err := sql.Open("sqlite", "file:"+at+"?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	s := &sqliteStore{driver: riversqlite.New(db), db: db, url: at}
	s.exec = func(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	}
	return s, func() { _ = db.Close() }, nil
}

func (s *store[D, TTx]) migrate(tb testing.TB) {
	tb.Helper()
	require.NoError(tb, jobs.Migrate(tb.Context(), s.driver, nil))
	_, err := s.db.ExecContext(tb.Context(), usersTable)
	require.NoError(tb, err)
}

// put is a handler that writes to the user's table.
func (s *store[D, TTx]) put(ctx context.Context, tx TTx, d jobs.Delivery) error {
	score, _ := d.Report.Score()
	return s.exec(ctx, tx, "INSERT INTO results (submission_id, score, organization) VALUES ($1, $2, $3)", d.Submission.ID, score, d.Organization.Name)
}

// attempts is a policy that ends with the nth attempt.
func attempts(n int) jobs.RetryPolicy {
	return jobs.RetryPolicy{First: time.Second, Max: time.Second, End: time.Duration(n)*time.Second - 1}
}

// hurried is a configuration for tests, with little patience.
func hurried() *river.Config {
	return &river.Config{
		FetchCooldown: 10 * time.Millisecond, FetchPollInterval: 50 * time.Millisecond, TestOnly: true,
		Logger: slog.New(slog.DiscardHandler),
	}
}

// start runs a client until the test ends, or until it is told to stop.
func (s *store[D, TTx]) start(tb testing.TB, config *river.Config) (client *river.Client[TTx], stop func()) {
	tb.Helper()
	client, err := river.NewClient(s.driver, config)
	require.NoError(tb, err)
	require.NoError(tb, client.Start(context.WithoutCancel(tb.Context())))
	var stopped bool
	stop = func() {
		if !stopped {
			stopped = true
			ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), 20*time.Second)
			defer cancel()
			require.NoError(tb, client.StopAndCancel(ctx))
		}
	}
	tb.Cleanup(stop)
	return client, stop
}

// watch starts a client that watches for results. Deliveries are retried soon,
// unless a policy is given.
func (s *store[D, TTx]) watch(tb testing.TB, config *river.Config, results ...jobs.Results[TTx]) (client *river.Client[TTx], stop func()) {
	tb.Helper()
	for i := range results {
		if results[i].Retry == (jobs.RetryPolicy{}) {
			results[i].Retry.First = time.Second
		}
	}
	require.NoError(tb, jobs.Watch[D](config, results...))
	return s.start(tb, config)
}

// in runs do in a transaction of the user's.
func (s *store[D, TTx]) in(tb testing.TB, do func(ctx context.Context, tx TTx) error) error {
	tb.Helper()
	exec, err := s.driver.GetExecutor().Begin(tb.Context())
	require.NoError(tb, err)
	if err := do(tb.Context(), s.driver.UnwrapTx(exec)); err != nil {
		require.NoError(tb, exec.Rollback(tb.Context()))
		return err
	}
	return exec.Commit(tb.Context())
}

// value reads one value.
func value[T any](tb testing.TB, db *sql.DB, query string, args ...any) (v T) {
	tb.Helper()
	require.NoError(tb, db.QueryRowContext(tb.Context(), query, args...).Scan(&v), query)
	return v
}

// count counts rows.
func (s *store[D, TTx]) count(tb testing.TB, from string, args ...any) int {
	tb.Helper()
	return value[int](tb, s.db, "SELECT count(*) FROM "+from, args...)
}

// delivered tells whether so many deliveries are completed.
func (s *store[D, TTx]) delivered(tb testing.TB, n int) func() bool {
	tb.Helper()
	return func() bool {
		return s.count(tb, "river_job WHERE kind = 'hiring_delivery' AND state = 'completed'") == n
	}
}

// patience is how long what happens by itself may take on a busy machine.
const patience = 2 * time.Minute

// eventually waits for what other goroutines and processes do.
func eventually(tb testing.TB, is func() bool, what ...any) {
	tb.Helper()
	deadline := time.Now().Add(patience)
	for !is() {
		if time.Now().After(deadline) {
			require.Fail(tb, "it does not happen", what...)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func on(t *testing.T, postgres func(*testing.T, *postgresStore), sqlite func(*testing.T, *sqliteStore)) {
	t.Helper()
	t.Run("Postgres", func(t *testing.T) { t.Parallel(); postgres(t, newPostgres(t)) })
	t.Run("SQLite", func(t *testing.T) { t.Parallel(); sqlite(t, newSQLite(t)) })
}

// client is one that is not started.
func (s *store[D, TTx]) client(tb testing.TB, config *river.Config) *river.Client[TTx] {
	tb.Helper()
	client, err := river.NewClient(s.driver, config)
	require.NoError(tb, err)
	return client
}

// leader is the id of the client that leads.
func (s *store[D, TTx]) leader(tb testing.TB) (id string) {
	tb.Helper()
	_ = s.db.QueryRowContext(tb.Context(), "SELECT leader_id FROM river_leader").Scan(&id) // There may be none.
	return id
}

// rounds are how many the watch has made.
func (s *store[D, TTx]) rounds(tb testing.TB) int64 {
	tb.Helper()
	return value[int64](tb, s.db, "SELECT coalesce(max(version), 0) FROM hiring_jobs WHERE address = ''")
}

// summary says what there is of each kind, for when a test fails.
func (s *store[D, TTx]) summary(tb testing.TB) string {
	tb.Helper()
	var text strings.Builder
	rows, err := s.db.QueryContext(tb.Context(), `SELECT kind, CAST(state AS text), count(*), CAST(max(scheduled_at) AS text), max(CAST(errors AS text)) FROM river_job GROUP BY kind, state
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
	return text.String() + "\nled by " + s.leader(tb) + ", now " + time.Now().UTC().String()
}
