package jobs_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
)

// withClock returns a store on the database of s whose clock is changed by the row of fake.clock.
func (s *store[TTx]) withClock(t *testing.T) *postgresStore {
	t.Helper()
	s.mustExec(t, `CREATE SCHEMA fake; CREATE TABLE fake.clock AS SELECT interval '0' AS ahead;
		CREATE FUNCTION fake.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT pg_catalog.now() + ahead FROM fake.clock'`)
	faked, stop, err := openPostgres(t.Context(), s.url+"&search_path=fake,public,pg_catalog")
	require.NoError(t, err)
	t.Cleanup(stop)
	return faked
}

// TestWrongClockOfAProcessDelaysNothingPostgres has a process that is ahead of the API and of the database by 15 minutes, and a handler that
// snoozes the delivery, and then fails.
func TestWrongClockOfAProcessDelaysNothingPostgres(t *testing.T) {
	t.Parallel()
	s, api := newPostgres(t), newAPIBehind(t, 15*time.Minute)
	faked := s.withClock(t)
	s.mustExec(t, "UPDATE fake.clock SET ahead = '-15 min'")
	o := api.organization("acme")
	o.Watch.Since = time.Time{}
	var attempts atomic.Int64
	faked.watch(t, testConfig(), jobs.Results[pgx.Tx]{Organizations: []jobs.Organization{o}, Handle: func(ctx context.Context, tx pgx.Tx, d jobs.Delivery) error {
		switch attempts.Add(1) {
		case 1:
			return river.JobSnooze(time.Second)
		case 2:
			return errors.New("failed")
		}
		return s.insertResult(ctx, tx, d)
	}})
	eventually(t, s.countIs(t, 1, "hiring_jobs"))
	api.addEvaluated(t, 1)
	eventually(t, s.countIs(t, 1, "results"))
	polls := s.polls(t)
	eventually(t, func() bool { return s.polls(t) > polls+1 })
}

// TestClockOfTheDatabaseIsComparedPostgres has a process without jobs, and a database whose clock is changed.
func TestClockOfTheDatabaseIsComparedPostgres(t *testing.T) {
	t.Parallel()
	s, api, r := newPostgres(t), newAPI(t), newRecorder()
	faked, config := s.withClock(t), testConfig()
	var log logBuffer
	config.Logger = log.logger()
	require.NoError(t, jobs.SendInvitations(config, faked.database, jobs.Invitations{Organizations: api.organizations(), Telemetry: r.telemetry()}))
	delete(config.Queues, jobs.QueueHealth)
	faked.start(t, config)
	const changed = `msg="jobs: the difference between the clocks of this process and the database has changed: a process that is ahead by RescueStuckJobsAfter (five minutes) starts running jobs again: correct the clock" ahead=`
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
