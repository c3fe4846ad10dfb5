package wait_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestWaitReportsIsCheapAndQuick measures the cost of waiting and the delay of reports.
// Only long runs check the exact figures.
func TestWaitReportsIsCheapAndQuick(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size       int
		over       time.Duration
		on         sandbox.SinceField
		average    float64
		most       int
		p95        time.Duration
		onlyIfLong bool
	}{
		{1, 8 * time.Hour, sandbox.SinceCreated, 120, 120, time.Minute, false},
		{100, 3 * time.Hour, sandbox.SinceCreated, 150, 200, time.Minute, false},
		{300, 3 * time.Hour, sandbox.SinceCreated, 400, 900, time.Minute, false},
		{300, 3 * time.Hour, sandbox.SinceEvaluated, 150, 200, time.Minute, false},
		{1000, 8 * time.Hour, sandbox.SinceCreated, 400, 720, time.Minute, true},
		{1000, 8 * time.Hour, sandbox.SinceSubmitted, 150, 900, time.Minute, true},
		{1000, 8 * time.Hour, sandbox.SinceEvaluated, 150, 900, time.Minute, true},
		{10_000, 24 * time.Hour, sandbox.SinceCreated, 1000, 1900, 6 * time.Minute, true},
		{10_000, 24 * time.Hour, sandbox.SinceEvaluated, 210, 900, time.Minute, true},
	} {
		if !apitest.Long() {
			if c.onlyIfLong {
				continue
			}
			c.average, c.most, c.p95 = c.average*3/2, c.most*3/2, c.p95*2
		}
		synctest.Test(t, func(t *testing.T) {
			w := newLiveWorld(t, sandbox.WithSinceOn(c.on))
			ids := w.addCandidates(c.size)
			w.evaluateAll(ids, c.over)
			var late []time.Duration
			landed := make(map[string]int)
			for report, err := range w.client().Submissions.WaitReports(t.Context(), ids, hiring.WaitOptions{}) {
				require.NoError(t, err)
				late = append(late, time.Since(*report.GeneratedAt))
				landed[report.SubmissionID]++
			}
			assert.Len(t, landed, c.size)
			assert.Len(t, late, c.size)
			average, most := w.perHour(c.over)
			t.Logf("%d on %s: p50 %s, p95 %s, max %s; %.0f an hour, at most %d", c.size, c.on,
				quantile(late, 0.5).Round(time.Second), quantile(late, 0.95).Round(time.Second), quantile(late, 1).Round(time.Second), average, most)
			assert.LessOrEqual(t, quantile(late, 0.95), c.p95, "%d on %s", c.size, c.on)
			assert.LessOrEqual(t, average, c.average, "%d on %s", c.size, c.on)
			assert.LessOrEqual(t, most, c.most, "%d on %s", c.size, c.on)
			assert.Zero(t, w.count(429))
		})
	}
}

// wait collects the reports that WaitReports yields.
func wait(ctx context.Context, c *hiring.Client, ids []string, o hiring.WaitOptions) (landed map[string]int, err error) {
	landed = make(map[string]int)
	for report, failure := range c.Submissions.WaitReports(ctx, ids, o) {
		if failure != nil {
			return landed, failure
		}
		landed[report.SubmissionID]++
	}
	return landed, nil
}

func once1(ids []string) map[string]int {
	all := make(map[string]int)
	for _, id := range ids {
		all[id] = 1
	}
	return all
}

func TestWaitReportsYieldsReadyReportsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLiveWorld(t)
		ids := w.addCandidates(150)
		for _, id := range ids {
			w.evaluate(id)
		}
		begun := time.Now()
		var told []hiring.WaitProgress
		reports := w.client().Submissions.WaitReports(t.Context(), append(ids, ids[0]), hiring.WaitOptions{Progress: func(p hiring.WaitProgress) { told = append(told, p) }})
		assert.Empty(t, w.sent, "nothing is sent before the range begins")
		for range 2 { // Each range starts again.
			landed := make(map[string]int)
			for report, err := range reports {
				require.NoError(t, err)
				landed[report.SubmissionID]++
			}
			assert.Equal(t, once1(ids), landed)
		}
		assert.Zero(t, time.Since(begun))
		assert.Len(t, w.sent, 4, "two pages a range")
		assert.Equal(t, []hiring.WaitProgress{{Total: 150, Ready: 150, Requests: 2, ReadsLastHour: 2}, {Total: 150, Ready: 150, Requests: 2, ReadsLastHour: 2}}, told)
	})
}

