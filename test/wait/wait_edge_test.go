package wait_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// ids returns the ids of all submissions.
func (c *largeService) ids() []string {
	all := make([]string, len(c.created))
	for i := range all {
		all[i] = crowdID(i)
	}
	return all
}

// wait waits for the reports of all submissions.
func (d *deliveredOf) wait(t *testing.T, o hiring.WaitOptions) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 48*time.Hour)
	defer cancel()
	for report, err := range d.crowd.client(t).Submissions.WaitReports(ctx, d.crowd.ids(), o) {
		if err != nil {
			return err
		}
		assert.True(t, report.Ready())
		d.take(report.SubmissionID)
	}
	return nil
}

// breakDown resets every connection between two times.
func (c *largeService) breakDown(from, to time.Duration) {
	c.intercept = func(*http.Request) (*http.Response, error) {
		if at := time.Since(c.zero); at >= from && at < to {
			return nil, apitest.ErrReset
		}
		return nil, nil
	}
}

// caughtUp returns how long after an outage the last delayed submission was delivered,
// and the number of delayed ones.
func (d *deliveredOf) caughtUp(from, to time.Duration) (last time.Duration, held int) {
	for _, came := range d.log {
		if at := d.crowd.evaluated[came.i]; at >= from.Milliseconds() && at < to.Milliseconds() {
			last = max(last, came.at-to)
			held++
		}
	}
	return last, held
}

// TestWaitersCatchUpAfterAnOutage has six hours without a response.
func TestWaitersCatchUpAfterAnOutage(t *testing.T) {
	t.Parallel()
	const from, to, over = 3 * time.Hour, 9 * time.Hour, 10 * time.Hour
	for _, on := range sinceFields {
		inBubble(t, "Watch, "+string(on), func(t *testing.T) {
			crowd := newLargeService(on, 400, over, lognormal(20*time.Minute, 3*time.Hour, 5*time.Hour))
			crowd.breakDown(from, to)
			got := newDelivered(crowd)
			got.watch(t, crowd.client(t), hiring.WatchOptions{Since: crowd.zero}, over+6*time.Hour)
			got.once(t, over+5*time.Hour)
			last, held := got.caughtUp(from, to)
			t.Logf("Watch on %s: %d held up, the last came after %s", on, held, last.Round(time.Second))
			assert.Greater(t, held, 150)
			assert.Less(t, last, 20*time.Minute)
			assert.Zero(t, crowd.refused)
		})
		inBubble(t, "WaitReports, "+string(on), func(t *testing.T) {
			crowd := newLargeService(on, 300, time.Hour, within(over))
			crowd.breakDown(from, to)
			time.Sleep(time.Hour)
			got := newDelivered(crowd)
			require.NoError(t, got.wait(t, hiring.WaitOptions{}))
			got.once(t, 2*over)
			assert.Equal(t, 300, got.total)
			last, held := got.caughtUp(from, to)
			t.Logf("WaitReports on %s: %d held up, the last came after %s", on, held, last.Round(time.Second))
			assert.Greater(t, held, 150)
			assert.Less(t, last, 10*time.Minute)
			assert.Zero(t, crowd.refused)
		})
	}
}

