package jobs_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// BenchmarkHangingReceiverPostgres polls many organizations (HIRING_ORGANIZATIONS, by
// default 100). The receiver of one of them never responds, and 300 of its results
// wait. Twenty results a second of the others are inserted for five seconds, or a minute with
// HIRING_LONG. It measures how late they are delivered.
func BenchmarkHangingReceiverPostgres(b *testing.B) {
	s := newPostgres(b)
	count := 100
	if n, err := strconv.Atoi(os.Getenv("HIRING_ORGANIZATIONS")); err == nil {
		count = n
	}
	seconds := 5
	if longTests() {
		seconds = 60
	}
	service := sandbox.New()
	b.Cleanup(service.Close)
	api := newAPI(b)
	found, err := api.client.Submissions.Get(b.Context(), api.addEvaluated(b, 1)[0])
	require.NoError(b, err)
	text, err := json.Marshal(found)
	require.NoError(b, err)
	insert := func(organization string, from, to int) {
		s.mustExec(b, `INSERT INTO river_job (args, kind, max_attempts, queue, state)
			SELECT jsonb_build_object('organization', $1::text, 'submission_id', n::text, 'submission', $2::text), 'hiring_delivery', 80, 'hiring_deliveries', 'available'
			FROM generate_series($3::int, $4::int) AS n`, organization, base64.StdEncoding.EncodeToString(text), from, to)
	}
	config := defaultConfig()
	config.JobTimeout = 15 * time.Second
	require.NoError(b, jobs.Watch[*riverpgxv5.Driver](config, jobs.Results[pgx.Tx]{
		Organizations: manyOrganizations(b, service, count, time.Minute),
		Send: func(ctx context.Context, d jobs.Delivery) error {
			if d.Organization.Name != "organization-0" {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		},
		Handle: s.insertResult,
	}))
	insert("organization-0", 1, 300)
	s.start(b, config)
	waitForCount(b, count, func() int { return s.count(b, "hiring_jobs WHERE status = 'watching'") }, func() string { return s.summary(b) })
	b.ResetTimer()
	inserted := 0
	for range seconds {
		for range 20 {
			inserted++
			insert("organization-"+strconv.Itoa(1+inserted%(count-1)), inserted, inserted)
		}
		time.Sleep(time.Second)
	}
	others := "river_job WHERE kind = 'hiring_delivery' AND args->>'organization' <> 'organization-0' AND state = 'completed'"
	waitForCount(b, inserted, func() int { return s.count(b, others) }, func() string { return s.summary(b) })
	for name, share := range map[string]float64{"late-p50-s": 0.5, "late-p95-s": 0.95, "late-max-s": 1} {
		b.ReportMetric(queryValue[float64](b, s.db, "SELECT percentile_cont($1) WITHIN GROUP (ORDER BY extract(epoch FROM finalized_at - created_at)) FROM "+others, share), name)
	}
	b.ReportMetric(0, "ns/op")
}
