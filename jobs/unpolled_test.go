package jobs_test

import (
	"context"
	"database/sql"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestWatchBeginsWithItsFirstJob(t *testing.T) {
	t.Parallel()
	onBothStores(t, watchBeginsWithItsFirstJob[pgx.Tx], watchBeginsWithItsFirstJob[*sql.Tx])
}

// watchBeginsWithItsFirstJob has an API that rejects the key until the first poll is discarded. A result from before is delivered. Failed polls
// leave the time of the row.
func watchBeginsWithItsFirstJob[TTx any](t *testing.T, s *store[TTx]) {
	api := newAPI(t)
	o := api.organization("acme")
	o.Watch.Since = time.Time{}
	var accepted atomic.Bool
	o.Client = api.LiveClient(hiring.WithKeySource(func(context.Context) (string, error) {
		if accepted.Load() {
			return sandbox.LiveKey, nil
		}
		return "sk_live_unknown_0123456789", nil
	}))
	client, _ := s.watch(t, testConfig(), jobs.Results[TTx]{Organizations: []jobs.Organization{o}, Handle: s.insertResult})
	eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_poll' AND state = 'retryable'"))
	s.mustExec(t, "UPDATE hiring_jobs SET updated_at = '2026-01-01 00:00:00'")
	s.retryPoll(t)
	eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_poll' AND state = 'retryable'"))
	const old = "hiring_jobs WHERE organization = 'acme' AND address = '' AND status = 'begun' AND updated_at = '2026-01-01 00:00:00'"
	require.Equal(t, 1, s.count(t, old))

	api.addEvaluated(t, 1)
	s.discardPoll(t)
	accepted.Store(true)
	eventually(t, s.countIs(t, 1, "results"))
	list, err := client.JobList(t.Context(), river.NewJobListParams().Kinds(jobs.KindPoll))
	require.NoError(t, err)
	require.GreaterOrEqual(t, list.Jobs[1].AttemptedAt.Sub(*list.Jobs[0].FinalizedAt), 1900*time.Millisecond, "twice the interval of the health job after the last attempt")
	eventually(t, s.countIs(t, 0, old)) // A successful poll sets the time, in its last transaction.
}

// alertQueries returns the queries of alerts.sql by what they find.
func alertQueries(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("alerts.sql")
	require.NoError(t, err)
	queries := make(map[string]string)
	for _, found := range regexp.MustCompile(`(?m)^-- ([^:\n]+): .*\n([^;]+);`).FindAllStringSubmatch(string(text), -1) {
		queries[found[1]] = found[2]
	}
	require.Len(t, queries, strings.Count(string(text), ";\n")-1, "all but SET search_path")
	return queries
}

// alertQuery returns the query that finds something.
func alertQuery(t *testing.T, what string) string {
	t.Helper()
	query := alertQueries(t)[what]
	require.NotEmpty(t, query, what)
	return query
}

// TestAlertQueriesPostgres runs the file, and then each query on the tables before and after the faults that it finds.
func TestAlertQueriesPostgres(t *testing.T) {
	t.Parallel()
	s := newPostgres(t)
	text, err := os.ReadFile("alerts.sql")
	require.NoError(t, err)
	s.mustExec(t, "CREATE SCHEMA hiring")
	require.NoError(t, jobs.Migrate(t.Context(), s.database, "hiring"))
	s.mustExec(t, "ALTER TABLE river_job RENAME TO elsewhere; ALTER TABLE hiring_jobs RENAME TO elsewhere_too")
	s.mustExec(t, string(text))
	s.mustExec(t, "DROP SCHEMA hiring CASCADE; ALTER TABLE elsewhere RENAME TO river_job; ALTER TABLE elsewhere_too RENAME TO hiring_jobs")
	s.mustExec(t, string(text))
	found := func(want int) {
		t.Helper()
		for what, query := range alertQueries(t) {
			require.Equal(t, want, s.count(t, "("+query+`) AS found WHERE "`+what+`" <> ''`), what)
		}
	}
	found(0)
	s.mustExec(t, `INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail, updated_at) VALUES
		('acme', '', '', 'watching', '', now() - interval '1 hour'), ('acme', '', ' receiver', 'paused', '', now()),
		('acme', '', ' unreadable one', 'unreadable', '', now()), ('acme', 'a', 'ada@example.com', 'cancelled', '', now()),
		('acme', 'a', 'grace@example.com', 'sending', '', now() - interval '1 hour')`)
	s.mustExec(t, `INSERT INTO river_job (args, kind, queue, max_attempts, attempt, state, errors, created_at, finalized_at, attempted_at) VALUES
		('{"organization": "acme", "submission_id": "one"}', 'hiring_delivery', 'hiring_deliveries', 9, 1, 'retryable', ARRAY['{"error": "failed"}'::jsonb], now(), NULL, NULL),
		('{"organization": "acme", "submission_id": "two"}', 'hiring_delivery', 'hiring_deliveries', 9, 9, 'discarded', NULL, CURRENT_TIMESTAMP, now(), NULL),
		('{"organization": "acme", "submission_id": "three"}', 'hiring_delivery', 'hiring_deliveries', 9, 0, 'available', NULL, now() - interval '1 hour', NULL, NULL),
		('{"organization": "acme", "submission_id": "four"}', 'hiring_delivery', 'hiring_deliveries', 9, 1, 'running', NULL, now(), NULL, now() - interval '3 minutes'),
		('{"organization": "acme", "submission_id": "five"}', 'hiring_delivery', 'hiring_deliveries', 9, 2, 'retryable', ARRAY_FILL('{"error": "Stuck job rescued by JobRescuer"}'::jsonb, ARRAY[2]), now(), NULL, NULL)`)
	found(1)
	require.Equal(t, "one", queryValue[string](t, s.db, "SELECT submission FROM ("+alertQuery(t, "submissions that cannot be decoded")+") AS found"))
}