// TestWaitReportsHandlesUnusualServers is like TestWatchHandlesUnusualServers, for WaitReports.
func TestWaitReportsHandlesUnusualServers(t *testing.T) {
	t.Parallel()
	lost := make(map[string]bool)
	for name, odd := range map[string]func(*largeService){
		"all as documented":    func(*largeService) {},
		"since is ignored":     func(c *largeService) { c.ignoresSince = true },
		"status is ignored":    func(c *largeService) { c.ignoresStatus = true },
		"both are ignored":     func(c *largeService) { c.ignoresSince, c.ignoresStatus = true, true },
		"pages hide some once": func(c *largeService) { c.hides = func(i int) bool { return i%7 == 0 } },
		"pages shift":          func(c *largeService) { c.byOffset = true },
		"no report inline":     func(c *largeService) { c.bare = func(int) bool { return true } },
		"no evaluated_at":      func(c *largeService) { c.undated = func(i int) bool { return i%3 == 0 } },
		"Date is behind":       func(c *largeService) { c.date = -5 * time.Hour },
		"Date is ahead":        func(c *largeService) { c.date = 5 * time.Hour },
		"no Date":              func(c *largeService) { c.noDate = true },
		"evaluations show late": func(c *largeService) {
			c.lag = make([]int64, len(c.created))
			for i := range c.lag {
				c.lag[i] = int64(i) * 31 % 119_000
			}
		},
		"cursors are lost": func(c *largeService) {
			clear(lost)
			c.intercept = func(r *http.Request) (*http.Response, error) {
				query := r.URL.Query()
				if at, _, more := strings.Cut(query.Get("cursor"), "-"); more && !lost[query.Get("since")] && at != "" {
					lost[query.Get("since")] = true
					return refuseCursor(r)
				}
				return nil, nil
			}
		},
	} {
		for _, on := range mostFields() {
			inBubble(t, name+", "+string(on), func(t *testing.T) {
				crowd := newLargeService(on, 320, time.Hour, within(4*time.Hour))
				odd(crowd)
				time.Sleep(time.Hour)
				got := newDelivered(crowd)
				require.NoError(t, got.wait(t, hiring.WaitOptions{MinInterval: 5 * time.Minute, MaxInterval: 8 * time.Minute}))
				got.once(t, 6*time.Hour)
				assert.Equal(t, 320, got.total)
				assert.Less(t, time.Since(crowd.zero), 6*time.Hour)
				assert.Zero(t, crowd.refused)
			})
		}
	}
}

// TestGradingTimeCostsLittle uses since on submission, and evaluations a quarter of an
// hour later.
func TestGradingTimeCostsLittle(t *testing.T) {
	const grading = 15 * time.Minute
	newGraded := func() *deliveredOf {
		crowd := newLargeService(sandbox.SinceSubmitted, 300, time.Hour, func(random *rand.Rand) time.Duration {
			return grading + time.Duration(random.Int64N(int64(3*time.Hour)))
		})
		for i, at := range crowd.evaluated {
			crowd.submitted[i] = at - grading.Milliseconds()
		}
		crowd.index()
		time.Sleep(time.Hour)
		return newDelivered(crowd)
	}
	check := func(t *testing.T, got *deliveredOf, most int) {
		t.Helper()
		got.once(t, 4*time.Hour)
		var late []time.Duration
		for n, delay := range got.late() {
			if got.log[n].at > 2*time.Hour { // The grading time is known by then.
				late = append(late, delay)
			}
		}
		assert.Less(t, quantile(late, 0.95), 2*time.Minute)
		assert.Less(t, got.crowd.requests, most)
	}
	inBubble(t, "WaitReports", func(t *testing.T) {
		got := newGraded()
		require.NoError(t, got.wait(t, hiring.WaitOptions{}))
		check(t, got, 480)
	})
	inBubble(t, "Watch", func(t *testing.T) {
		got := newGraded()
		got.watch(t, got.crowd.client(t), hiring.WatchOptions{Since: got.crowd.zero}, 5*time.Hour)
		check(t, got, 700)
	})
}

