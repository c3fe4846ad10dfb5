package jobs_test

import (
	"database/sql"
	"path/filepath"
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
