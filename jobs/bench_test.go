package jobs_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// BenchmarkDelivery delivers submissions that are there at the start: what a
// second stores, from the first round on.
func BenchmarkDelivery(b *testing.B) {
	b.Run("Postgres", func(b *testing.B) { benchmarkDelivery(b, newPostgres(b)) })
	b.Run("SQLite", func(b *testing.B) { benchmarkDelivery(b, newSQLite(b)) })
}

func benchmarkDelivery[D riverdriver.Driver[TTx], TTx any](b *testing.B, s *store[D, TTx]) {
	n := max(200, min(b.N, 2000))
	w := newWorld(b)
	w.evaluated(b, n)
	var first, last time.Time
	var mutex sync.Mutex
	config := hurried()
	b.ResetTimer()
	s.watch(b, config, jobs.Results[TTx]{
		Organizations: w.organizations(),
		Handle: func(ctx context.Context, tx TTx, submission hiring.Submission, report hiring.Report) error {
			mutex.Lock()
			last = time.Now()
			if first.IsZero() {
				first = last
			}
			mutex.Unlock()
			return s.put(ctx, tx, submission, report)
		},
	})
	eventually(b, s.delivered(b, n))
	b.ReportMetric(float64(n)/last.Sub(first).Seconds(), "deliveries/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkEvaluatedToStored grades one submission a second, and watches every
// second or two, with a real client's scheduling.
func BenchmarkEvaluatedToStored(b *testing.B) {
	b.Run("Postgres", func(b *testing.B) { benchmarkLatency(b, newPostgres(b)) })
	b.Run("SQLite", func(b *testing.B) { benchmarkLatency(b, newSQLite(b)) })
}

func benchmarkLatency[D riverdriver.Driver[TTx], TTx any](b *testing.B, s *store[D, TTx]) {
	n := max(10, min(b.N, 60))
	w := newWorld(b)
	took := make(chan time.Duration, n)
	s.watch(b, hurried(), jobs.Results[TTx]{
		Organizations: w.organizations(),
		Handle: func(ctx context.Context, tx TTx, submission hiring.Submission, report hiring.Report) error {
			took <- time.Since(*submission.EvaluatedAt)
			return s.put(ctx, tx, submission, report)
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
	b.ReportMetric(0, "ns/op")
}

// BenchmarkOrganizationsPostgres has a thousand of them in one client, whose
// rounds are 30 to 60 s apart, and says how many a second are made.
func BenchmarkOrganizationsPostgres(b *testing.B) {
	s := newPostgres(b)
	count := 100
	if b.N > 1 {
		count = 1000
	}
	service := sandbox.New()
	b.Cleanup(service.Close)
	config := hurried()
	require.NoError(b, jobs.Watch[*riverpgxv5.Driver](config, jobs.Results[pgx.Tx]{Organizations: manyOrganizations(b, service, count), Handle: s.put}))
	before := transactions(b, s.db)
	b.ResetTimer()
	began := time.Now()
	s.start(b, config)
	rounds := func() int { return value[int](b, s.db, "SELECT coalesce(sum(version), 0) FROM hiring_jobs") }
	eventually(b, func() bool { return s.count(b, "hiring_jobs") == count })
	first, at := rounds(), time.Now()
	b.Logf("every one of %d had its first round after %s", count, at.Sub(began).Round(time.Second))
	time.Sleep(45 * time.Second)
	seconds := time.Since(at).Seconds()
	b.ReportMetric(float64(rounds()-first)/seconds, "rounds/s")
	b.ReportMetric(float64(transactions(b, s.db)-before)/time.Since(began).Seconds(), "transactions/s")
	b.ReportMetric(value[float64](b, s.db, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"), "connections")
	b.ReportMetric(value[float64](b, s.db, "SELECT coalesce(max(extract(epoch FROM now() - scheduled_at)), 0) FROM river_job WHERE kind = 'hiring_poll' AND state = 'available'"), "latest-s")
	b.ReportMetric(0, "ns/op")
}

func transactions(b *testing.B, db *sql.DB) int64 {
	b.Helper()
	return value[int64](b, db, "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
}

// manyOrganizations share a service, each with a key of its own.
func manyOrganizations(b *testing.B, service *sandbox.Server, n int) (all []jobs.Organization) {
	b.Helper()
	inProcess := &http.Client{Transport: service.Transport()}
	for i := range n {
		name := fmt.Sprintf("organization-%d", i)
		key := "sk_live_" + strings.ReplaceAll(name, "-", "_")
		service.AddKey(sandbox.Key{Token: key, Scope: sandbox.ScopeRead, Organization: name})
		client, err := hiring.New("http://sandbox.test", key, hiring.WithInsecureHTTP(), hiring.WithHTTPClient(inProcess))
		require.NoError(b, err)
		all = append(all, jobs.Organization{Name: name, Client: client})
	}
	return all
}
