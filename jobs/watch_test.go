package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// world is a service with an assessment in which candidates are moved by hand.
type world struct {
	*sandbox.Server

	recruiter  *hiring.Client
	assessment string
	begun      time.Time
}

func newWorld(tb testing.TB) *world {
	tb.Helper()
	s := sandbox.New(sandbox.WithQuota(1000, 100_000))
	tb.Cleanup(s.Close)
	return &world{s, s.LiveClient(), s.AddAssessment("Backend engineer"), time.Now().Add(-time.Minute)}
}

// evaluated adds as many submissions, and returns their ids.
func (w *world) evaluated(tb testing.TB, n int) (ids []string) {
	tb.Helper()
	for range n {
		ids = append(ids, w.begins(tb))
		w.grade(tb, ids[len(ids)-1], sandbox.Result{ShipScore: len(ids) % 100})
	}
	return ids
}

var people atomic.Int64

func (w *world) begins(tb testing.TB) (submission string) {
	tb.Helper()
	i, err := w.recruiter.Invitations.Send(tb.Context(), w.assessment, hiring.NewInvitation{
		Email: fmt.Sprintf("candidate-%d@example.com", people.Add(1)), Name: "A Candidate",
	})
	require.NoError(tb, err)
	submission, err = w.Begin(i.ID)
	require.NoError(tb, err)
	return submission
}

func (w *world) grade(tb testing.TB, submission string, r sandbox.Result) {
	tb.Helper()
	require.NoError(tb, w.Submit(submission))
	require.NoError(tb, w.Evaluate(submission, r))
}

// organization watches it, with little patience.
func (w *world) organization(name string) jobs.Organization {
	return jobs.Organization{Name: name, Client: w.LiveClient(), Watch: hiring.WatchOptions{
		Since: w.begun, MinInterval: time.Second, MaxInterval: time.Second,
	}}
}

func (w *world) organizations() []jobs.Organization {
	return []jobs.Organization{w.organization("acme")}
}

func TestResultsArriveOnce(t *testing.T) {
	t.Parallel()
	on(t, resultsArriveOnce[*riverpgxv5.Driver, pgx.Tx], resultsArriveOnce[*riversqlite.Driver, *sql.Tx])
}

func resultsArriveOnce[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	w.evaluated(t, 120) // Two pages.
	results := jobs.Results[TTx]{Organizations: w.organizations(), Handle: s.put}
	_, stop := s.watch(t, hurried(), results)
	arrived := func(n int) {
		t.Helper()
		eventually(t, func() bool { return s.count(t, "results") >= n }, n)
	}
	arrived(120)
	w.evaluated(t, 5)
	arrived(125)
	stop()

	w.evaluated(t, 5)
	s.watch(t, hurried(), results)
	arrived(130)
	rounds := value[int64](t, s.db, "SELECT version FROM hiring_jobs")
	eventually(t, func() bool { return value[int64](t, s.db, "SELECT version FROM hiring_jobs") > rounds+1 })
	require.Equal(t, 130, s.count(t, "results"))
	require.Equal(t, 130, value[int](t, s.db, "SELECT count(DISTINCT submission_id) FROM results"))
	require.LessOrEqual(t, s.count(t, "river_job WHERE kind = 'hiring_poll' AND state <> 'completed'"), 1)
}

func TestHandlerGetsWhatTheServiceSaysSQLite(t *testing.T) {
	t.Parallel()
	s, w := newSQLite(t), newWorld(t)
	id := w.begins(t)
	// What a jsonb of PostgreSQL would refuse, and a score of zero.
	w.grade(t, id, sandbox.Result{ShipScore: 0, Summary: "a\x00b", Extra: map[string]any{"new_member": 7}})
	got := make(chan hiring.Submission, 1)
	s.watch(t, hurried(), jobs.Results[*sql.Tx]{
		Organizations: w.organizations(),
		Handle: func(_ context.Context, _ *sql.Tx, d jobs.Delivery) error {
			require.Equal(t, *d.Submission.Report, d.Report)
			got <- d.Submission
			return nil
		},
	})
	want, err := w.LiveClient().Submissions.Get(t.Context(), id)
	require.NoError(t, err)
	require.NotNil(t, want.WorkspaceArchiveURL)
	want.WorkspaceArchiveURL = nil
	require.Equal(t, want, <-got)
}

