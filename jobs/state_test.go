package jobs_test

import (
	"database/sql"
	"errors"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// do changes the database.
func (s *store[D, TTx]) do(t *testing.T, query string, args ...any) {
	t.Helper()
	_, err := s.db.ExecContext(t.Context(), query, args...)
	require.NoError(t, err)
}

// pollIs tells whether there is one poll in a state.
func (s *store[D, TTx]) pollIs(t *testing.T, state string) func() bool {
	t.Helper()
	return func() bool { return s.count(t, "river_job WHERE kind = 'hiring_poll' AND state = $1", state) == 1 }
}

// again has the poll that waits tried at once.
func (s *store[D, TTx]) again(t *testing.T, client *river.Client[TTx]) {
	t.Helper()
	_, err := client.JobRetry(t.Context(), value[int64](t, s.db, "SELECT max(id) FROM river_job WHERE kind = 'hiring_poll'"))
	require.NoError(t, err)
}

func TestReplacementBeginsWhereTheFirstJobDid(t *testing.T) {
	t.Parallel()
	on(t, replacementBeginsWhereTheFirstJobDid[*riverpgxv5.Driver, pgx.Tx], replacementBeginsWhereTheFirstJobDid[*riversqlite.Driver, *sql.Tx])
}

// replacementBeginsWhereTheFirstJobDid: a first job, inserted two hours ago, was
// given up without having reached the service. What was evaluated an hour ago is
// found by the job after it.
func replacementBeginsWhereTheFirstJobDid[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := worldSince(t, time.Hour)
	ids := w.evaluated(t, 1)
	var gone atomic.Bool
	gone.Store(true)
	o := w.organization("acme")
	o.Watch.Since = time.Time{}
	o.Client = w.failing(t, func(r *http.Request) (*http.Response, error) {
		if gone.Load() {
			return nil, errors.New("no route to host")
		}
		return w.Transport().RoundTrip(r)
	})
	results := jobs.Results[TTx]{Organizations: []jobs.Organization{o}, Handle: s.put}
	config := hurried()
	config.MaxAttempts = 1
	require.NoError(t, jobs.Watch[D](config, results))
	_, err := s.client(t, config).Insert(t.Context(), jobs.PollArgs{Organization: "acme"}, nil)
	require.NoError(t, err)
	first := time.Now().Add(-2 * time.Hour).Truncate(time.Second).UTC()
	s.do(t, "UPDATE river_job SET created_at = $1", first.Format("2006-01-02 15:04:05-07:00"))
	_, stop := s.start(t, config)
	eventually(t, s.pollIs(t, "discarded"))
	stop()
	require.Contains(t, value[string](t, s.db, "SELECT detail FROM hiring_jobs"), `"start":"`+first.Format(time.RFC3339)+`"`)

	gone.Store(false)
	s.watch(t, hurried(), results)
	eventually(t, func() bool { return s.rounds(t) >= 2 })
	require.Equal(t, 1, s.count(t, "river_job WHERE kind = 'hiring_delivery'"))
	eventually(t, func() bool { return s.count(t, "results WHERE submission_id = $1", ids[0]) == 1 })
}

func TestFirstRoundWaitsForItsQuota(t *testing.T) {
	t.Parallel()
	on(t, firstRoundWaitsForItsQuota[*riverpgxv5.Driver, pgx.Tx], firstRoundWaitsForItsQuota[*riversqlite.Driver, *sql.Tx])
}

// firstRoundWaitsForItsQuota has a first poll that may send no request.
func firstRoundWaitsForItsQuota[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	w.evaluated(t, 1)
	w.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 0)
	_, stop := s.watch(t, hurried(), jobs.Results[TTx]{Organizations: w.organizations(), Handle: s.put})
	eventually(t, s.pollIs(t, "scheduled"))
	stop()
	require.Zero(t, s.count(t, "results"))

	w.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 1000)
	client, _ := s.watch(t, hurried(), jobs.Results[TTx]{Organizations: w.organizations(), Handle: s.put})
	s.again(t, client)
	eventually(t, func() bool { return s.count(t, "results") == 1 })
}

func TestLostStateIsRecovered(t *testing.T) {
	t.Parallel()
	on(t, lostStateIsRecovered[*riverpgxv5.Driver, pgx.Tx], lostStateIsRecovered[*riversqlite.Driver, *sql.Tx])
}

