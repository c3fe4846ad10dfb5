package jobs_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// longTests reports whether HIRING_LONG is set. Then benchmarks measure the figures of
// docs/internals/scale.md. Otherwise they only check that the code runs.
func longTests() bool { return os.Getenv("HIRING_LONG") != "" }

// BenchmarkDelivery delivers a backlog with the default intervals of River and of this
// module.
func BenchmarkDelivery(b *testing.B) {
	b.Run("Postgres", func(b *testing.B) { benchmarkDelivery(b, newPostgres(b)) })
	b.Run("SQLite", func(b *testing.B) { benchmarkDelivery(b, newSQLite(b)) })
}

func benchmarkDelivery[TTx any](b *testing.B, s *store[TTx]) {
	n := 500
	if longTests() {
		n = 2000
	}
	api := newAPI(b)
	api.addEvaluated(b, n)
	results := jobs.Results[TTx]{Organizations: api.organizations(), Handle: s.insertResult}
	pollOnly := defaultConfig()
	require.NoError(b, jobs.Watch(pollOnly, s.database, results))
	delete(pollOnly.Queues, jobs.QueueDeliveries)
	_, stop := s.start(b, pollOnly)
	eventually(b, s.countIs(b, n, "river_job WHERE kind = 'hiring_delivery'"))
	stop()

	b.ResetTimer()
	began := time.Now()
	s.watch(b, defaultConfig(), results)
	waitForCount(b, n, func() int { return s.count(b, "results") }, func() string { return s.summary(b) })
	b.ReportMetric(float64(n)/time.Since(began).Seconds(), "deliveries/s")
	b.ReportMetric(0, "ns/op")
}

// defaultConfig returns a configuration with River's defaults.
func defaultConfig() *river.Config {
	return &river.Config{Logger: slog.New(slog.DiscardHandler), TestOnly: true}
}

// BenchmarkOrganizationsPostgres polls many organizations with one River client at
// intervals of 30 to 60 s: a thousand with HIRING_LONG, otherwise a hundred. It measures how late polls begin,
// compared with the time that the previous poll recommended.
func BenchmarkOrganizationsPostgres(b *testing.B) {
	s := newPostgres(b)
	count, measured := 100, 5*time.Second
	if longTests() {
		count, measured = 1000, 3*time.Minute
	}
	service := sandbox.New()
	b.Cleanup(service.Close)
	s.watch(b, defaultConfig(), jobs.Results[pgx.Tx]{Organizations: manyOrganizations(b, service, count), Handle: s.insertResult})
	polled := func() int { return s.count(b, "hiring_jobs WHERE status = 'watching'") }
	waitForCount(b, count, polled, func() string { return s.summary(b) })
	start, polls := time.Now(), s.totalPolls(b)
	time.Sleep(measured)
	b.ReportMetric(float64(s.totalPolls(b)-polls)/time.Since(start).Seconds(), "polls/s")
	for name, share := range map[string]float64{"late-p50-s": 0.5, "late-p95-s": 0.95, "late-max-s": 1} {
		b.ReportMetric(queryValue[float64](b, s.db, `SELECT coalesce(percentile_cont($1) WITHIN GROUP (ORDER BY extract(epoch FROM attempted_at - scheduled_at)), 0)
			FROM river_job WHERE kind = 'hiring_poll' AND attempted_at > $2`, share, start), name)
	}
	b.ReportMetric(0, "ns/op")
}

// totalPolls returns the number of polls of all organizations.
func (s *store[TTx]) totalPolls(b *testing.B) int {
	b.Helper()
	return queryValue[int](b, s.db, "SELECT coalesce(sum(version), 0) FROM hiring_jobs")
}

// manyOrganizations returns n organizations of one fake API, each with its own key and one evaluated submission.
func manyOrganizations(tb testing.TB, service *sandbox.Server, n int) (all []jobs.Organization) {
	tb.Helper()
	for i := range n {
		name := fmt.Sprintf("organization-%d", i)
		key := fmt.Sprintf("sk_live_%d", i)
		service.AddKey(sandbox.Key{Token: key, Scope: sandbox.ScopeAdmin, Organization: name})
		client, err := hiring.New("http://sandbox.test", key, hiring.WithInsecureHTTP(), hiring.WithHTTPClient(&http.Client{Transport: service.Transport()}))
		require.NoError(tb, err)
		challenges, err := client.Challenges.List().Page(tb.Context())
		require.NoError(tb, err)
		assessment, err := client.Assessments.Create(tb.Context(), hiring.NewAssessment{Name: "Backend engineer", ChallengeID: challenges.Items[0].ID})
		require.NoError(tb, err)
		api := &fakeAPI{service, client, assessment.ID, time.Now()}
		api.addEvaluated(tb, 1)
		all = append(all, jobs.Organization{Name: name, Client: client, Watch: hiring.WatchOptions{Since: time.Now().Add(-time.Hour)}})
	}
	return all
}