func TestWaitReportsReportsMissingSubmissions(t *testing.T) {
	for _, on := range sinceFields {
		synctest.Test(t, func(t *testing.T) {
			w := newLiveWorld(t, sandbox.WithSinceOn(on))
			ids := w.addCandidates(5)
			w.evaluateAll(ids, time.Hour)
			all := append([]string{sandbox.UnknownID, "no-uuid"}, ids...)
			landed, err := wait(t.Context(), w.client(), all, hiring.WaitOptions{AssessmentID: w.assessment, Since: time.Now().Add(-time.Hour)})
			assert.Equal(t, once1(ids), landed)
			assert.Equal(t, &hiring.WaitError{Missing: all[:2], Err: hiring.ErrNotFound}, err)
			require.ErrorIs(t, err, hiring.ErrNotFound)
		})
	}
}

func TestWaitReportsEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLiveWorld(t)
		ids := w.addCandidates(10)
		w.evaluateAll(ids[:4], time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		defer cancel()
		begun := time.Now()
		landed, err := wait(ctx, w.client(), append([]string{sandbox.UnknownID}, ids...), hiring.WaitOptions{})
		assert.Equal(t, once1(ids[:4]), landed)
		var failure *hiring.WaitError
		require.ErrorAs(t, err, &failure)
		assert.Equal(t, ids[4:], failure.Pending)
		assert.Equal(t, []string{sandbox.UnknownID}, failure.Missing)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 2*time.Hour, time.Since(begun))
	})
}

func TestWaitReportsEndsAtOnceWithoutAKey(t *testing.T) {
	for _, scope := range []int{401, 403} {
		synctest.Test(t, func(t *testing.T) {
			w := newLiveWorld(t)
			ids := w.addCandidates(10)
			w.server.Inject(sandbox.Fault{Route: "GET /submissions", Skip: 3, Status: scope, Times: -1})
			_, err := wait(t.Context(), w.client(), ids, hiring.WaitOptions{})
			var failure *hiring.WaitError
			require.ErrorAs(t, err, &failure)
			assert.Len(t, failure.Pending, 10)
			assert.Equal(t, scope, apitest.RequireError(t, "WaitReports", err).Status)
			assert.Equal(t, 1, w.count(scope))
		})
	}
}

func TestWaitReportsRejectsInvalidInput(t *testing.T) {
	client := sandbox.New().Client()
	for _, c := range []struct {
		ids []string
		o   hiring.WaitOptions
	}{{[]string{""}, hiring.WaitOptions{}}, {[]string{".."}, hiring.WaitOptions{}}, {nil, hiring.WaitOptions{MinInterval: -1}}} {
		_, err := wait(t.Context(), client, c.ids, c.o)
		require.ErrorIs(t, err, hiring.ErrInvalidInput)
	}
	landed, err := wait(t.Context(), client, nil, hiring.WaitOptions{})
	require.NoError(t, err)
	assert.Empty(t, landed)
}

func TestWaitReportsRetriesTransientErrors(t *testing.T) {
	t.Parallel()
	for _, on := range sinceFields {
		synctest.Test(t, func(t *testing.T) {
			w := newLiveWorld(t, sandbox.WithSinceOn(on))
			ids := w.addCandidates(250)
			w.evaluateAll(ids, 3*time.Hour)
			injectFaults(w, 3*time.Hour)
			landed, err := wait(t.Context(), w.client(), ids, hiring.WaitOptions{})
			require.NoError(t, err)
			assert.Equal(t, once1(ids), landed, "%s", on)
		})
	}
}