// TestTextThatJSONBRefusesPostgres would fail in the round, and hold up all.
func TestTextThatJSONBRefusesPostgres(t *testing.T) {
	t.Parallel()
	s, w := newPostgres(t), newWorld(t)
	w.grade(t, w.begins(t), sandbox.Result{ShipScore: 1, Summary: "a\x00b"})
	s.watch(t, hurried(), jobs.Results[pgx.Tx]{Organizations: w.organizations(), Handle: s.put})
	eventually(t, func() bool { return s.count(t, "results") == 1 })
}

func TestFailedHandlerLeavesNothing(t *testing.T) {
	t.Parallel()
	on(t, failedHandlerLeavesNothing[*riverpgxv5.Driver, pgx.Tx], failedHandlerLeavesNothing[*riversqlite.Driver, *sql.Tx])
}

func failedHandlerLeavesNothing[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	ids := w.evaluated(t, 3)
	var failed, panicked atomic.Bool
	s.watch(t, hurried(), jobs.Results[TTx]{
		Organizations: w.organizations(),
		Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			if err := s.put(ctx, tx, d); err != nil {
				return err
			}
			if d.Submission.ID == ids[0] && failed.CompareAndSwap(false, true) {
				return errors.New("no luck")
			}
			if d.Submission.ID == ids[1] && panicked.CompareAndSwap(false, true) {
				panic("no luck at all")
			}
			return nil
		},
	})
	eventually(t, s.delivered(t, 3))
	require.Equal(t, 3, s.count(t, "results"))
	require.True(t, failed.Load())
	require.True(t, panicked.Load())
}

func TestHandlerPausesAndTakesTooLong(t *testing.T) {
	t.Parallel()
	on(t, handlerPausesAndTakesTooLong[*riverpgxv5.Driver, pgx.Tx], handlerPausesAndTakesTooLong[*riversqlite.Driver, *sql.Tx])
}

// handlerPausesAndTakesTooLong has a handler that snoozes, and then one attempt
// that River's timeout ends: nothing of either stays.
func handlerPausesAndTakesTooLong[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	w.evaluated(t, 1)
	config := hurried()
	config.JobTimeout = time.Second
	var calls atomic.Int64
	s.watch(t, config, jobs.Results[TTx]{
		Organizations: w.organizations(),
		Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			if err := s.put(ctx, tx, d); err != nil {
				return err
			}
			switch calls.Add(1) {
			case 1:
				return river.JobSnooze(0)
			case 2:
				<-ctx.Done()
			}
			return ctx.Err()
		},
	})
	eventually(t, s.delivered(t, 1))
	require.EqualValues(t, 3, calls.Load())
	require.Equal(t, 1, s.count(t, "results"))
	require.Equal(t, 2, value[int](t, s.db, "SELECT attempt FROM river_job WHERE kind = 'hiring_delivery'"), "a pause is no attempt")
}

func TestOrganizationsSideBySide(t *testing.T) {
	t.Parallel()
	on(t, organizationsSideBySide[*riverpgxv5.Driver, pgx.Tx], organizationsSideBySide[*riversqlite.Driver, *sql.Tx])
}

// organizationsSideBySide has one whose key is refused between two others.
func organizationsSideBySide[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	first, bad, second := newWorld(t), newWorld(t), newWorld(t)
	first.evaluated(t, 3)
	second.evaluated(t, 4)
	bad.RevokeKey(sandbox.LiveKey)
	s.watch(t, hurried(), jobs.Results[TTx]{
		Organizations: []jobs.Organization{first.organization("first"), bad.organization("bad"), second.organization("second")},
		Handle:        s.put,
	})
	eventually(t, func() bool { return s.count(t, "results") == 7 })
	eventually(t, func() bool {
		return s.count(t, "river_job WHERE kind = 'hiring_poll' AND state = 'retryable'") == 1
	}, "the failure shows")
	require.Equal(t, 2, value[int](t, s.db, "SELECT count(DISTINCT args->>'organization') FROM river_job WHERE kind = 'hiring_poll' AND state = 'completed'"))
}