// TestWaitReportsWhenTheSingleReadIsNoHelp uses a listing without reports.
func TestWaitReportsWhenTheSingleReadIsNoHelp(t *testing.T) {
	const none = `{"error":{"code":"NOT_FOUND","message":"none","request_id":"req_0e"}}`
	for name, c := range map[string]struct {
		status int
		body   string
	}{"missing": {404, none}, "pending": {200, `{"data":{"id":"%s","evaluated":false},"meta":{"request_id":"req_0a"}}`}, "failing": {500, ""}} {
		inBubble(t, name, func(t *testing.T) {
			crowd := newLargeService(sandbox.SinceCreated, 5, time.Minute, within(time.Hour))
			crowd.bare = func(i int) bool { return i == 2 }
			crowd.single = func(i int, _ string) (int, string) {
				if i == 2 && time.Since(crowd.zero) < 3*time.Hour {
					return c.status, strings.Replace(c.body, "%s", crowdID(i), 1)
				}
				return 0, ""
			}
			time.Sleep(2 * time.Minute)
			got := newDelivered(crowd)
			err := got.wait(t, hiring.WaitOptions{})
			if name == "missing" {
				assert.Equal(t, &hiring.WaitError{Missing: []string{crowdID(2)}, Err: hiring.ErrNotFound}, err)
				assert.Equal(t, []uint8{1, 1, 0, 1, 1}, got.times)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []uint8{1, 1, 1, 1, 1}, got.times)
			assert.Less(t, time.Since(crowd.zero), 3*time.Hour+10*time.Minute)
		})
	}
}

// TestWaitReportsKnowsIDsInEitherCase uses an API that accepts both cases and responds
// with one.
func TestWaitReportsKnowsIDsInEitherCase(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		crowd := newLargeService(sandbox.SinceCreated, 20, time.Minute, within(time.Hour))
		time.Sleep(2 * time.Minute)
		ids := crowd.ids()
		for i := range ids {
			ids[i] = strings.ToUpper(ids[i])
		}
		got := newDelivered(crowd)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Hour)
		defer cancel()
		for report, err := range crowd.client(t).Submissions.WaitReports(ctx, append(ids, crowd.ids()...), hiring.WaitOptions{}) {
			require.NoError(t, err)
			got.take(report.SubmissionID)
		}
		got.once(t, 2*time.Hour)
		assert.Equal(t, 20, got.total)
		assert.Less(t, crowd.requests, 110, "no single reads")
	})
}

// TestOneSubmissionThatFailsDelaysNoOther fails the single reads of one submission.
func TestOneSubmissionThatFailsDelaysNoOther(t *testing.T) {
	for _, on := range sinceFields {
		inBubble(t, string(on), func(t *testing.T) {
			crowd := newLargeService(on, 120, time.Hour, within(time.Hour))
			crowd.bare = func(i int) bool { return i > 117 }
			crowd.single = func(i int, _ string) (int, string) {
				if i > 117 && time.Since(crowd.zero) < 5*time.Hour {
					return 500, ""
				}
				return 0, ""
			}
			time.Sleep(time.Hour)
			got := newDelivered(crowd)
			require.NoError(t, got.wait(t, hiring.WaitOptions{}))
			got.once(t, 6*time.Hour)
			assert.Equal(t, 120, got.total)
			for _, came := range got.log[:118] {
				assert.Less(t, came.at, 130*time.Minute)
			}
			// Nine minutes without requests for the failing id, the intervals before and
			// after, and the client's retries.
			assert.Less(t, time.Since(crowd.zero), 5*time.Hour+11*time.Minute+30*time.Second)
		})
	}
}

// TestAnOutageOfSingleReadsCostsLittle checks that many failures count as an outage and
// not as failures of single submissions.
func TestAnOutageOfSingleReadsCostsLittle(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		crowd := newLargeService(sandbox.SinceCreated, 50, time.Minute, within(time.Minute))
		crowd.bare = func(int) bool { return true }
		crowd.single = func(int, string) (int, string) { return 500, "" }
		time.Sleep(time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		client, err := crowd.client(t).With(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
		require.NoError(t, err)
		err = apitest.LastError(client.Submissions.WaitReports(ctx, crowd.ids(), hiring.WaitOptions{}))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.LessOrEqual(t, crowd.requests, 4)
	})
}

