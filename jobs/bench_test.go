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

// full tells whether benchmarks go so far as the figures of docs/internals/scale.md; else
// they show that it goes on.
func full() bool { return os.Getenv("HIRING_LONG") != "" }

// BenchmarkDelivery delivers what lies there at the start, with the times that
// River and this module have by default.
func BenchmarkDelivery(b *testing.B) {
	b.Run("Postgres", func(b *testing.B) { benchmarkDelivery(b, newPostgres(b)) })
	b.Run("SQLite", func(b *testing.B) { benchmarkDelivery(b, newSQLite(b)) })
}

func benchmarkDelivery[D riverdriver.Driver[TTx], TTx any](b *testing.B, s *store[D, TTx]) {
	n := 500
	if full() {
		n = 2000
	}
	w := newWorld(b)
	w.evaluated(b, n)
	results := jobs.Results[TTx]{Organizations: w.organizations(), Handle: s.put}
	finding := unhurried()
	require.NoError(b, jobs.Watch[D](finding, results))
	delete(finding.Queues, jobs.QueueDeliveries)
	_, stop := s.start(b, finding)
	eventually(b, func() bool { return s.count(b, "river_job WHERE kind = 'hiring_delivery'") == n })
	stop()

	b.ResetTimer()
	began := time.Now()
	s.watch(b, unhurried(), results)
	for last := 0; last < n; time.Sleep(100 * time.Millisecond) { // Each look is a request that the others wait for.
		stored := s.count(b, "results")
		require.True(b, stored > last || time.Since(began) < patience, "it stands still")
		last = stored
	}
	b.ReportMetric(float64(n)/time.Since(began).Seconds(), "deliveries/s")
	b.ReportMetric(0, "ns/op")
}

// unhurried is a configuration as a user has it.
func unhurried() *river.Config {
	return &river.Config{Logger: slog.New(slog.DiscardHandler), TestOnly: true}
}

// BenchmarkEvaluatedToStored grades one submission a second, and watches every six
// seconds, which is the shortest pause that River keeps to: with a usual one add
// half of what it is longer.
func BenchmarkEvaluatedToStored(b *testing.B) {
	b.Run("Postgres", func(b *testing.B) { benchmarkLatency(b, newPostgres(b)) })
	b.Run("SQLite", func(b *testing.B) { benchmarkLatency(b, newSQLite(b)) })
}

func benchmarkLatency[D riverdriver.Driver[TTx], TTx any](b *testing.B, s *store[D, TTx]) {
	n := 10
	if full() {
		n = 60
	}
	w := newWorld(b)
	took := make(chan time.Duration, n)
	organizations := w.organizations()
	organizations[0].Watch.MinInterval, organizations[0].Watch.MaxInterval = 6*time.Second, 6*time.Second
	s.watch(b, unhurried(), jobs.Results[TTx]{
		Organizations: organizations,
		Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			took <- time.Since(*d.Submission.EvaluatedAt)
			return s.put(ctx, tx, d)
		},
	})
	b.ResetTimer()
	for range n {
		w.evaluated(b, 1)
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

// BenchmarkOrganizationsPostgres has many of them in one client: a thousand with
// HIRING_LONG, or as many as HIRING_ORGANIZATIONS says, whose rounds are 30 to
// 60 s apart, and else a hundred with rounds that are 4 to 8 s apart. A round is
// late from the time on that the one before it recommended.
func BenchmarkOrganizationsPostgres(b *testing.B) {
	s := newPostgres(b)
	count, every, settling, watched := 100, 8*time.Second, 10*time.Second, 15*time.Second
	if full() {
		count, every, settling, watched = 1000, time.Minute, time.Minute, 3*time.Minute
	}
	if n, err := strconv.Atoi(os.Getenv("HIRING_ORGANIZATIONS")); err == nil {
		count, every, settling, watched = n, time.Minute, time.Minute, max(watched, 45*time.Second)
	}
	service := sandbox.New()
	b.Cleanup(service.Close)
	config := unhurried()
	require.NoError(b, jobs.Watch[*riverpgxv5.Driver](config, jobs.Results[pgx.Tx]{Organizations: manyOrganizations(b, service, count, every), Handle: s.put}))
	began := time.Now()
	s.start(b, config)
	eventually(b, func() bool { return s.count(b, "hiring_jobs") == count })
	b.Logf("every one of %d had its first round after %s", count, time.Since(began).Round(time.Second))
	time.Sleep(settling) // The first rounds are all at once.

	at, before, rounds := time.Now(), transactions(b, s.db), s.allRounds(b)
	time.Sleep(watched)
	seconds := time.Since(at).Seconds()
	require.Greater(b, s.allRounds(b), rounds, "it goes on")
	b.ReportMetric(float64(s.allRounds(b)-rounds)/seconds, "rounds/s")
	b.ReportMetric(float64(transactions(b, s.db)-before)/seconds, "transactions/s")
	b.ReportMetric(value[float64](b, s.db, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"), "connections")
	b.ReportMetric(value[float64](b, s.db, "SELECT pg_database_size(current_database()) / 1e6"), "MB")
	for name, share := range map[string]float64{"late-p50-s": 0.5, "late-p95-s": 0.95, "late-max-s": 1} {
		b.ReportMetric(value[float64](b, s.db, `SELECT percentile_cont($1) WITHIN GROUP (ORDER BY extract(epoch FROM attempted_at - scheduled_at))
			FROM river_job WHERE kind = 'hiring_poll' AND attempted_at > $2`, share, at), name)
	}
	b.ReportMetric(value[float64](b, s.db, `SELECT coalesce(max(extract(epoch FROM now() - scheduled_at)), 0)
		FROM river_job WHERE kind = 'hiring_poll' AND state IN ('available', 'scheduled') AND scheduled_at < now()`), "waiting-max-s")
	b.ReportMetric(value[float64](b, s.db, `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM finalized_at - attempted_at))
		FROM river_job WHERE kind = 'hiring_poll' AND attempted_at > $1`, at), "round-p50-s")
	b.ReportMetric(0, "ns/op")
}

// allRounds are how many all watches together have made.
func (s *store[D, TTx]) allRounds(b *testing.B) int {
	b.Helper()
	return value[int](b, s.db, "SELECT coalesce(sum(version), 0) FROM hiring_jobs")
}

func transactions(b *testing.B, db *sql.DB) int64 {
	b.Helper()
	return value[int64](b, db, "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
}

// manyOrganizations share a service, each with a key of its own.
func manyOrganizations(b *testing.B, service *sandbox.Server, n int, every time.Duration) (all []jobs.Organization) {
	b.Helper()
	inProcess := &http.Client{Transport: service.Transport()}
	for i := range n {
		name := fmt.Sprintf("organization-%d", i)
		key := "sk_live_" + strings.ReplaceAll(name, "-", "_")
		service.AddKey(sandbox.Key{Token: key, Scope: sandbox.ScopeRead, Organization: name})
		client, err := hiring.New("http://sandbox.test", key, hiring.WithInsecureHTTP(), hiring.WithHTTPClient(inProcess))
		require.NoError(b, err)
		all = append(all, jobs.Organization{Name: name, Client: client, Watch: hiring.WatchOptions{MinInterval: every / 2, MaxInterval: every}})
	}
	return all
}