func TestLostAndForeignStatesAreRefused(t *testing.T) {
	t.Parallel()
	on(t, lostAndForeignStatesAreRefused[*riverpgxv5.Driver, pgx.Tx], lostAndForeignStatesAreRefused[*riversqlite.Driver, *sql.Tx])
}

func lostAndForeignStatesAreRefused[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	w.evaluated(t, 2)
	results := jobs.Results[TTx]{Organizations: w.organizations(), Handle: s.put}
	run := func(results jobs.Results[TTx], until func() bool) {
		t.Helper()
		_, stop := s.watch(t, hurried(), results)
		eventually(t, until)
		stop()
	}
	failed := func() bool {
		return s.count(t, "river_job WHERE kind = 'hiring_poll' AND state = 'retryable'") == 1
	}
	run(results, func() bool { return s.count(t, "results") == 2 })
	state := value[string](t, s.db, "SELECT detail FROM hiring_jobs")

	exec := func(query string, args ...any) {
		t.Helper()
		_, err := s.db.ExecContext(t.Context(), query, args...)
		require.NoError(t, err)
	}
	exec("DELETE FROM hiring_jobs")
	run(results, failed)
	exec("DELETE FROM river_job") // Even then nothing begins anew.
	run(results, failed)
	require.Equal(t, "lost", value[string](t, s.db, "SELECT status FROM hiring_jobs"))

	exec("UPDATE hiring_jobs SET status = 'watching', detail = $1", state) // From a backup.
	exec("DELETE FROM river_job")
	w.evaluated(t, 1)
	run(results, func() bool { return s.count(t, "results") == 3 })

	foreign := newWorld(t)
	foreign.AddKey(sandbox.Key{Token: "sk_live_other", Scope: sandbox.ScopeAdmin, Organization: "other"})
	client, err := hiring.New(foreign.URL(), "sk_live_other")
	require.NoError(t, err)
	results.Organizations[0].Client = client
	exec("DELETE FROM river_job")
	run(results, failed)
	require.Equal(t, 3, s.count(t, "results"))
}

// TestStaleWorkerCannotCommitPostgres has a worker taken for dead while it works,
// as after a long pause of its machine.
func TestStaleWorkerCannotCommitPostgres(t *testing.T) {
	t.Parallel()
	s, w := newPostgres(t), newWorld(t)
	w.evaluated(t, 1)
	var calls atomic.Int64
	second := make(chan struct{})
	s.watch(t, hurried(), jobs.Results[pgx.Tx]{
		Organizations: w.organizations(),
		Handle: func(ctx context.Context, tx pgx.Tx, d jobs.Delivery) error {
			err := s.put(ctx, tx, d)
			if calls.Add(1) > 1 {
				return err
			}
			_, failure := s.db.ExecContext(ctx, "UPDATE river_job SET state = 'available' WHERE kind = 'hiring_delivery'")
			require.NoError(t, failure)
			eventually(t, s.delivered(t, 1))
			close(second)
			return err
		},
	})
	<-second
	eventually(t, func() bool { return s.count(t, "hiring_jobs WHERE version > 2") == 1 })
	require.Equal(t, 1, s.count(t, "results"))
	require.EqualValues(t, 2, calls.Load())
}

func TestServiceGoneForHours(t *testing.T) {
	t.Parallel()
	on(t, serviceGoneForHours[*riverpgxv5.Driver, pgx.Tx], serviceGoneForHours[*riversqlite.Driver, *sql.Tx])
}