// TestWaitReportsFindsSubmissionsOfOtherAssessments waits for a submission that the filtered
// listing never shows.
func TestWaitReportsFindsSubmissionsOfOtherAssessments(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		w := newLiveWorld(t)
		ids := w.addCandidates(3)
		w.evaluateAll(ids, time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Hour)
		defer cancel()
		landed, err := wait(ctx, w.client(), ids, hiring.WaitOptions{AssessmentID: sandbox.UnknownID})
		require.NoError(t, err)
		assert.Equal(t, once1(ids), landed)
		assert.Less(t, len(w.sent), 500)
	})
}

// waiters are the waiting methods. Each returns the error that ended it.
var waiters = map[string]func(context.Context, *hiring.Client) error{
	"WaitReport": func(ctx context.Context, c *hiring.Client) error {
		_, err := c.Submissions.WaitReport(ctx, crowdID(0), hiring.WaitOptions{})
		return err
	},
	"WaitReports": func(ctx context.Context, c *hiring.Client) error {
		return apitest.LastError(c.Submissions.WaitReports(ctx, []string{crowdID(0), crowdID(1)}, hiring.WaitOptions{}))
	},
	"Watch": func(ctx context.Context, c *hiring.Client) error {
		return apitest.LastError(c.Submissions.Watch(ctx, hiring.WatchOptions{}))
	},
	"Tail": func(ctx context.Context, c *hiring.Client) error {
		return apitest.LastError(c.Events.Tail(ctx, crowdID(0), hiring.TailOptions{}))
	},
}

// forAllWaiters runs a test with submissions that are evaluated after two days.
func forAllWaiters(t *testing.T, run func(*testing.T, *largeService, func(context.Context, *hiring.Client) error)) {
	t.Helper()
	for name, wait := range waiters {
		inBubble(t, name, func(t *testing.T) {
			crowd := newLargeService(sandbox.SinceCreated, 2, time.Millisecond, after(48*time.Hour))
			time.Sleep(time.Second)
			run(t, crowd, wait)
		})
	}
}

func TestWaitersEndInTheMiddleOfARequest(t *testing.T) {
	for _, asked := range []int{1, 2, 3, 4} {
		forAllWaiters(t, func(t *testing.T, crowd *largeService, wait func(context.Context, *hiring.Client) error) {
			ctx, cancel := context.WithCancel(t.Context())
			var ended time.Time
			crowd.intercept = func(r *http.Request) (*http.Response, error) {
				if crowd.requests < asked {
					return nil, nil
				}
				time.AfterFunc(5*time.Second, func() { ended = time.Now(); cancel() })
				return apitest.Block()(r)
			}
			require.ErrorIs(t, wait(ctx, crowd.client(t)), context.Canceled)
			assert.Equal(t, ended, time.Now())
			assert.Equal(t, asked, crowd.requests)
		})
	}
}

func TestWaitersEndBetweenRequests(t *testing.T) {
	forAllWaiters(t, func(t *testing.T, crowd *largeService, wait func(context.Context, *hiring.Client) error) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
		defer cancel()
		begun := time.Now()
		require.ErrorIs(t, wait(ctx, crowd.client(t)), context.DeadlineExceeded)
		assert.Equal(t, 100*time.Second, time.Since(begun))
	})
}

// TestWaitersEndAtOnceWithoutAKey checks that a rejected key ends the wait, because
// repeated failures would throttle the address.
func TestWaitersEndAtOnceWithoutAKey(t *testing.T) {
	for _, c := range []struct {
		status int
		code   hiring.ErrorCode
	}{{401, hiring.ErrInvalidToken}, {403, hiring.ErrInsufficientScope}} {
		for _, asked := range []int{1, 4} {
			forAllWaiters(t, func(t *testing.T, crowd *largeService, wait func(context.Context, *hiring.Client) error) {
				crowd.intercept = func(r *http.Request) (*http.Response, error) {
					if crowd.requests < asked {
						return nil, nil
					}
					return apitest.RespondError(c.status, c.code)(r)
				}
				require.ErrorIs(t, wait(t.Context(), crowd.client(t)), c.code)
				assert.Equal(t, asked, crowd.requests)
			})
		}
	}
}

