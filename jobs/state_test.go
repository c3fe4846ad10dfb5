package jobs_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
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
	s.mustExec(t, strings.Replace(statement, "2026-01-02T15:04:05Z", api.start.Add(-24*time.Hour).UTC().Format(time.RFC3339), 1))
	s.retryPoll(t)
	eventually(t, s.deliveredIs(t, 5))
	require.Equal(t, 6, s.count(t, "results"), "what River keeps is not delivered twice")
}
