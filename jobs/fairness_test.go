package jobs_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
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

// TestHandlersThatDoNotReturnLeaveTheirWorkersPostgres has one worker for deliveries, and a handler that ignores its context.
func TestHandlersThatDoNotReturnLeaveTheirWorkersPostgres(t *testing.T) {
	t.Parallel()
	s, stuck, other := newPostgres(t), newAPI(t), newAPI(t)
	ids := stuck.addEvaluated(t, 4)
	config := testConfig()
	config.JobTimeout, config.JobStuckThreshold, config.RescueStuckJobsAfter = 2*time.Second, time.Second, time.Hour
	config.Queues = map[string]river.QueueConfig{jobs.QueueDeliveries: {MaxWorkers: 1}}
	var log logBuffer
	config.Logger = log.logger()
	var passed atomic.Int64
	config.JobStuckHandler = func(_ context.Context, p river.JobStuckHandlerParams) river.JobStuckHandlerResult {
		if p.Kind == jobs.KindDelivery { // On a slow machine other jobs may be stuck, too.
			passed.Add(1)
		}
		return river.JobStuckHandlerResult{}
	}
	r, release := newRecorder(), make(chan struct{})
	s.watch(t, config, jobs.Results[pgx.Tx]{
		Organizations: []jobs.Organization{stuck.organization("acme"), other.organization("other")}, Telemetry: r.telemetry(),
		Send: func(_ context.Context, d jobs.Delivery) error {
			if d.Organization.Name == "acme" {
				<-release
			}
			return nil
		},
	})
	t.Cleanup(func() { close(release) }) // Before the client is stopped.
	eventually(t, func() bool { return r.event(jobs.EventStuck) >= 2 }, "again and again")
	other.addEvaluated(t, 3)
	eventually(t, s.countIs(t, 3, "river_job WHERE kind = 'hiring_delivery' AND state = 'completed' AND args->>'organization' = 'other'"))
	require.Zero(t, passed.Load())
	for n, more := range map[int]bool{9: true, 10: false} { // The pool has 15 connections: one worker, five to spare.
		stuck := river.JobStuckHandlerParams{Kind: jobs.KindDelivery, TotalStuckJobs: n}
		require.Equal(t, more, config.JobStuckHandler(t.Context(), stuck).AddWorkerSlot)
	}
	require.Regexp(t, `organization=acme kind=hiring_delivery submission_id=(`+ids[0]+`|`+ids[1]+`|`+ids[2]+`|`+ids[3]+`)`, log.String())
}
