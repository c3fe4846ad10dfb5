package jobs_test

import (
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/jobs/internal/pgtest"
)

// TestDatabaseGonePostgres stops a server of its own under a running client.
func TestDatabaseGonePostgres(t *testing.T) {
	t.Parallel()
	away := 5 * time.Second
	if os.Getenv("HIRING_LONG") != "" {
		away = time.Minute
	}
	server, err := pgtest.New(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	s, stop, err := openPostgres(t.Context(), server.URL)
	require.NoError(t, err)
	t.Cleanup(stop)
	s.migrate(t)

	w := newWorld(t)
	w.evaluated(t, 10)
	config := hurried()
	config.JobTimeout, config.RescueStuckJobsAfter = 5*time.Second, 6*time.Second // What a lost connection leaves running is rescued.
	s.watch(t, config, jobs.Results[pgx.Tx]{Organizations: w.organizations(), Handle: s.put})
	eventually(t, s.delivered(t, 10))
	w.evaluated(t, 100)
	require.NoError(t, server.Stop())
	time.Sleep(away)
	w.evaluated(t, 10)
	require.NoError(t, server.Start(t.Context()))
	eventually(t, s.delivered(t, 120))
	require.Equal(t, 120, s.count(t, "results"))
	require.Equal(t, 120, value[int](t, s.db, "SELECT count(DISTINCT submission_id) FROM results"))
}