// serviceGoneForHours has a service that answers nothing for six hours, and that is
// caught up with.
func serviceGoneForHours[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	w.evaluated(t, 2)
	var gone atomic.Bool
	o := w.organization("acme")
	client, err := hiring.New("http://sandbox.test", sandbox.LiveKey, hiring.WithInsecureHTTP(), hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}),
		hiring.WithHTTPClient(&http.Client{Transport: through(func(r *http.Request) (*http.Response, error) {
			if gone.Load() {
				return nil, errors.New("no route to host")
			}
			return w.Transport().RoundTrip(r)
		})}))
	require.NoError(t, err)
	o.Client = client
	s.watch(t, hurried(), jobs.Results[TTx]{Organizations: []jobs.Organization{o}, Handle: s.put})
	eventually(t, func() bool { return s.count(t, "results") == 2 })
	gone.Store(true)
	eventually(t, func() bool { return s.count(t, "river_job WHERE kind = 'hiring_poll' AND state = 'retryable'") == 1 })
	for range 6 {
		w.evaluated(t, 50)
		w.Advance(time.Hour)
	}
	before := len(w.Journal())
	gone.Store(false)
	eventually(t, func() bool { return s.count(t, "results") == 302 })
	reads := 0
	for _, e := range w.Journal()[before:] {
		if e.Method == http.MethodGet {
			reads++
		}
	}
	require.Less(t, reads, 1000)
	t.Logf("caught up with 300 evaluations of 6 h with %d reads", reads)
}

type through func(*http.Request) (*http.Response, error)

func (f through) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestWatchRefusesWhatCannotBeMeant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	handle := func(context.Context, *sql.Tx, jobs.Delivery) error { return nil }
	for name, results := range map[string]jobs.Results[*sql.Tx]{
		"nowhere": {Organizations: w.organizations()},
		"nobody":  {Handle: handle},
		"no name": {Handle: handle, Organizations: []jobs.Organization{{Client: w.LiveClient()}}},
		"no key":  {Handle: handle, Organizations: []jobs.Organization{{Name: "acme"}}},
		"twice":   {Handle: handle, Organizations: append(w.organizations(), w.organizations()...)},
	} {
		t.Run(name, func(t *testing.T) {
			config := &river.Config{}
			require.Error(t, jobs.Watch[*riversqlite.Driver](config, results))
			require.Nil(t, config.Workers)
		})
	}
	config := &river.Config{Queues: map[string]river.QueueConfig{jobs.QueuePolls: {MaxWorkers: 3}}, RescueStuckJobsAfter: time.Hour}
	require.NoError(t, jobs.Watch[*riversqlite.Driver](config, jobs.Results[*sql.Tx]{Handle: handle, Organizations: w.organizations()}))
	require.Equal(t, 3, config.Queues[jobs.QueuePolls].MaxWorkers, "what the user says stays")
	require.Equal(t, time.Hour, config.RescueStuckJobsAfter)
	require.Positive(t, config.Queues[jobs.QueueDeliveries].MaxWorkers)
}

// TestQueuesLookSoonSQLite: what the user says of it stays, and River takes the result.
func TestQueuesLookSoonSQLite(t *testing.T) {
	t.Parallel()
	s, w := newSQLite(t), newWorld(t)
	for _, c := range []struct{ cooldown, period, want time.Duration }{
		{0, 0, 10 * time.Millisecond},
		{0, 100 * time.Millisecond, 10 * time.Millisecond}, // River's shortest, without a cooldown.
		{200 * time.Millisecond, 0, 0},
	} {
		config := &river.Config{FetchCooldown: c.cooldown, FetchPollInterval: c.period}
		require.NoError(t, jobs.Watch[*riversqlite.Driver](config, jobs.Results[*sql.Tx]{Organizations: w.organizations(), Handle: s.put}))
		require.Equal(t, c.want, config.Queues[jobs.QueueDeliveries].FetchCooldown)
		_, err := river.NewClient(s.driver, config)
		require.NoError(t, err, "%+v", c)
	}
}
