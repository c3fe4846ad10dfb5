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

// pollHasState returns a function that reports whether one poll is in a state.
func (s *store[D, TTx]) pollHasState(t *testing.T, state string) func() bool {
	t.Helper()
	return s.countIs(t, 1, "river_job WHERE kind = 'hiring_poll' AND state = $1", state)
}

// retryPoll retries the newest poll at once.
func (s *store[D, TTx]) retryPoll(t *testing.T, client *river.Client[TTx]) {
	t.Helper()
	_, err := client.JobRetry(t.Context(), queryValue[int64](t, s.db, "SELECT max(id) FROM river_job WHERE kind = 'hiring_poll'"))
	require.NoError(t, err)
}

func TestReplacementPollStartsAtTheTimeOfTheFirstJob(t *testing.T) {
	t.Parallel()
	onBothStores(t, replacementPollStartsAtTheTimeOfTheFirstJob[*riverpgxv5.Driver, pgx.Tx], replacementPollStartsAtTheTimeOfTheFirstJob[*riversqlite.Driver, *sql.Tx])
}

// replacementPollStartsAtTheTimeOfTheFirstJob discards a first job that was inserted two
// hours ago and never reached the API. The second job must find a submission that was
// evaluated an hour ago.
func replacementPollStartsAtTheTimeOfTheFirstJob[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	api := newAPIBehind(t, time.Hour)
	ids := api.addEvaluated(t, 1)
	var down atomic.Bool
	down.Store(true)
	o := api.organization("acme")
	o.Watch.Since = time.Time{}
	o.Client = clientVia(t, func(r *http.Request) (*http.Response, error) {
		if down.Load() {
			return nil, errors.New("no route to host")
		}
		return api.Transport().RoundTrip(r)
	})
	results := jobs.Results[TTx]{Organizations: []jobs.Organization{o}, Handle: s.insertResult}
	config := testConfig()
	config.MaxAttempts = 1
	require.NoError(t, jobs.Watch[D](config, results))
	_, err := s.newClient(t, config).Insert(t.Context(), jobs.PollArgs{Organization: "acme"}, nil)
	require.NoError(t, err)
	first := time.Now().Add(-2 * time.Hour).Truncate(time.Second).UTC()
	s.mustExec(t, "UPDATE river_job SET created_at = $1 WHERE kind = 'hiring_poll'", first.Format("2006-01-02 15:04:05-07:00"))
	_, stop := s.start(t, config)
	eventually(t, s.pollHasState(t, "discarded"))
	stop()
	require.Contains(t, queryValue[string](t, s.db, "SELECT detail FROM hiring_jobs WHERE organization = 'acme'"), `Start":"`+first.Format(time.RFC3339)+`"`)

	down.Store(false)
	s.watch(t, testConfig(), results)
	eventually(t, func() bool { return s.count(t, "river_job WHERE kind = 'hiring_poll' AND state = 'completed'") > 0 })
	require.Equal(t, 1, s.count(t, "river_job WHERE kind = 'hiring_delivery'"))
	eventually(t, s.countIs(t, 1, "results WHERE submission_id = $1", ids[0]))
}

func TestFirstPollWaitsForTheRateLimit(t *testing.T) {
	t.Parallel()
	onBothStores(t, firstPollWaitsForTheRateLimit[*riverpgxv5.Driver, pgx.Tx], firstPollWaitsForTheRateLimit[*riversqlite.Driver, *sql.Tx])
}

// firstPollWaitsForTheRateLimit starts with no remaining requests.
func firstPollWaitsForTheRateLimit[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	api := newAPI(t)
	api.addEvaluated(t, 1)
	api.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 0)
	_, stop := s.watch(t, testConfig(), jobs.Results[TTx]{Organizations: api.organizations(), Handle: s.insertResult})
	eventually(t, s.pollHasState(t, "scheduled"))
	stop()
	require.Zero(t, s.count(t, "results"))

	api.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 1000)
	client, _ := s.watch(t, testConfig(), jobs.Results[TTx]{Organizations: api.organizations(), Handle: s.insertResult})
	s.retryPoll(t, client)
	eventually(t, s.countIs(t, 1, "results"))
}

func TestLostStateIsRecovered(t *testing.T) {
	t.Parallel()
	onBothStores(t, lostStateIsRecovered[*riverpgxv5.Driver, pgx.Tx], lostStateIsRecovered[*riversqlite.Driver, *sql.Tx])
}

