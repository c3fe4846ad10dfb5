package jobs_test

import (
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// backlog is many submissions that are evaluated before or while a watch looks.
type backlog struct {
	*world

	options     hiring.WatchOptions
	state       string
	submissions []string
}

// backlogs are the ways in which one may come to be, and how soon it must be
// found: docs/internals/scale.md says why.
var backlogs = map[string]struct {
	since  sandbox.SinceField
	become func(*backlog, *testing.T)
	within time.Duration
}{
	"over a day, since is creation":         {sandbox.SinceCreated, (*backlog).overADay, time.Second},
	"over a day, since is evaluation":       {sandbox.SinceEvaluated, (*backlog).overADay, time.Second},
	"at once, before, since is creation":    {sandbox.SinceCreated, (*backlog).atOnceBefore, 45 * time.Minute},
	"at once, before, since is evaluation":  {sandbox.SinceEvaluated, (*backlog).atOnceBefore, time.Second},
	"at once, watched, since is creation":   {sandbox.SinceCreated, (*backlog).atOnceWatched, time.Hour},
	"at once, watched, since is evaluation": {sandbox.SinceEvaluated, (*backlog).atOnceWatched, 15 * time.Minute},
}

// TestBacklogIsFound makes the rounds of a watch at the pauses that they recommend.
// It is the service's quota and the machine's pace that bound them, not the jobs.
func TestBacklogIsFound(t *testing.T) {
	t.Parallel()
	n := 1000
	if os.Getenv("HIRING_LONG") != "" {
		n = 10_000
	}
	for name, is := range backlogs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBacklog(t, n, is.since)
				is.become(b, t)
				began := time.Now()
				found, repeats, rounds, reads := b.find(t)
				took := time.Since(began)
				t.Logf("%d found after %s, in %d rounds of %d reads, %d of them handed over again", found, took.Round(time.Second), rounds, reads, repeats)
				require.Equal(t, n, found)
				require.Zero(t, repeats)
				require.Less(t, took, is.within)
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
	w := &world{s, client, s.AddAssessment("Backend engineer"), time.Now()}
	b := &backlog{world: w, submissions: make([]string, n)}
	for i := range b.submissions {
		b.submissions[i] = w.begins(t)
	}
	b.options.Since = time.Now()
	time.Sleep(time.Hour)
	return b
}

// atOnceBefore has all handed in and evaluated before anybody looks.
func (b *backlog) atOnceBefore(t *testing.T) {
	t.Helper()
	for _, id := range b.submissions {
		require.NoError(t, b.Submit(id))
	}
	time.Sleep(time.Minute)
	for _, id := range b.submissions {
		require.NoError(t, b.Evaluate(id, sandbox.Result{ShipScore: 1}))
	}
}

// atOnceWatched has the same under the eyes of a watch.
func (b *backlog) atOnceWatched(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(time.Hour); time.Now().Before(end); {
		time.Sleep(b.round(t).Wait)
	}
	b.atOnceBefore(t)
}

func (b *backlog) overADay(t *testing.T) {
	t.Helper()
	for _, id := range b.submissions {
		time.Sleep(24 * time.Hour / time.Duration(len(b.submissions)))
		b.grade(t, id, sandbox.Result{ShipScore: 1})
	}
}

func (b *backlog) round(t *testing.T) hiring.PollResult {
	t.Helper()
	polled, err := b.recruiter.Submissions.Poll(t.Context(), b.options, b.state)
	require.NoError(t, err)
	b.state = polled.State
	return polled
}

// find makes rounds until all are found.
func (b *backlog) find(t *testing.T) (found, repeats, rounds, reads int) {
	t.Helper()
	seen := make(map[string]bool)
	for began := time.Now(); time.Since(began) < 3*time.Hour; {
		polled := b.round(t)
		rounds++
		reads += polled.Progress.Requests
		for _, s := range polled.Submissions {
			if seen[s.ID] {
				repeats++
			}
			seen[s.ID] = true
		}
		if len(seen) == len(b.submissions) {
			break
		}
		time.Sleep(polled.Wait)
	}
	return len(seen), repeats, rounds, reads
}
