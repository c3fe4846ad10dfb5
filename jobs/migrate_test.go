package jobs_test

import (
	"context"
	"database/sql"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
)

// TestMigrateFromManyProcesses starts with an empty database. Each process has one connection.
func TestMigrateFromManyProcesses(t *testing.T) {
	t.Parallel()
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		s := newPostgres(t)
		s.mustExec(t, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
		migrateAtOnce(t, func() jobs.Database[pgx.Tx] {
			config, err := pgxpool.ParseConfig(s.url)
			require.NoError(t, err)
			config.MaxConns = 1
			pool, err := pgxpool.NewWithConfig(t.Context(), config)
			require.NoError(t, err)
			t.Cleanup(pool.Close)
			return jobs.Postgres(pool)
		})
		require.Zero(t, s.count(t, "hiring_jobs, river_job"))
	})
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		var db *sql.DB
		path := filepath.Join(t.TempDir(), "jobs.sqlite")
		migrateAtOnce(t, func() jobs.Database[*sql.Tx] {
			s, stop, err := openSQLite(path)
			require.NoError(t, err)
			t.Cleanup(stop)
			db = s.db
			return s.database
		})
		require.Zero(t, queryValue[int](t, db, "SELECT count(*) FROM hiring_jobs, river_job"))
	})
}

func migrateAtOnce[TTx any](t *testing.T, open func() jobs.Database[TTx]) {
	t.Helper()
	results := make(chan error)
	var last jobs.Database[TTx]
	for range 4 {
		last = open()
		go func(db jobs.Database[TTx]) { results <- jobs.Migrate(t.Context(), db, "") }(last)
	}
	for range 4 {
		require.NoError(t, <-results)
	}
	require.NoError(t, jobs.Migrate(t.Context(), last, ""), "a second call changes nothing")
}

// TestMigratedTablesNeedNoRightsPostgres calls Migrate with a role that may only read and write rows, and works with it.
func TestMigratedTablesNeedNoRightsPostgres(t *testing.T) {
	t.Parallel()
	s, api := newPostgres(t), newAPI(t)
	role := "worker_" + strings.TrimPrefix(queryValue[string](t, s.db, "SELECT current_database()"), "hiring_")
	s.mustExec(t, "CREATE ROLE "+role+" LOGIN")
	t.Cleanup(func() {
		_, err := s.db.ExecContext(context.WithoutCancel(t.Context()), "DROP OWNED BY "+role+"; DROP ROLE "+role)
		require.NoError(t, err)
	})
	s.mustExec(t, "CREATE SCHEMA hiring")
	require.NoError(t, jobs.Migrate(t.Context(), s.database, "hiring"))
	s.mustExec(t, `GRANT USAGE ON SCHEMA hiring TO `+role+`;
		GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hiring TO `+role+`;
		GRANT USAGE ON ALL SEQUENCES IN SCHEMA hiring TO `+role+`;
		GRANT INSERT ON results TO `+role)
	location, err := url.Parse(s.url)
	require.NoError(t, err)
	location.User = url.User(role)
	worker, stop, err := openPostgres(t.Context(), location.String())
	require.NoError(t, err)
	t.Cleanup(stop)
	require.NoError(t, jobs.Migrate(t.Context(), worker.database, "hiring"))

	api.addEvaluated(t, 1)
	config := testConfig()
	config.Schema = "hiring"
	require.NoError(t, jobs.SendInvitations(config, worker.database, jobs.Invitations{Organizations: api.organizations()}))
	client, _ := worker.watch(t, config, jobs.Results[pgx.Tx]{Organizations: api.organizations(), Handle: worker.insertResult})
	worker.invite(t, client, api.assessment, candidates(1)...)
	eventually(t, s.countIs(t, 1, "results"))
	eventually(t, s.countIs(t, 1, "hiring.hiring_jobs WHERE status = 'sent'"))
}