// lostStateIsRecovered recovers with the statements of the README while workers run.
func lostStateIsRecovered[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	api := newAPIBehind(t, 2*time.Hour)
	api.addEvaluated(t, 2)
	o := api.organization("acme")
	o.Watch.Since = api.start
	results := jobs.Results[TTx]{Organizations: []jobs.Organization{o}, Handle: s.insertResult}
	_, stop := s.watch(t, testConfig(), results)
	eventually(t, s.deliveredIs(t, 2))
	stop()
	state := queryValue[string](t, s.db, "SELECT detail FROM hiring_jobs WHERE organization = 'acme'")

	lose := func() *river.Client[TTx] {
		t.Helper()
		s.mustExec(t, "DELETE FROM hiring_jobs")
		var client *river.Client[TTx]
		client, stop = s.watch(t, testConfig(), results)
		eventually(t, s.statusIs(t, jobs.StatusLost, 1))
		eventually(t, s.pollHasState(t, "retryable"))
		return client
	}
	client := lose()
	s.mustExec(t, readmeSQL(t, "watching", "the detail in the backup", state))
	api.addEvaluated(t, 1)
	s.retryPoll(t, client)
	eventually(t, s.deliveredIs(t, 3))
	stop()

	client = lose()
	s.mustExec(t, "DELETE FROM river_job WHERE kind = 'hiring_delivery'") // River does this after a day.
	api.Advance(time.Hour)
	api.addEvaluated(t, 2)
	since := api.start.Add(30 * time.Minute).UTC().Format(time.RFC3339) // Differs from the organization's Since.
	s.mustExec(t, readmeSQL(t, "begun", "2026-01-02T15:04:05Z", since))
	s.retryPoll(t, client)
	eventually(t, s.deliveredIs(t, 2))
	polls := s.polls(t)
	eventually(t, func() bool { return s.polls(t) > polls })
	require.Equal(t, 5, s.count(t, "results"), "results from before the start time are not repeated")
}

func TestOperatorRestartOverridesARunningPoll(t *testing.T) {
	t.Parallel()
	onBothStores(t, operatorRestartOverridesARunningPoll[*riverpgxv5.Driver, pgx.Tx], operatorRestartOverridesARunningPoll[*riversqlite.Driver, *sql.Tx])
}

// operatorRestartOverridesARunningPoll changes the row with a statement of the README
// during a poll. The poll must not overwrite the row with its state.
func operatorRestartOverridesARunningPoll[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	api := newAPI(t)
	api.addEvaluated(t, 1)
	o := api.organization("acme")
	var block atomic.Bool
	blocked, release := make(chan struct{}), make(chan struct{})
	o.Client = clientVia(t, func(r *http.Request) (*http.Response, error) {
		if block.CompareAndSwap(true, false) {
			blocked <- struct{}{}
			<-release
		}
		return api.Transport().RoundTrip(r)
	})
	s.watch(t, testConfig(), jobs.Results[TTx]{Organizations: []jobs.Organization{o}, Handle: s.insertResult})
	eventually(t, s.deliveredIs(t, 1))
	block.Store(true)
	<-blocked
	s.mustExec(t, "DELETE FROM river_job WHERE kind = 'hiring_delivery'")
	s.mustExec(t, readmeSQL(t, "begun", "2026-01-02T15:04:05Z", api.start.UTC().Format(time.RFC3339)))
	close(release)
	eventually(t, s.deliveredIs(t, 1))
	eventually(t, s.countIs(t, 2, "results"))
}

func TestIncompleteRecoveryIsRejectedSQLite(t *testing.T) {
	t.Parallel()
	s, api := newSQLite(t), newAPI(t)
	api.addEvaluated(t, 1)
	results := jobs.Results[*sql.Tx]{Organizations: api.organizations(), Handle: s.insertResult}
	_, stop := s.watch(t, testConfig(), results)
	eventually(t, s.deliveredIs(t, 1))
	stop()
	s.mustExec(t, "DELETE FROM hiring_jobs")
	s.mustExec(t, "DELETE FROM river_job WHERE kind = 'hiring_delivery'")
	client, _ := s.watch(t, testConfig(), results)
	eventually(t, s.statusIs(t, jobs.StatusLost, 1))

	for _, row := range [][2]string{
		{"watching", ""}, {"lost", "2026-01-02T15:04:05Z"}, {"begin", ""}, {"begin", "2026-01-02T15:04:05Z"}, {"", ""},
		{"begun", ""}, {"begun", "2026-01-02"}, {"begun", "the detail in the backup"}, {"begun", "0001-01-01T00:00:00Z"},
	} {
		eventually(t, s.pollHasState(t, "retryable"))
		attempt := queryValue[int](t, s.db, "SELECT max(attempt) FROM river_job WHERE kind = 'hiring_poll' AND state = 'retryable'")
		s.mustExec(t, "UPDATE hiring_jobs SET status = $1, detail = $2, version = version + 1 WHERE organization = 'acme'", row[0], row[1])
		s.retryPoll(t, client)
		eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_poll' AND state = 'retryable' AND attempt > $1", attempt), row)
		require.Zero(t, s.count(t, "hiring_jobs WHERE status = 'watching' AND detail <> ''"), row)
	}
	require.Equal(t, 1, s.count(t, "results"))
}

// readmeSQL returns the statement of the README that sets a status, with example replaced
// by detail.
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
	require.Fail(t, "the README has no statement for this status", status)
	return ""
}
