package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
)

func TestRetryPolicyEndsAfterThreeDays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy         jobs.RetryPolicy
		first, longest time.Duration
		end            time.Duration
	}{
		"default":     {jobs.RetryPolicy{}, 30 * time.Second, time.Hour, 72 * time.Hour},
		"a first":     {jobs.RetryPolicy{First: 5 * time.Minute}, 5 * time.Minute, time.Hour, 72 * time.Hour},
		"an end":      {jobs.RetryPolicy{End: 24 * time.Hour}, 30 * time.Second, time.Hour, 24 * time.Hour},
		"a long way":  {jobs.RetryPolicy{First: time.Minute, Max: 24 * time.Hour, End: 30 * 24 * time.Hour}, time.Minute, 24 * time.Hour, 30 * 24 * time.Hour},
		"no retry":    {jobs.RetryPolicy{End: 1}, 30 * time.Second, time.Hour, 0},
		"not growing": {jobs.RetryPolicy{First: 2 * time.Hour}, 2 * time.Hour, 2 * time.Hour, 72 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.first, c.policy.Delay(1))
			require.Equal(t, min(2*c.first, c.longest), c.policy.Delay(2))
			require.Equal(t, c.longest, c.policy.Delay(1000))
			total := time.Duration(0)
			for n := range c.policy.Attempts() - 1 {
				total += c.policy.Delay(n + 1)
			}
			require.LessOrEqual(t, total, c.end)
			require.Greater(t, total+c.policy.Delay(c.policy.Attempts()), c.end)
		})
	}
	require.Equal(t, 30_000, jobs.RetryPolicy{First: 1, Max: 1, End: time.Hour}.Attempts(), "what River can count")
}

func TestFailingDeliveriesFollowTheirPolicy(t *testing.T) {
	t.Parallel()
	on(t, failingDeliveriesFollowTheirPolicy[*riverpgxv5.Driver, pgx.Tx], failingDeliveriesFollowTheirPolicy[*riversqlite.Driver, *sql.Tx])
}

// failingDeliveriesFollowTheirPolicy retries each delivery at once, in place of
// waiting, and looks when River would have.
func failingDeliveriesFollowTheirPolicy[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	w.evaluated(t, 1)
	organization := w.organization("acme")
	r := newReports()
	organization.Telemetry = r
	client, _ := s.watch(t, hurried(), jobs.Results[TTx]{
		Organizations: []jobs.Organization{organization},
		Handle:        func(context.Context, TTx, jobs.Delivery) error { return errors.New("no luck") },
		Retry:         jobs.RetryPolicy{First: time.Minute, Max: 4 * time.Minute, End: 14 * time.Minute},
	})
	began := time.Now()
	for attempt, delay := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 4 * time.Minute} {
		job := s.deliveryIn(t, client, rivertype.JobStateRetryable, attempt+1)
		require.Equal(t, 5, job.MaxAttempts)
		ended := job.Errors[attempt].At
		require.WithinRange(t, job.ScheduledAt, ended.Add(delay-time.Second), time.Now().Add(delay+delay/10+time.Second))
		if attempt == 1 {
			eventually(t, func() bool { return r.deliveries(jobs.DeliveriesFailing) == 1 }, "while it fails")
			require.WithinRange(t, r.since(jobs.DeliveriesFailing), began.Add(-time.Second), time.Now())
		}
		_, err := client.JobRetry(t.Context(), job.ID)
		require.NoError(t, err)
	}
	s.deliveryIn(t, client, rivertype.JobStateDiscarded, 5)
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesDiscarded) == 1 })
	require.Zero(t, r.deliveries(jobs.DeliveriesFailing))
	require.Equal(t, 1, r.event(jobs.EventDiscarded))
}

