package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
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

func TestResultsAreStoredOnce(t *testing.T) {
	t.Parallel()
	onBothStores(t, resultsAreStoredOnce[pgx.Tx], resultsAreStoredOnce[*sql.Tx])
}

func resultsAreStoredOnce[TTx any](t *testing.T, s *store[TTx]) {
	api := newAPI(t)
	api.addEvaluated(t, 120) // Two pages.
	results := jobs.Results[TTx]{Organizations: api.organizations(), Handle: s.insertResult}
	_, stop := s.watch(t, testConfig(), results)
	stored := func(n int) {
		t.Helper()
		eventually(t, func() bool { return s.count(t, "results") >= n }, n)
	}
	stored(120)
	api.addEvaluated(t, 5)
	stored(125)
	stop()

	api.addEvaluated(t, 5)
	s.watch(t, testConfig(), results)
	stored(130)
	polls := s.polls(t)
	eventually(t, func() bool { return s.polls(t) > polls+1 }, "there are two more polls")
	s.requireStoredOnce(t, 130)
	require.LessOrEqual(t, s.count(t, "river_job WHERE kind = 'hiring_poll' AND state <> 'completed'"), 1)
}

// TestHandlerReceivesTheSubmissionOfTheAPIPostgres has a text that PostgreSQL's jsonb rejects, and a score of zero.
func TestHandlerReceivesTheSubmissionOfTheAPIPostgres(t *testing.T) {
	t.Parallel()
	s, api := newPostgres(t), newAPI(t)
	id := api.addSubmission(t)
	api.evaluate(t, id, sandbox.Result{ShipScore: new(0), Summary: "a\x00b", Extra: map[string]any{"new_member": 7}})
	delivered := make(chan hiring.Submission, 1)
	o := api.organization("acme")
	o.Value = 7
	s.watch(t, testConfig(), jobs.Results[pgx.Tx]{
		Organizations: []jobs.Organization{o},
		Handle: func(_ context.Context, _ pgx.Tx, d jobs.Delivery) error {
			require.Equal(t, d.Submission.ID, d.ID)
			require.Equal(t, *d.Submission.Report, d.Report)
			require.Equal(t, "acme", d.Organization.Name)
			require.Equal(t, 7, d.Organization.Value)
			delivered <- d.Submission
			return nil
		},
	})
	want, err := api.LiveClient().Submissions.Get(t.Context(), id)
	require.NoError(t, err)
	require.NotNil(t, want.WorkspaceArchiveURL)
	want.WorkspaceArchiveURL = nil
	require.Equal(t, want, <-delivered)
}

func TestFailedHandlerIsRolledBack(t *testing.T) {
	t.Parallel()
	onBothStores(t, failedHandlerIsRolledBack[pgx.Tx], failedHandlerIsRolledBack[*sql.Tx])
}

// failedHandlerIsRolledBack has a handler that writes its row in each call. The first calls end with an error, a panic, a snooze and
// River's timeout.
func failedHandlerIsRolledBack[TTx any](t *testing.T, s *store[TTx]) {
	api := newAPI(t)
	api.addEvaluated(t, 1)
	config := testConfig()
	config.JobTimeout = 3 * time.Second
	var calls atomic.Int64
	s.watch(t, config, jobs.Results[TTx]{
		Organizations: api.organizations(), Retry: attempts(30),
		Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			if err := s.insertResult(ctx, tx, d); err != nil {
				return err
			}
			switch calls.Add(1) {
			case 1:
				return errors.New("failed")
			case 2:
				panic("failed")
			case 3:
				return river.JobSnooze(0)
			case 4:
				<-ctx.Done()
			}
			return ctx.Err()
		},
	})
	eventually(t, s.deliveredIs(t, 1))
	require.GreaterOrEqual(t, calls.Load(), int64(5)) // More when an attempt reaches its timeout on a slow machine.
	require.Equal(t, 1, s.count(t, "results"))
	errors := "cardinality(errors)"
	if s.isSQLite() {
		errors = "json_array_length(errors)"
	}
	require.Equal(t, 1, s.count(t, "river_job WHERE kind = 'hiring_delivery' AND attempt = 1 + "+errors), "a snooze does not count as an attempt")
}

