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

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// retryPoll makes the unfinished poll available, as a first attempt, when none of its attempts is running.
func (s *store[TTx]) retryPoll(t *testing.T) {
	t.Helper()
	eventually(t, func() bool {
		updated, err := s.db.ExecContext(t.Context(), `UPDATE river_job SET state = 'available', attempt = 0, errors = NULL, scheduled_at = CURRENT_TIMESTAMP
			WHERE kind = 'hiring_poll' AND state IN ('available', 'retryable', 'scheduled')`)
		require.NoError(t, err)
		n, err := updated.RowsAffected()
		require.NoError(t, err)
		return n == 1
	})
}

// discardPoll discards the poll when none of its attempts is running.
func (s *store[TTx]) discardPoll(t *testing.T) {
	t.Helper()
	eventually(t, func() bool {
		s.mustExec(t, "UPDATE river_job SET state = 'discarded', finalized_at = CURRENT_TIMESTAMP WHERE kind = 'hiring_poll' AND state IN ('available', 'retryable')")
		return s.count(t, "river_job WHERE kind = 'hiring_poll' AND state = 'discarded'") == 1
	})
}

func TestDeletedRowIsAnErrorWithItsStatement(t *testing.T) {
	t.Parallel()
	onBothStores(t, deletedRowIsAnErrorWithItsStatement[pgx.Tx], deletedRowIsAnErrorWithItsStatement[*sql.Tx])
}

// deletedRowIsAnErrorWithItsStatement deletes the row of a watch, discards the failing poll, sets rows that are not usable, and runs the
// statement of the error.
func deletedRowIsAnErrorWithItsStatement[TTx any](t *testing.T, s *store[TTx]) {
	api := newAPIBehind(t, 2*time.Hour)
	api.addEvaluated(t, 2)
	o := api.organization("acme's")
	results := jobs.Results[TTx]{Organizations: []jobs.Organization{o}, Handle: s.insertResult}
	_, stop := s.watch(t, testConfig(), results)
	eventually(t, s.deliveredIs(t, 2))
	stop() // A running poll would write the row again.
	s.mustExec(t, "DELETE FROM hiring_jobs WHERE address = ''")
	config := testConfig()
	var log logBuffer
	config.Logger = log.logger()
	client, _ := s.watch(t, config, results)
	lastError := func() string { // Of the only unfinished poll, after it has failed.
		t.Helper()
		var text string
		eventually(t, func() bool {
			list, err := client.JobList(t.Context(), river.NewJobListParams().Kinds(jobs.KindPoll).
				States(rivertype.JobStateAvailable, rivertype.JobStateRetryable, rivertype.JobStateRunning))
			require.NoError(t, err)
			if len(list.Jobs) == 1 && len(list.Jobs[0].Errors) > 0 {
				text = list.Jobs[0].Errors[len(list.Jobs[0].Errors)-1].Error
			}
			return strings.Contains(text, "hiring_jobs was deleted") // On a busy machine polls also fail because of their timeout.
		})
		return text
	}
	text := lastError()
	require.Contains(t, log.String(), `cause="no state" `)
	require.NotContains(t, text, `"`, "a log would change the statement")
	s.discardPoll(t)
	require.Equal(t, text, lastError(), "a poll that replaces a discarded one does not start the watch again")
	for _, row := range [][2]string{{"watching", ""}, {"begun", ""}, {"begun", "2026-01-02"}, {"begun", "0001-01-01T00:00:00Z"}, {"begin", "2026-01-02T15:04:05Z"}} {
		s.mustExec(t, "DELETE FROM hiring_jobs WHERE address = ''")
		s.mustExec(t, "INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail) VALUES ('acme''s', '', '', $1, $2)", row[0], row[1])
		s.retryPoll(t)
		require.Equal(t, text, lastError(), row)
	}

	api.Advance(time.Hour)
	api.addEvaluated(t, 3)
	s.mustExec(t, "DELETE FROM river_job WHERE id = (SELECT max(id) FROM river_job WHERE kind = 'hiring_delivery')") // River deletes each after a day.
	_, statement, _ := strings.Cut(text, "delivered twice): ")
	s.mustExec(t, statement)
	first := queryValue[time.Time](t, s.db, "SELECT created_at FROM river_job WHERE kind = 'hiring_poll' AND state <> 'completed' ORDER BY id LIMIT 1")
	require.Equal(t, first.Add(-24*time.Hour).UTC().Format(time.RFC3339), queryValue[string](t, s.db, "SELECT detail FROM hiring_jobs WHERE address = ''"))
	s.retryPoll(t)
	eventually(t, s.deliveredIs(t, 5))
	require.Equal(t, 6, s.count(t, "results"), "what River keeps is not delivered twice")
}

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

// TestRefusedStateIsLeftAloneSQLite has a state that this version cannot read, then the key of another account, and then the right key and state again. The next poll uses the key.
func TestRefusedStateIsLeftAloneSQLite(t *testing.T) {
	t.Parallel()
	s, api := newSQLite(t), newAPI(t)
	api.addEvaluated(t, 1)
	table, r, own := newCustomers(), newRecorder(), api.organization("acme").Client
	table.set("acme", customer{api: api, client: own})
	results := jobs.Results[*sql.Tx]{Directory: table.directory(), Handle: s.insertResult, Telemetry: r.telemetry()}
	_, stop := s.watch(t, testConfig(), results)
	eventually(t, s.deliveredIs(t, 1))
	stop()
	state := queryValue[string](t, s.db, "SELECT detail FROM hiring_jobs")
	api.AddKey(sandbox.Key{Token: "sk_live_other", Organization: "other"})
	other := api.LiveClient(hiring.WithKeySource(func(context.Context) (string, error) { return "sk_live_other", nil }))
	config := testConfig()
	var log logBuffer
	config.Logger = log.logger()
	for n, c := range []struct {
		client               *hiring.Client
		saved, cause, advice string
	}{
		{own, "hiring-watch-99" + state[strings.Index(state, " "):], `[^:"]+`, `another version has saved it: wait while a newer version is deployed`},
		{other, state, "is of another account", `jobs: .*Restore it, or the key of its account, or start a day before .* twice\): INSERT`},
	} {
		s.mustExec(t, "UPDATE hiring_jobs SET detail = $1", c.saved)
		table.set("acme", customer{api: api, client: c.client}) // The revision stays the same.
		if n == 0 {
			s.watch(t, config, results)
		}
		for i := range 2 {
			s.retryPoll(t)
			eventually(t, func() bool { return r.eventOf(jobs.KindPoll, jobs.EventStateRefused) >= 2*n+i+1 })
			eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_poll' AND state = 'scheduled' AND errors IS NULL"))
		}
		require.Regexp(t, `level=WARN msg="jobs: this process cannot use the saved state of the watch .*" organization=acme cause="`+c.cause+
			`" error="`+c.advice, log.String())
		require.Equal(t, n == 1, strings.Contains(log.String(), "INSERT"))
		require.Equal(t, c.saved, queryValue[string](t, s.db, "SELECT detail FROM hiring_jobs"))
	}
	table.set("acme", customer{api: api, client: own})
	api.addEvaluated(t, 1)
	require.Eventually(t, func() bool { s.retryPoll(t); return s.count(t, "results") == 2 }, maxWait, time.Second)
	s.requireStoredOnce(t, 2)
}