// injectFaults injects faults of all kinds at random times, and an outage at the end.
func injectFaults(w *liveData, over time.Duration) {
	faults := []sandbox.Fault{
		{Status: 500}, {Status: 503, RetryAfter: 90 * time.Second}, {Reset: true, Times: 9}, {CutAfter: 300, After: true, Times: 5},
		{Status: 502, Body: "<html>", Times: 6}, {Status: 429, RetryAfter: 3 * time.Minute}, {Delay: 45 * time.Second, After: true, Times: 2},
	}
	for i := range 10 * len(faults) {
		fault := faults[i%len(faults)]
		fault.Route = "GET *"
		time.AfterFunc(time.Duration(w.random.Int64N(int64(over))), func() { w.server.Inject(fault) })
	}
}

func TestWaitReportsLeavesOthersTheirShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newLiveWorld(t)
		ids := w.addCandidates(300)
		w.evaluateAll(ids, 3*time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { // Another process uses half of the key's reads.
			other := w.server.LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
			for ctx.Err() == nil {
				_, err := other.Account.Get(ctx)
				assert.NotErrorIs(t, err, hiring.ErrRateLimited)
				time.Sleep(time.Hour / 500)
			}
		}()
		landed, err := wait(t.Context(), w.client(), ids, hiring.WaitOptions{})
		cancel()
		require.NoError(t, err)
		assert.Equal(t, once1(ids), landed)
		assert.Zero(t, w.count(429))
		time.Sleep(time.Minute) // The other process ends.
	})
}

func TestWaitReportsWaitsForTheNextWindow(t *testing.T) {
	for _, bounded := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newLiveWorld(t)
			ids := w.addCandidates(3)
			w.evaluateAll(ids, time.Minute)
			w.server.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 50) // Within the reserve.
			ctx := t.Context()
			if bounded {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, 30*time.Minute)
				defer cancel()
			}
			begun := time.Now()
			landed, err := wait(ctx, w.client(), ids, hiring.WaitOptions{})
			if !bounded {
				require.NoError(t, err)
				assert.Equal(t, once1(ids), landed)
				assert.InDelta(t, 3600, time.Since(begun).Seconds(), 60)
				assert.LessOrEqual(t, len(w.sent), 3)
				return
			}
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.ErrorIs(t, err, hiring.ErrQuotaExhausted)
			assert.Less(t, time.Since(begun), time.Minute, "it does not wait for what it cannot have")
		})
	}
}

func TestWaitReportsRarelyReadsUnfinishedSubmissions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLiveWorld(t)
		ids := w.addCandidates(2)
		ctx, cancel := context.WithTimeout(t.Context(), 5*24*time.Hour)
		defer cancel()
		_, err := wait(ctx, w.client(), ids, hiring.WaitOptions{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		lastDay := 0
		for _, sent := range w.sent {
			if time.Since(sent.at) < 24*time.Hour {
				lastDay++
			}
		}
		assert.Less(t, lastDay, 210)
	})
}

func TestWaitReportsReadsSubmissionsThatAreNotListed(t *testing.T) {
	const bare = `{"id":"s1","status":"evaluated","created_at":"2026-01-01T00:00:00.000Z","evaluated_at":"2026-01-01T01:00:00.000Z","report":null}`
	fake := apitest.NewScriptedServer(t, apitest.RespondData("["+bare+"]"), apitest.RespondError(404, "NOT_FOUND"), apitest.RespondData(`{"submission_id":"s1","status":"evaluated","evaluated":true}`))
	landed, err := wait(t.Context(), fake.Client(), []string{"s1", "s2"}, hiring.WaitOptions{})
	assert.Equal(t, map[string]int{"s1": 1}, landed)
	assert.Equal(t, &hiring.WaitError{Missing: []string{"s2"}, Err: hiring.ErrNotFound}, err)
	assert.Len(t, fake.Requests(), 3)
}

func TestWaitReportsCanBeLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLiveWorld(t)
		ids := w.addCandidates(5)
		for _, id := range ids {
			w.evaluate(id)
		}
		var captured hiring.Response
		for _, err := range w.client().Submissions.WaitReports(hiring.WithResponse(t.Context(), &captured), ids, hiring.WaitOptions{}) {
			require.NoError(t, err)
			break
		}
		assert.Len(t, w.sent, 1)
		assert.Zero(t, captured, "in waiting nothing is captured")
	})
}
