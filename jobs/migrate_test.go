package jobs_test

import (
	"database/sql"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
)

func TestMigrationsUpAndDown(t *testing.T) {
	t.Parallel()
	onBothStores(t, migrationsUpAndDown[*riverpgxv5.Driver, pgx.Tx], migrationsUpAndDown[*riversqlite.Driver, *sql.Tx])
}

func migrationsUpAndDown[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	require.NoError(t, jobs.Migrate(t.Context(), s.driver, nil), "a second call changes nothing")
	migrator, err := jobs.Migrator[TTx](s.driver, nil)
	require.NoError(t, err)
	valid, err := migrator.Validate(t.Context(), nil)
	require.NoError(t, err)
	require.True(t, valid.OK, valid.Messages)
	_, err = migrator.Migrate(t.Context(), rivermigrate.DirectionDown, &rivermigrate.MigrateOpts{TargetVersion: -1})
	require.NoError(t, err)
	_, err = s.db.ExecContext(t.Context(), "SELECT * FROM hiring_jobs")
	require.Error(t, err)
	require.NoError(t, jobs.Migrate(t.Context(), s.driver, nil))
	require.Zero(t, s.count(t, "hiring_jobs"))
	require.Zero(t, s.count(t, "river_job"), "River's tables are unchanged")
}

// TestMigrateFromManyProcessesPostgres starts with an empty database.
func TestMigrateFromManyProcessesPostgres(t *testing.T) {
	t.Parallel()
	s := newPostgres(t)
	_, err := s.db.ExecContext(t.Context(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { assert.NoError(t, jobs.Migrate(t.Context(), s.driver, nil)) })
	}
	all.Wait()
	require.Zero(t, s.count(t, "hiring_jobs"))
}