// TestStaleWorkerCannotCommitPostgres gives the job of a running handler to another
// worker, as River does after the machine of the first was suspended.
func TestStaleWorkerCannotCommitPostgres(t *testing.T) {
	t.Parallel()
	s, api := newPostgres(t), newAPI(t)
	api.addEvaluated(t, 1)
	var calls atomic.Int64
	second := make(chan struct{})
	s.watch(t, testConfig(), jobs.Results[pgx.Tx]{
		Organizations: api.organizations(),
		Handle: func(ctx context.Context, tx pgx.Tx, d jobs.Delivery) error {
			err := s.insertResult(ctx, tx, d)
			if calls.Add(1) > 1 {
				return err
			}
			_, updateErr := s.db.ExecContext(ctx, "UPDATE river_job SET state = 'available' WHERE kind = 'hiring_delivery'")
			require.NoError(t, updateErr)
			eventually(t, s.deliveredIs(t, 1))
			close(second)
			return err
		},
	})
	<-second
	eventually(t, s.countIs(t, 1, "hiring_jobs WHERE version > 2"))
	require.Equal(t, 1, s.count(t, "results"))
	require.EqualValues(t, 2, calls.Load())
}

func TestWatchRejectsInvalidResults(t *testing.T) {
	t.Parallel()
	s, api := newSQLite(t), newAPI(t)
	handle := func(context.Context, *sql.Tx, jobs.Delivery) error { return nil }
	for name, results := range map[string]jobs.Results[*sql.Tx]{
		"no handler":          {Organizations: api.organizations()},
		"no organization":     {Handle: handle},
		"no name":             {Handle: handle, Organizations: []jobs.Organization{{Client: api.LiveClient()}}},
		"no client":           {Handle: handle, Organizations: []jobs.Organization{{Name: "acme"}}},
		"the same name twice": {Handle: handle, Organizations: append(api.organizations(), api.organizations()...)},
		"negative interval":   {Handle: handle, Organizations: []jobs.Organization{{Name: "acme", Client: api.client, Watch: hiring.WatchOptions{MinInterval: -1}}}},
		"minimum too long":    {Handle: handle, Organizations: []jobs.Organization{{Name: "acme", Client: api.client, Watch: hiring.WatchOptions{MinInterval: 2, MaxInterval: 1}}}},
		"negative delay":      {Handle: handle, Organizations: api.organizations(), Retry: jobs.RetryPolicy{Max: -1}},
	} {
		t.Run(name, func(t *testing.T) {
			config := &river.Config{}
			require.Error(t, jobs.Watch(config, s.database, results))
			require.Nil(t, config.Workers)
		})
	}
	config := &river.Config{Queues: map[string]river.QueueConfig{jobs.QueuePolls: {MaxWorkers: 3}}}
	results, invitations := jobs.Results[*sql.Tx]{Handle: handle, Organizations: api.organizations()}, jobs.Invitations{Organizations: api.organizations()}
	require.Error(t, jobs.Watch(config, s.database))
	require.NoError(t, jobs.Watch(config, s.database, results))
	require.Error(t, jobs.Watch(config, s.database, results), "the first would not apply")
	require.NoError(t, jobs.SendInvitations(config, s.database, invitations))
	require.Error(t, jobs.SendInvitations(config, s.database, invitations))
	require.Equal(t, 3, config.Queues[jobs.QueuePolls].MaxWorkers, "the user's queue is unchanged")
}

// TestTimesThatRepeatJobsAreRefusedSQLite has configurations with which River would give running jobs to other workers.
func TestTimesThatRepeatJobsAreRefusedSQLite(t *testing.T) {
	t.Parallel()
	s, api := newSQLite(t), newAPI(t)
	for _, c := range []struct {
		timeout, after, want time.Duration // Without a wanted time the configuration is refused.
	}{
		{0, 0, 5 * time.Minute},
		{0, 4*time.Minute + 30*time.Second, 0}, // Invitations have three minutes, and 90 s more.
		{0, 4*time.Minute + 31*time.Second, 4*time.Minute + 31*time.Second},
		{time.Hour, 0, time.Hour + 2*time.Minute},
		{time.Hour, time.Hour + time.Minute, 0},
		{-1, 0, 0},
	} {
		config := &river.Config{JobTimeout: c.timeout, RescueStuckJobsAfter: c.after}
		err := jobs.SendInvitations(config, s.database, jobs.Invitations{Organizations: api.organizations()})
		if c.want == 0 {
			require.Error(t, err, "%+v", c)
			continue
		}
		require.NoError(t, err, "%+v", c)
		require.Equal(t, c.want, config.RescueStuckJobsAfter)
	}
}

