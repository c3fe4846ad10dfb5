package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
)

func TestManyResultsAreSavedInParts(t *testing.T) {
	t.Parallel()
	onBothStores(t, manyResultsAreSavedInParts[pgx.Tx], manyResultsAreSavedInParts[*sql.Tx])
}

// manyResultsAreSavedInParts polls 250 results. 200 of them are saved when the process fails.
func manyResultsAreSavedInParts[TTx any](t *testing.T, s *store[TTx]) {
	api := newAPI(t)
	api.addEvaluated(t, 250)
	config := testConfig()
	inserted, saved := 0, make(chan int, 1)
	config.Hooks = append(config.Hooks, river.HookInsertBeginFunc(func(_ context.Context, job *rivertype.JobInsertParams) error {
		if job.Kind != jobs.KindDelivery {
			return nil
		}
		inserted++ // One poll runs at a time.
		if inserted == 230 {
			go func() { saved <- s.count(t, "river_job WHERE kind = 'hiring_delivery'") }() // SQLite's only connection is in use.
			return errors.New("the connection was lost")
		}
		return nil
	}))
	s.watch(t, config, jobs.Results[TTx]{Organizations: api.organizations(), Handle: s.insertResult})
	eventually(t, s.deliveredIs(t, 250))
	require.Equal(t, 200, <-saved)
	s.requireStoredOnce(t, 250)
	require.Equal(t, 1, s.count(t, "river_job WHERE kind = 'hiring_poll' AND errors IS NOT NULL"))
}

// TestStateOfANewerVersionIsLeftAloneSQLite has a state that this version cannot read, and then the one of this version again.
func TestStateOfANewerVersionIsLeftAloneSQLite(t *testing.T) {
	t.Parallel()
	s, api := newSQLite(t), newAPI(t)
	api.addEvaluated(t, 1)
	organization, r := api.recordedOrganization()
	results := jobs.Results[*sql.Tx]{Organizations: []jobs.Organization{organization}, Handle: s.insertResult, Telemetry: r.telemetry()}
	_, stop := s.watch(t, testConfig(), results)
	eventually(t, s.deliveredIs(t, 1))
	stop()
	state := queryValue[string](t, s.db, "SELECT detail FROM hiring_jobs")
	newer := "hiring-watch-99" + state[strings.Index(state, " "):]
	s.mustExec(t, "UPDATE hiring_jobs SET detail = $1", newer)

	config := testConfig()
	var log logBuffer
	config.Logger = log.logger()
	s.watch(t, config, results)
	snoozed := s.countIs(t, 1, "river_job WHERE kind = 'hiring_poll' AND state = 'scheduled' AND errors IS NULL")
	for n := range 2 {
		eventually(t, func() bool { return r.eventOf(jobs.KindPoll, jobs.EventStateRefused) == n+1 })
		eventually(t, snoozed)
		s.retryPoll(t)
	}
	require.Contains(t, log.String(), "cannot use the saved state of the watch")
	require.Equal(t, newer, queryValue[string](t, s.db, "SELECT detail FROM hiring_jobs"))

	s.mustExec(t, "UPDATE hiring_jobs SET detail = $1", state)
	api.addEvaluated(t, 1)
	require.Eventually(t, func() bool { s.retryPoll(t); return s.count(t, "results") == 2 }, maxWait, time.Second)
	s.requireStoredOnce(t, 2)
}