func TestWaitersFollowRetryAfter(t *testing.T) {
	for _, asked := range []int{1, 4} {
		forAllWaiters(t, func(t *testing.T, crowd *largeService, wait func(context.Context, *hiring.Client) error) {
			var told, asks time.Time
			stop := errors.New("stop")
			ctx, cancel := context.WithCancelCause(t.Context())
			crowd.intercept = func(r *http.Request) (*http.Response, error) {
				switch {
				case crowd.requests == asked:
					told = time.Now()
					return apitest.RespondError(429, hiring.ErrRateLimited, "Retry-After: 1700")(r)
				case crowd.requests > asked:
					asks = time.Now()
					cancel(stop)
				}
				return nil, nil
			}
			require.ErrorIs(t, wait(ctx, crowd.client(t)), context.Canceled)
			assert.InDelta(t, 1700, asks.Sub(told).Seconds(), 20)
			assert.GreaterOrEqual(t, asks.Sub(told), 1700*time.Second)
		})
	}
}

// TestRangesCanBeLeftAnywhere checks that no goroutine remains: the bubble would not end.
func TestRangesCanBeLeftAnywhere(t *testing.T) {
	for n := range 5 {
		inBubble(t, "", func(t *testing.T) {
			crowd := newLargeService(sandbox.SinceCreated, 5, time.Minute, within(time.Hour))
			time.Sleep(2 * time.Minute)
			left := n
			for _, err := range crowd.client(t).Submissions.WaitReports(t.Context(), crowd.ids(), hiring.WaitOptions{}) {
				require.NoError(t, err)
				left--
				if left < 0 {
					break
				}
			}
			left = n
			for _, err := range crowd.client(t).Submissions.Watch(t.Context(), hiring.WatchOptions{Since: crowd.zero}) {
				require.NoError(t, err)
				left--
				if left < 0 {
					break
				}
			}
			assert.Equal(t, -1, left)
		})
	}
}

// TestWaitReportsCanBeLeftAtTheLastReport: another id is missing, so that an error would follow.
func TestWaitReportsCanBeLeftAtTheLastReport(t *testing.T) {
	t.Parallel()
	const ready = `{"id":"s1","status":"evaluated","created_at":"2026-01-01T00:00:00Z","evaluated_at":"2026-01-01T01:00:00Z","report":` + apitest.ReadyReport + `}`
	inBubble(t, "", func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RespondData("[]"), apitest.RespondError(404, "NOT_FOUND"), apitest.RespondData(ready))
		reports := 0
		for _, err := range fake.Client().Submissions.WaitReports(t.Context(), []string{"s0", "s1"}, hiring.WaitOptions{}) {
			require.NoError(t, err)
			reports++
			break
		}
		assert.Equal(t, 1, reports)
		assert.Len(t, fake.Requests(), 3)
	})
}

// TestSlowReasonAfterADayWithoutAReport: the intervals grow although nearly all requests remain.
func TestSlowReasonAfterADayWithoutAReport(t *testing.T) {
	t.Parallel()
	inBubble(t, "", func(t *testing.T) {
		all := []*emulator.Submission{
			{ID: "s1", Created: time.Now(), Submitted: time.Now().Add(time.Hour)},
			{ID: "s2", Created: time.Now(), Submitted: time.Now().Add(time.Hour)},
		}
		client := emulated(t, emulator.Behavior{}, all)
		ctx, cancel := context.WithTimeout(t.Context(), 3*day)
		defer cancel()
		var last hiring.WaitProgress
		_, err := wait(ctx, client, idsOf(all), hiring.WaitOptions{Progress: func(p hiring.WaitProgress) { last = p }})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Greater(t, client.Quota().Read.Remaining, 900)
		assert.Equal(t, "no report was delivered for a day", last.SlowReason)
	})
}