// deliveryIn waits for the only delivery to reach a state after an attempt.
func (s *store[D, TTx]) deliveryIn(t *testing.T, client *river.Client[TTx], state rivertype.JobState, attempt int) *rivertype.JobRow {
	t.Helper()
	var job *rivertype.JobRow
	eventually(t, func() bool {
		list, err := client.JobList(t.Context(), river.NewJobListParams().Kinds("hiring_delivery"))
		require.NoError(t, err)
		if len(list.Jobs) == 0 {
			return false
		}
		job = list.Jobs[0]
		return job.State == state && job.Attempt == attempt
	}, state, attempt)
	return job
}

func TestCancelledAndRescuedDeliveriesAreReported(t *testing.T) {
	t.Parallel()
	on(t, cancelledAndRescuedDeliveriesAreReported[*riverpgxv5.Driver, pgx.Tx], cancelledAndRescuedDeliveriesAreReported[*riversqlite.Driver, *sql.Tx])
}

// cancelledAndRescuedDeliveriesAreReported has a handler that cancels, one that
// hangs so that River takes its job as stuck, and no worker for a third delivery.
func cancelledAndRescuedDeliveriesAreReported[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w := newWorld(t)
	ids := w.evaluated(t, 2)
	organization := w.organization("acme")
	r := newReports()
	organization.Telemetry = r
	config := hurried()
	config.JobTimeout = time.Second
	config.RescueStuckJobsAfter = time.Second
	release := make(chan struct{})
	var first atomic.Bool
	results := jobs.Results[TTx]{
		Organizations: []jobs.Organization{organization},
		Send: func(_ context.Context, d jobs.Delivery) error {
			if d.Submission.ID == ids[0] {
				return river.JobCancel(errors.New("not wanted"))
			}
			if first.CompareAndSwap(false, true) {
				<-release // As a process that was stopped: its context has no effect.
			}
			return nil
		},
	}
	client, _ := s.watch(t, config, results)
	t.Cleanup(func() {
		select {
		case <-release:
		default:
			close(release)
		}
	})
	eventually(t, func() bool { return r.event(jobs.EventRescued) == 1 }, "another attempt")
	close(release)
	eventually(t, s.delivered(t, 1))
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesCancelled) == 1 })
	require.Equal(t, 1, r.event(jobs.EventCancelled))
	require.Zero(t, r.event(jobs.EventDiscarded))

	require.NoError(t, client.QueuePause(t.Context(), jobs.QueueDeliveries, nil))
	w.evaluated(t, 3)
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesWaiting) == 3 }, "a queue that is stuck")
	require.NoError(t, client.QueueResume(t.Context(), jobs.QueueDeliveries, nil))
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesWaiting) == 0 })
}

func TestReceiversRetryAfterIsKept(t *testing.T) {
	t.Parallel()
	on(t, receiversRetryAfterIsKept[*riverpgxv5.Driver, pgx.Tx], receiversRetryAfterIsKept[*riversqlite.Driver, *sql.Tx])
}

func receiversRetryAfterIsKept[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w, r := newWorld(t), newReceiver(t, http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusServiceUnavailable, http.StatusServiceUnavailable)
	w.evaluated(t, 1)
	hook, err := jobs.NewWebhook(r.URL, jobs.WebhookOptions{Secrets: []string{secret}})
	require.NoError(t, err)
	r.retryAfter = []string{
		"600",
		time.Now().Add(30 * time.Minute).UTC().Format(http.TimeFormat),
		"86400",
		"1",
	}
	client, _ := s.watch(t, hurried(), jobs.Results[TTx]{
		Organizations: w.organizations(), Send: hook.Send, Retry: jobs.RetryPolicy{First: time.Minute},
	})
	for attempt, delay := range []time.Duration{10 * time.Minute, 30 * time.Minute, time.Hour, 8 * time.Minute} {
		job := s.deliveryIn(t, client, rivertype.JobStateRetryable, attempt+1)
		require.WithinRange(t, job.ScheduledAt, time.Now().Add(delay-time.Minute), time.Now().Add(delay+delay/10+time.Second), attempt)
		_, err := client.JobRetry(t.Context(), job.ID)
		require.NoError(t, err)
	}
	eventually(t, s.delivered(t, 1))
}
