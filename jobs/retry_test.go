package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
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
		"default":                       {jobs.RetryPolicy{}, 30 * time.Second, time.Hour, 72 * time.Hour},
		"first delay":                   {jobs.RetryPolicy{First: 5 * time.Minute}, 5 * time.Minute, time.Hour, 72 * time.Hour},
		"end":                           {jobs.RetryPolicy{End: 24 * time.Hour}, 30 * time.Second, time.Hour, 24 * time.Hour},
		"long policy":                   {jobs.RetryPolicy{First: time.Minute, Max: 24 * time.Hour, End: 30 * 24 * time.Hour}, time.Minute, 24 * time.Hour, 30 * 24 * time.Hour},
		"no retry":                      {jobs.RetryPolicy{End: 1}, 30 * time.Second, time.Hour, 0},
		"first delay above the maximum": {jobs.RetryPolicy{First: 2 * time.Hour}, 2 * time.Hour, 2 * time.Hour, 72 * time.Hour},
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
	require.Equal(t, 30_000, jobs.RetryPolicy{First: 1, Max: 1, End: time.Hour}.Attempts(), "the limit of River's column")
	for file, pattern := range map[string]string{
		"retry.go":        `(?s)Default: 30 s\..*Default: 1 h\..*Default: 72 h\.`,
		"../docs/jobs.md": "after 30 s, then after twice the previous delay, at most an hour, for three days",
	} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Regexp(t, pattern, string(text), file)
	}
}

func TestFailingDeliveriesFollowTheirPolicy(t *testing.T) {
	t.Parallel()
	onBothStores(t, failingDeliveriesFollowTheirPolicy[pgx.Tx], failingDeliveriesFollowTheirPolicy[*sql.Tx])
}

// failingDeliveriesFollowTheirPolicy checks the scheduled time after each failure, and
// then retries the delivery at once.
func failingDeliveriesFollowTheirPolicy[TTx any](t *testing.T, s *store[TTx]) {
	api := newAPI(t)
	id := api.addEvaluated(t, 1)[0]
	organization, r := api.recordedOrganization()
	client, _ := s.watch(t, testConfig(), jobs.Results[TTx]{
		Organizations: []jobs.Organization{organization},
		Handle:        func(context.Context, TTx, jobs.Delivery) error { return errors.New("failed") },
		Retry:         jobs.RetryPolicy{First: time.Hour, Max: 4 * time.Hour, End: 14 * time.Hour},
		Telemetry:     r.telemetry(),
	})
	for attempt, delay := range []time.Duration{time.Hour, 2 * time.Hour, 4 * time.Hour, 4 * time.Hour} {
		job := s.deliveryIn(t, client, rivertype.JobStateRetryable, attempt+1)
		require.Equal(t, 5, job.MaxAttempts)
		ended := job.Errors[attempt].At
		require.WithinRange(t, job.ScheduledAt, ended.Add(delay-time.Second), time.Now().Add(delay+delay/10+time.Second))
		if attempt == 1 {
			eventually(t, func() bool { return r.deliveries(jobs.DeliveriesFailing) == 1 }, "the failing delivery is reported")
			require.WithinDuration(t, job.Errors[0].At, r.since(jobs.DeliveriesFailing), time.Second)
		}
		_, err := client.JobRetry(t.Context(), job.ID)
		require.NoError(t, err)
	}
	s.deliveryIn(t, client, rivertype.JobStateDiscarded, 5)
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesDiscarded) == 1 })
	require.Zero(t, r.deliveries(jobs.DeliveriesFailing))
	require.Equal(t, 1, r.event(jobs.EventDiscarded))

	s.mustExec(t, "DELETE FROM river_job WHERE kind = 'hiring_delivery'")
	s.deliver(t, client, organization.Name, id) // Deliver does not know the policy: the worker does.
	for attempt := range 4 {
		_, err := client.JobRetry(t.Context(), s.deliveryIn(t, client, rivertype.JobStateRetryable, attempt+1).ID)
		require.NoError(t, err)
	}
	s.deliveryIn(t, client, rivertype.JobStateDiscarded, 5)
}

// deliveryIn waits until the only delivery is in a state after a number of attempts,
// and returns its job.
func (s *store[TTx]) deliveryIn(t *testing.T, client *river.Client[TTx], state rivertype.JobState, attempt int) *rivertype.JobRow {
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

func TestRetryAfterOfAReceiverIsHonouredSQLite(t *testing.T) {
	t.Parallel()
	s := newSQLite(t)
	api, r := newAPI(t), newReceiver(t, http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusServiceUnavailable, http.StatusServiceUnavailable)
	api.addEvaluated(t, 1)
	began := time.Now()
	r.retryAfter = []string{
		"600",
		began.Add(30 * time.Minute).UTC().Format(http.TimeFormat),
		"86400",
		"1",
	}
	client, _ := s.watch(t, testConfig(), jobs.Results[*sql.Tx]{
		Organizations: api.organizations(), Send: r.hook(t).Send, Retry: jobs.RetryPolicy{First: time.Minute},
	})
	for attempt, delay := range []time.Duration{10 * time.Minute, 30 * time.Minute, time.Hour, 8 * time.Minute} {
		job := s.deliveryIn(t, client, rivertype.JobStateRetryable, attempt+1)
		require.WithinRange(t, job.ScheduledAt, began.Add(delay-2*time.Second), time.Now().Add(delay+delay/10+2*time.Second), attempt)
		_, err := client.JobRetry(t.Context(), job.ID)
		require.NoError(t, err)
	}
	eventually(t, s.deliveredIs(t, 1))
}
