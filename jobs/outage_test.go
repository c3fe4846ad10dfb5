package jobs_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/jobs/internal/testing/pgtest"
)

// TestWorkersRecoverAfterADatabaseRestartPostgres stops and starts a server while a client
// runs.
func TestWorkersRecoverAfterADatabaseRestartPostgres(t *testing.T) {
	t.Parallel()
	downtime := 5 * time.Second
	if longTests() {
		downtime = time.Minute
	}
	server, err := pgtest.New(t.Context(), t)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	s, stop, err := openPostgres(t.Context(), server.URL)
	require.NoError(t, err)
	t.Cleanup(stop)
	require.NoError(t, s.migrate(t.Context()))

	api := newAPI(t)
	api.addEvaluated(t, 10)
	config := testConfig()
	config.JobTimeout = 5 * time.Second
	require.NoError(t, jobs.Watch(config, s.database, jobs.Results[pgx.Tx]{Organizations: api.organizations(), Handle: s.insertResult}))
	config.RescueStuckJobsAfter = 6 * time.Second // River rescues the jobs whose connection was lost.
	s.start(t, config)
	eventually(t, s.deliveredIs(t, 10))
	api.addEvaluated(t, 100)
	require.NoError(t, server.Stop())
	time.Sleep(downtime)
	api.addEvaluated(t, 10)
	require.NoError(t, server.Start(t.Context()))
	eventually(t, s.deliveredIs(t, 120))
	s.requireStoredOnce(t, 120)
}