// lostStateIsRecovered by the statements of the README, while the workers run.
func lostStateIsRecovered[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := worldSince(t, 2*time.Hour)
	w.evaluated(t, 2)
	o := w.organization("acme")
	o.Watch.Since = w.begun
	results := jobs.Results[TTx]{Organizations: []jobs.Organization{o}, Handle: s.put}
	_, stop := s.watch(t, hurried(), results)
	eventually(t, s.delivered(t, 2))
	stop()
	state := value[string](t, s.db, "SELECT detail FROM hiring_jobs")

	lose := func() *river.Client[TTx] {
		t.Helper()
		s.do(t, "DELETE FROM hiring_jobs")
		var client *river.Client[TTx]
		client, stop = s.watch(t, hurried(), results)
		eventually(t, s.statusIs(t, jobs.StatusLost, 1))
		eventually(t, s.pollIs(t, "retryable"))
		return client
	}
	client := lose()
	s.do(t, readmeSQL(t, "watching", "the detail in the backup", state))
	w.evaluated(t, 1)
	s.again(t, client)
	eventually(t, s.delivered(t, 3))
	stop()

	client = lose()
	s.do(t, "DELETE FROM river_job WHERE kind = 'hiring_delivery'") // As River does a day later.
	w.Advance(time.Hour)
	w.evaluated(t, 2)
	since := w.begun.Add(30 * time.Minute).UTC().Format(time.RFC3339) // Not the organization's Since.
	s.do(t, readmeSQL(t, "begun", "2026-01-02T15:04:05Z", since))
	s.again(t, client)
	eventually(t, s.delivered(t, 2))
	rounds := s.rounds(t)
	eventually(t, func() bool { return s.rounds(t) > rounds })
	require.Equal(t, 5, s.count(t, "results"), "once each, and none before the time")
}

func TestBeginningAnewBeatsARound(t *testing.T) {
	t.Parallel()
	on(t, beginningAnewBeatsARound[*riverpgxv5.Driver, pgx.Tx], beginningAnewBeatsARound[*riversqlite.Driver, *sql.Tx])
}

// beginningAnewBeatsARound that is under way: it must not write its state over
// what the statement of the README says.
func beginningAnewBeatsARound[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	w.evaluated(t, 1)
	o := w.organization("acme")
	var hold atomic.Bool
	held, release := make(chan struct{}), make(chan struct{})
	o.Client = w.failing(t, func(r *http.Request) (*http.Response, error) {
		if hold.CompareAndSwap(true, false) {
			held <- struct{}{}
			<-release
		}
		return w.Transport().RoundTrip(r)
	})
	s.watch(t, hurried(), jobs.Results[TTx]{Organizations: []jobs.Organization{o}, Handle: s.put})
	eventually(t, s.delivered(t, 1))
	hold.Store(true)
	<-held
	s.do(t, "DELETE FROM river_job WHERE kind = 'hiring_delivery'")
	s.do(t, readmeSQL(t, "begun", "2026-01-02T15:04:05Z", w.begun.UTC().Format(time.RFC3339)))
	close(release)
	eventually(t, s.delivered(t, 1))
	eventually(t, func() bool { return s.count(t, "results") == 2 })
}

func TestNoHalfRecoveryIsTakenSQLite(t *testing.T) {
	t.Parallel()
	s, w := newSQLite(t), newWorld(t)
	w.evaluated(t, 1)
	results := jobs.Results[*sql.Tx]{Organizations: w.organizations(), Handle: s.put}
	_, stop := s.watch(t, hurried(), results)
	eventually(t, s.delivered(t, 1))
	stop()
	s.do(t, "DELETE FROM hiring_jobs")
	s.do(t, "DELETE FROM river_job WHERE kind = 'hiring_delivery'")
	client, _ := s.watch(t, hurried(), results)
	eventually(t, s.statusIs(t, jobs.StatusLost, 1))

	for _, row := range [][2]string{
		{"watching", ""}, {"lost", "2026-01-02T15:04:05Z"}, {"begin", ""}, {"begin", "2026-01-02T15:04:05Z"}, {"", ""},
		{"begun", ""}, {"begun", "2026-01-02"}, {"begun", "the detail in the backup"}, {"begun", "0001-01-01T00:00:00Z"},
	} {
		eventually(t, s.pollIs(t, "retryable"))
		attempt := value[int](t, s.db, "SELECT max(attempt) FROM river_job WHERE kind = 'hiring_poll' AND state = 'retryable'")
		s.do(t, "UPDATE hiring_jobs SET status = $1, detail = $2, version = version + 1", row[0], row[1])
		s.again(t, client)
		eventually(t, func() bool {
			return s.count(t, "river_job WHERE kind = 'hiring_poll' AND state = 'retryable' AND attempt > $1", attempt) == 1
		}, row)
		require.Zero(t, s.count(t, "hiring_jobs WHERE status = 'watching' AND detail <> ''"), row)
	}
	require.Equal(t, 1, s.count(t, "results"))
}

// readmeSQL is the statement of the README that gives a row a status, for another
// detail.
func readmeSQL(t *testing.T, status, example, detail string) string {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, block := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(readme), -1) {
		if strings.Contains(block[1], "status = '"+status+"'") {
			require.Equal(t, 1, strings.Count(block[1], example))
			return strings.Replace(block[1], example, strings.ReplaceAll(detail, "'", "''"), 1)
		}
	}
	require.Fail(t, "the README has no such statement", status)
	return ""
}

// worldSince is a world whose clock is behind.
func worldSince(t *testing.T, ago time.Duration) *world {
	t.Helper()
	s := sandbox.New(sandbox.WithQuota(1000, 100_000), sandbox.WithClock(func() time.Time { return time.Now().Add(-ago) }))
	t.Cleanup(s.Close)
	return &world{s, s.LiveClient(), s.AddAssessment("Backend engineer"), time.Now().Add(-ago - time.Minute)}
}