func TestPoolThatHandlersMayUseUpIsRefusedPostgres(t *testing.T) {
	t.Parallel()
	s, api := newPostgres(t), newAPI(t)
	config := &river.Config{Queues: map[string]river.QueueConfig{jobs.QueueDeliveries: {MaxWorkers: 11}}}
	results := jobs.Results[pgx.Tx]{Organizations: api.organizations(), Handle: s.insertResult}
	require.ErrorContains(t, jobs.Watch(config, s.database, results), "set MaxConns of pgxpool.Config to at least 16")
	config.Queues[jobs.QueueDeliveries] = river.QueueConfig{MaxWorkers: 10}
	require.NoError(t, jobs.Watch(config, s.database, results))
}

// TestQueueFetchCooldownSQLite checks that River accepts a configuration, whose cooldown is kept.
func TestQueueFetchCooldownSQLite(t *testing.T) {
	t.Parallel()
	s, api := newSQLite(t), newAPI(t)
	for config, want := range map[*river.Config]time.Duration{
		{}: 10 * time.Millisecond, {FetchPollInterval: 100 * time.Millisecond}: 0, {FetchCooldown: 200 * time.Millisecond}: 0,
	} {
		require.NoError(t, jobs.Watch(config, s.database, jobs.Results[*sql.Tx]{Organizations: api.organizations(), Handle: s.insertResult}))
		require.Equal(t, want, config.Queues[jobs.QueueDeliveries].FetchCooldown)
		s.idle(t, config)
	}
}

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
		('{"organization": "acme", "submission_id": "five"}', 'hiring_delivery', 'hiring_deliveries', 9, 2, 'retryable', ARRAY_FILL('{"error": "Stuck job rescued by JobRescuer"}'::jsonb, ARRAY[2]), now(), NULL, NULL),
		('{"organization": "globex"}', 'hiring_invitations', 'hiring_invitations', 9, 1, 'retryable', ARRAY[jsonb_build_object('error', 'failed', 'at', now())], now(), NULL, NULL)`)
	found(1)
	for _, change := range []string{`errors = NULL, metadata = '{"hiring_waits": "plan"}'`, "metadata = '{}', errors = ARRAY_FILL(jsonb_build_object('error', 'Stuck job rescued by JobRescuer', 'at', now()), ARRAY[2])", "errors = NULL, metadata = '{}', state = 'running', attempted_at = now() - interval '5 minutes'"} {
		s.mustExec(t, "UPDATE river_job SET "+change+" WHERE kind = 'hiring_invitations'")
		found(1)
	}
	require.Equal(t, "one", queryValue[string](t, s.db, "SELECT submission FROM ("+alertQuery(t, "submissions that cannot be decoded")+") AS found"))
}

func TestPollWaitsForTheRateLimit(t *testing.T) {
	t.Parallel()
	onBothStores(t, pollWaitsForTheRateLimit[pgx.Tx], pollWaitsForTheRateLimit[*sql.Tx])
}

// pollWaitsForTheRateLimit uses up the rate limit beside the polls. The next poll says what it waits for, until it runs.
func pollWaitsForTheRateLimit[TTx any](t *testing.T, s *store[TTx]) {
	api := newAPI(t)
	client, _ := s.watch(t, testConfig(), jobs.Results[TTx]{Organizations: api.organizations(), Handle: s.insertResult})
	eventually(t, func() bool { return s.polls(t) > 0 })
	waits := s.countIs(t, 1, "river_job WHERE kind = 'hiring_poll' AND state = 'scheduled' AND metadata->>'hiring_waits' = 'rate limit'")
	require.False(t, waits())
	api.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 60) // Fewer than polls leave to others.
	eventually(t, waits)
	s.mustExec(t, "DELETE FROM hiring_jobs")
	require.NoError(t, retryAll(t.Context(), client, jobs.KindPoll, rivertype.JobStateScheduled))
	eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_poll' AND errors IS NOT NULL AND metadata->>'hiring_waits' = ''"), "the poll that follows fails")
}

func TestAPollNamesALongWait(t *testing.T) {
	t.Parallel()
	long, failing := hiring.PollResult{Wait: 40 * time.Minute}, hiring.PollResult{Wait: 40 * time.Minute, Progress: hiring.WaitProgress{Failing: "evaluated"}}
	require.Equal(t, "rate limit", jobs.WaitsFor(long, hiring.WatchOptions{}), "also after a complete listing")
	require.Equal(t, "API", jobs.WaitsFor(failing, hiring.WatchOptions{}))
	require.Empty(t, jobs.WaitsFor(long, hiring.WatchOptions{MinInterval: time.Hour}))
	require.Empty(t, jobs.WaitsFor(hiring.PollResult{Wait: 66 * time.Second, More: true}, hiring.WatchOptions{}))
}
