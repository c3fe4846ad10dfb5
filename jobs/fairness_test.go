package jobs_test

import (
	"bytes"
	"context"
	"database/sql"
	"log/slog"
	"sync"
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
)

// logBuffer is a log that tests read while it is written.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (b *logBuffer) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// deliveredTo returns a function that reports whether n deliveries of an organization are completed.
func (s *store[D, TTx]) deliveredTo(tb testing.TB, organization string, n int) func() bool {
	tb.Helper()
	return s.countIs(tb, n, "river_job WHERE kind = 'hiring_delivery' AND state = 'completed' AND args->>'organization' = $1", organization)
}

func TestHangingReceiverDoesNotDelayOtherOrganizations(t *testing.T) {
	t.Parallel()
	onBothStores(t, hangingReceiverDoesNotDelayOtherOrganizations[*riverpgxv5.Driver, pgx.Tx], hangingReceiverDoesNotDelayOtherOrganizations[*riversqlite.Driver, *sql.Tx])
}

// hangingReceiverDoesNotDelayOtherOrganizations has a backlog of 200 results for a
// receiver that never responds. The result of another organization, found later, is
// delivered while fewer posts than workers have reached their timeout.
func hangingReceiverDoesNotDelayOtherOrganizations[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	hanging, other := newAPI(t), newAPI(t)
	hanging.addEvaluated(t, 200)
	config := testConfig()
	config.JobTimeout = 3 * time.Second
	var begun, ended atomic.Int64
	s.watch(t, config, jobs.Results[TTx]{
		Organizations: []jobs.Organization{hanging.organization("hanging"), other.organization("other")},
		Send: func(ctx context.Context, d jobs.Delivery) error {
			if d.Organization.Name == "other" {
				return nil
			}
			begun.Add(1)
			<-ctx.Done()
			ended.Add(1)
			return ctx.Err()
		},
	})
	eventually(t, func() bool { return begun.Load() > 0 })
	for n := range 3 {
		before := ended.Load()
		other.addEvaluated(t, 1)
		eventually(t, s.deliveredTo(t, "other", n+1))
		require.Less(t, ended.Load()-before, int64(10), "the backlog of the hanging receiver is not worked off first")
	}
	require.Zero(t, s.count(t, "river_job WHERE kind = 'hiring_delivery' AND state = 'completed' AND args->>'organization' = 'hanging'"))
}

func TestHandlersThatDoNotReturnLeaveTheirWorkers(t *testing.T) {
	t.Parallel()
	onBothStores(t, handlersThatDoNotReturnLeaveTheirWorkers[*riverpgxv5.Driver, pgx.Tx], handlersThatDoNotReturnLeaveTheirWorkers[*riversqlite.Driver, *sql.Tx])
}

// handlersThatDoNotReturnLeaveTheirWorkers has one worker for deliveries, and a handler
// that ignores its context.
func handlersThatDoNotReturnLeaveTheirWorkers[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	stuck, other := newAPI(t), newAPI(t)
	ids := stuck.addEvaluated(t, 4)
	config := testConfig()
	config.JobTimeout, config.JobStuckThreshold, config.RescueStuckJobsAfter = 5*time.Second, 5*time.Second, time.Hour
	config.Queues = map[string]river.QueueConfig{jobs.QueueDeliveries: {MaxWorkers: 1}}
	var log logBuffer
	config.Logger = log.logger()
	var otherJobs atomic.Int64
	config.JobStuckHandler = func(context.Context, river.JobStuckHandlerParams) river.JobStuckHandlerResult {
		otherJobs.Add(1)
		return river.JobStuckHandlerResult{}
	}
	r, release := newRecorder(), make(chan struct{})
	s.watch(t, config, jobs.Results[TTx]{
		Organizations: []jobs.Organization{stuck.organization("acme"), other.organization("other")}, Telemetry: r.telemetry(),
		Send: func(_ context.Context, d jobs.Delivery) error {
			if d.Organization.Name == "acme" {
				<-release
			}
			return nil
		},
	})
	t.Cleanup(func() { close(release) }) // Before the client is stopped.
	eventually(t, func() bool { return r.event(jobs.EventStuck) == 1 })
	other.addEvaluated(t, 3)
	eventually(t, s.deliveredTo(t, "other", 3))
	require.Zero(t, otherJobs.Load())
	require.Regexp(t, `organization=acme kind=hiring_delivery submission_id=(`+ids[0]+`|`+ids[1]+`|`+ids[2]+`|`+ids[3]+`)`, log.String())
}
