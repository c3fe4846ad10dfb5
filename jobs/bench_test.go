package jobs_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
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

func benchmarkDelivery[D riverdriver.Driver[TTx], TTx any](b *testing.B, s *store[D, TTx]) {
	n := 500
	if longTests() {
		n = 2000
	}
	api := newAPI(b)
	api.addEvaluated(b, n)
	results := jobs.Results[TTx]{Organizations: api.organizations(), Handle: s.insertResult}
	pollOnly := defaultConfig()
	require.NoError(b, jobs.Watch[D](pollOnly, results))
	delete(pollOnly.Queues, jobs.QueueDeliveries)
	_, stop := s.start(b, pollOnly)
	eventually(b, s.countIs(b, n, "river_job WHERE kind = 'hiring_delivery'"))
	stop()

	b.ResetTimer()
	began := time.Now()
	s.watch(b, defaultConfig(), results)
	s.allStored(b, n)
	b.ReportMetric(float64(n)/time.Since(began).Seconds(), "deliveries/s")
	b.ReportMetric(0, "ns/op")
}

// defaultConfig returns a configuration with River's defaults.
func defaultConfig() *river.Config {
	return &river.Config{Logger: slog.New(slog.DiscardHandler), TestOnly: true}
}

// BenchmarkEvaluatedToStored evaluates one submission a second and measures the time
// until its result is stored. It polls every six seconds, the shortest interval that
// River can keep.
func BenchmarkEvaluatedToStored(b *testing.B) {
	b.Run("Postgres", func(b *testing.B) { benchmarkLatency(b, newPostgres(b)) })
	b.Run("SQLite", func(b *testing.B) { benchmarkLatency(b, newSQLite(b)) })
}

func benchmarkLatency[D riverdriver.Driver[TTx], TTx any](b *testing.B, s *store[D, TTx]) {
	n := 3
	if longTests() {
		n = 60
	}
	api := newAPI(b)
	took := make(chan time.Duration, n)
	organizations := api.organizations()
	organizations[0].Watch.MinInterval, organizations[0].Watch.MaxInterval = 6*time.Second, 6*time.Second
	s.watch(b, defaultConfig(), jobs.Results[TTx]{
		Organizations: organizations,
		Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			took <- time.Since(*d.Submission.EvaluatedAt)
			return s.insertResult(ctx, tx, d)
		},
	})
	b.ResetTimer()
	for range n {
		api.addEvaluated(b, 1)
		time.Sleep(time.Second)
	}
	all := make([]time.Duration, n)
	for i := range all {
		all[i] = <-took
	}
	slices.Sort(all)
	b.ReportMetric(all[n/2].Seconds(), "p50-s")
	b.ReportMetric(all[n*95/100].Seconds(), "p95-s")
	b.ReportMetric(all[n-1].Seconds(), "max-s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkOrganizationsPostgres polls many organizations with one River client: a
// thousand with HIRING_LONG, or the number in HIRING_ORGANIZATIONS, at intervals of 30
// to 60 s. Otherwise it polls a hundred at intervals of 4 to 8 s. It measures how late
// polls begin, compared with the time that the previous poll recommended.
func BenchmarkOrganizationsPostgres(b *testing.B) {
	s := newPostgres(b)
	count, interval, settling, measured := 100, 8*time.Second, 4*time.Second, 9*time.Second
	if longTests() {
		count, interval, settling, measured = 1000, time.Minute, time.Minute, 3*time.Minute
	}
	if n, err := strconv.Atoi(os.Getenv("HIRING_ORGANIZATIONS")); err == nil {
		count, interval, settling, measured = n, time.Minute, time.Minute, max(measured, 45*time.Second)
	}
	service := sandbox.New()
	b.Cleanup(service.Close)
	config := defaultConfig()
	require.NoError(b, jobs.Watch[*riverpgxv5.Driver](config, jobs.Results[pgx.Tx]{Organizations: manyOrganizations(b, service, count, interval), Handle: s.insertResult}))
	began := time.Now()
	s.start(b, config)
	waitForCount(b, count, func() int { return s.count(b, "hiring_jobs") }, func() string { return s.summary(b) })
	b.Logf("all %d organizations were polled once after %s", count, time.Since(began).Round(time.Second))
	time.Sleep(settling) // The first polls are all due at once.

	start, committed, polls := time.Now(), transactions(b, s.db), s.totalPolls(b)
	time.Sleep(measured)
	seconds := time.Since(start).Seconds()
	require.Greater(b, s.totalPolls(b), polls)
	b.ReportMetric(float64(s.totalPolls(b)-polls)/seconds, "polls/s")
	b.ReportMetric(float64(transactions(b, s.db)-committed)/seconds, "transactions/s")
	b.ReportMetric(queryValue[float64](b, s.db, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"), "connections")
	b.ReportMetric(queryValue[float64](b, s.db, "SELECT pg_database_size(current_database()) / 1e6"), "MB")
	for name, share := range map[string]float64{"late-p50-s": 0.5, "late-p95-s": 0.95, "late-max-s": 1} {
		b.ReportMetric(queryValue[float64](b, s.db, `SELECT percentile_cont($1) WITHIN GROUP (ORDER BY extract(epoch FROM attempted_at - scheduled_at))
			FROM river_job WHERE kind = 'hiring_poll' AND attempted_at > $2`, share, start), name)
	}
	b.ReportMetric(queryValue[float64](b, s.db, `SELECT coalesce(max(extract(epoch FROM now() - scheduled_at)), 0)
		FROM river_job WHERE kind = 'hiring_poll' AND state IN ('available', 'scheduled') AND scheduled_at < now()`), "waiting-max-s")
	b.ReportMetric(queryValue[float64](b, s.db, `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM finalized_at - attempted_at))
		FROM river_job WHERE kind = 'hiring_poll' AND attempted_at > $1`, start), "poll-p50-s")
	b.ReportMetric(0, "ns/op")
}

// totalPolls returns the number of polls of all organizations.
func (s *store[D, TTx]) totalPolls(b *testing.B) int {
	b.Helper()
	return queryValue[int](b, s.db, "SELECT coalesce(sum(version), 0) FROM hiring_jobs")
}

// transactions returns the number of committed transactions of the database.
func transactions(b *testing.B, db *sql.DB) int64 {
	b.Helper()
	return queryValue[int64](b, db, "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
}

// manyOrganizations returns n organizations of one fake API, each with its own key.
func manyOrganizations(b *testing.B, service *sandbox.Server, n int, interval time.Duration) (all []jobs.Organization) {
	b.Helper()
	inProcess := &http.Client{Transport: service.Transport()}
	for i := range n {
		name := fmt.Sprintf("organization-%d", i)
		key := "sk_live_" + strings.ReplaceAll(name, "-", "_")
		service.AddKey(sandbox.Key{Token: key, Scope: sandbox.ScopeRead, Organization: name})
		client, err := hiring.New("http://sandbox.test", key, hiring.WithInsecureHTTP(), hiring.WithHTTPClient(inProcess))
		require.NoError(b, err)
		all = append(all, jobs.Organization{Name: name, Client: client, Watch: hiring.WatchOptions{MinInterval: interval / 2, MaxInterval: interval}})
	}
	return all
}
