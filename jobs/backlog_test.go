package jobs_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// backlog is many submissions that are evaluated before or during a watch.
type backlog struct {
	*fakeAPI

	options     hiring.WatchOptions
	state       string
	submissions []string
}

// backlogs are scenarios of a backlog, with the longest time until all submissions are
// found. docs/internals/scale.md explains the times.
var backlogs = map[string]struct {
	since    sandbox.SinceField
	evaluate func(*backlog, *testing.T)
	within   time.Duration
}{
	"over a day, since is creation":         {sandbox.SinceCreated, (*backlog).evaluateOverADay, time.Second},
	"over a day, since is evaluation":       {sandbox.SinceEvaluated, (*backlog).evaluateOverADay, time.Second},
	"at once, before, since is creation":    {sandbox.SinceCreated, (*backlog).evaluateAtOnce, 45 * time.Minute},
	"at once, before, since is evaluation":  {sandbox.SinceEvaluated, (*backlog).evaluateAtOnce, time.Second},
	"at once, watched, since is creation":   {sandbox.SinceCreated, (*backlog).watchThenEvaluateAtOnce, time.Hour},
	"at once, watched, since is evaluation": {sandbox.SinceEvaluated, (*backlog).watchThenEvaluateAtOnce, 15 * time.Minute},
}

// TestBacklogIsFound calls Poll at the recommended intervals in virtual time. The rate
// limit of the API and the polling algorithm determine the result, not the jobs.
func TestBacklogIsFound(t *testing.T) {
	t.Parallel()
	n := 1000
	if longTests() {
		n = 10_000
	}
	for name, c := range backlogs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBacklog(t, n, c.since)
				c.evaluate(b, t)
				began := time.Now()
				found, repeated, polls, reads := b.find(t)
				took := time.Since(began)
				t.Logf("%d found after %s, in %d polls with %d reads, %d of them twice", found, took.Round(time.Second), polls, reads, repeated)
				require.Equal(t, n, found)
				require.Zero(t, repeated)
				require.Less(t, took, c.within)
			})
		})
	}
}

func newBacklog(t *testing.T, n int, since sandbox.SinceField) *backlog {
	t.Helper()
	s := sandbox.New(sandbox.WithQuota(1000, 100_000), sandbox.WithSinceOn(since))
	t.Cleanup(s.Close)
	s.SetPlan(sandbox.LiveKey, 0, n)
	client, err := hiring.New("http://sandbox.test", sandbox.LiveKey, hiring.WithInsecureHTTP(), hiring.WithHTTPClient(&http.Client{Transport: s.Transport()}))
	require.NoError(t, err)
	api := &fakeAPI{s, client, s.AddAssessment("Backend engineer"), time.Now()}
	b := &backlog{fakeAPI: api, submissions: make([]string, n)}
	for i := range b.submissions {
		b.submissions[i] = api.addSubmission(t)
	}
	b.options.Since = time.Now()
	time.Sleep(time.Hour)
	return b
}

// evaluateAtOnce submits and evaluates all submissions.
func (b *backlog) evaluateAtOnce(t *testing.T) {
	t.Helper()
	for _, id := range b.submissions {
		require.NoError(t, b.Submit(id))
	}
	time.Sleep(time.Minute)
	for _, id := range b.submissions {
		require.NoError(t, b.Evaluate(id, sandbox.Result{ShipScore: 1}))
	}
}

// watchThenEvaluateAtOnce polls for an hour before evaluateAtOnce.
func (b *backlog) watchThenEvaluateAtOnce(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(time.Hour); time.Now().Before(end); {
		time.Sleep(b.poll(t).Wait)
	}
	b.evaluateAtOnce(t)
}

// evaluateOverADay submits and evaluates the submissions evenly over a day.
func (b *backlog) evaluateOverADay(t *testing.T) {
	t.Helper()
	for _, id := range b.submissions {
		time.Sleep(24 * time.Hour / time.Duration(len(b.submissions)))
		b.evaluate(t, id, sandbox.Result{ShipScore: 1})
	}
}

// poll calls Poll and keeps its state.
func (b *backlog) poll(t *testing.T) hiring.PollResult {
	t.Helper()
	polled, err := b.client.Submissions.Poll(t.Context(), b.options, b.state)
	require.NoError(t, err)
	b.state = polled.State
	return polled
}

// find polls until all submissions are found, for three hours at most.
func (b *backlog) find(t *testing.T) (found, repeated, polls, reads int) {
	t.Helper()
	seen := make(map[string]bool)
	for began := time.Now(); time.Since(began) < 3*time.Hour; {
		polled := b.poll(t)
		polls++
		reads += polled.Progress.Requests
		for _, s := range polled.Submissions {
			if seen[s.ID] {
				repeated++
			}
			seen[s.ID] = true
		}
		if len(seen) == len(b.submissions) {
			break
		}
		time.Sleep(polled.Wait)
	}
	return len(seen), repeated, polls, reads
}
