package jobs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
)

// TestClockOfTheDatabaseIsComparedPostgres has a process without jobs, and a database whose clock is changed.
func TestClockOfTheDatabaseIsComparedPostgres(t *testing.T) {
	t.Parallel()
	s, api, r := newPostgres(t), newAPI(t), newRecorder()
	s.mustExec(t, `CREATE SCHEMA fake; CREATE TABLE fake.clock AS SELECT interval '0' AS ahead;
		CREATE FUNCTION fake.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT pg_catalog.now() + ahead FROM fake.clock'`)
	faked, stop, err := openPostgres(t.Context(), s.url+"&search_path=fake,public,pg_catalog")
	require.NoError(t, err)
	t.Cleanup(stop)
	config := testConfig()
	var log logBuffer
	config.Logger = log.logger()
	require.NoError(t, jobs.SendInvitations(config, faked.database, jobs.Invitations{Organizations: api.organizations(), Telemetry: r.telemetry()}))
	delete(config.Queues, jobs.QueueHealth)
	faked.start(t, config)
	const changed = `msg="jobs: the difference between the clocks of this process and the database has changed" ahead=`
	set := func(database string, want time.Duration, warnings, errors int) {
		t.Helper()
		s.mustExec(t, "UPDATE fake.clock SET ahead = CAST($1 AS interval)", database)
		_, before := r.ahead()
		eventually(t, func() bool {
			ahead, n := r.ahead()
			return n > before+1 && (ahead-want).Abs() < 4*time.Second // A slow statement explains a part of the difference.
		})
		require.Equal(t, warnings, strings.Count(log.String(), "level=WARN "+changed+"1"))
		require.Equal(t, errors, strings.Count(log.String(), "level=ERROR "+changed+"1"))
	}
	set("0", 0, 0, 0)
	set("-15 s", 15*time.Second, 1, 0)
	set("-15 min", 15*time.Minute, 1, 1)
	set("2 min", -2*time.Minute, 1, 1)
	set("0", 0, 1, 1)
	set("-16 s", 16*time.Second, 2, 1)
}
