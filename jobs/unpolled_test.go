package jobs_test

import (
	"database/sql"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestAFailedPollLeavesTheTimeOfItsRow(t *testing.T) {
	t.Parallel()
	onBothStores(t, failedPollLeavesTheTimeOfItsRow[*riverpgxv5.Driver, pgx.Tx], failedPollLeavesTheTimeOfItsRow[*riversqlite.Driver, *sql.Tx])
}

// failedPollLeavesTheTimeOfItsRow saves the state of a poll whose key is revoked, and then accepts the key again.
func failedPollLeavesTheTimeOfItsRow[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	api := newAPI(t)
	api.RevokeKey(sandbox.LiveKey)
	s.mustExec(t, "INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail, updated_at) VALUES ('acme', '', '', 'begun', $1, '2026-01-01 00:00:00')",
		api.start.UTC().Format(time.RFC3339))
	s.watch(t, testConfig(), jobs.Results[TTx]{Organizations: api.organizations(), Handle: s.insertResult})
	eventually(t, func() bool { return s.polls(t) > 0 })
	const old = "hiring_jobs WHERE organization = 'acme' AND address = '' AND updated_at = '2026-01-01 00:00:00'"
	require.Equal(t, 1, s.count(t, old))

	api.AddKey(sandbox.Key{Token: sandbox.LiveKey})
	eventually(t, s.countIs(t, 0, old), "a successful poll sets the time")
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
	require.Len(t, queries, strings.Count(string(text), ";\n"))
	return queries
}

// alertQuery returns the query that finds something.
func alertQuery(t *testing.T, what string) string {
	t.Helper()
	query := alertQueries(t)[what]
	require.NotEmpty(t, query, what)
	return query
}

// TestAlertQueriesPostgres runs each query on the tables before and after the faults that it finds.
func TestAlertQueriesPostgres(t *testing.T) {
	t.Parallel()
	s := newPostgres(t)
	found := func(want int) {
		t.Helper()
		for what, query := range alertQueries(t) {
			require.Equal(t, want, s.count(t, "("+query+") AS found"), what)
		}
	}
	found(0)
	s.mustExec(t, `INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail, updated_at) VALUES
		('acme', '', '', 'watching', '', now() - interval '1 hour'), ('acme', '', ' receiver', 'paused', '', now()),
		('acme', '', ' unreadable one', 'unreadable', '', now()), ('acme', 'a', 'ada@example.com', 'cancelled', '', now()),
		('acme', 'a', 'grace@example.com', 'sending', '', now()), ('', ' worker', 'one', 'worker', '[]', now())`)
	s.mustExec(t, `INSERT INTO river_job (args, kind, queue, max_attempts, attempt, state, errors, finalized_at) VALUES
		('{"organization": "acme", "submission_id": "one"}', 'hiring_delivery', 'hiring_deliveries', 9, 1, 'retryable', '{"{}"}', NULL),
		('{"organization": "acme", "submission_id": "two"}', 'hiring_delivery', 'hiring_deliveries', 9, 9, 'discarded', '{"{}"}', now())`)
	found(1)
	require.Equal(t, "one", queryValue[string](t, s.db, "SELECT submission FROM ("+alertQuery(t, "submissions that cannot be decoded")+") AS found"))
}
