package wait_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

// TestWrongDateDoesNotEndTheWaitForAReport checks that a submission is yielded with a
// report that becomes ready 50 minutes after the status, whatever the Date header is.
func TestWrongDateDoesNotEndTheWaitForAReport(t *testing.T) {
	for name, wrong := range map[string]time.Time{
		"1970": time.Unix(0, 0), "9999": time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), "2 hours ahead": {},
	} {
		inBubble(t, name, func(t *testing.T) {
			begun := time.Now()
			skew := func(now time.Time) time.Duration {
				switch {
				case now.Sub(begun) < 15*time.Minute || now.Minute()%3 != 0:
					return 0
				case wrong.IsZero():
					return 2 * time.Hour
				}
				return wrong.Sub(now)
			}
			all := emulator.Batch(1, begun.Add(10*time.Minute), 20, time.Minute)
			client := emulated(t, emulator.Behavior{Since: emulator.OnCreation, Bare: true, Lag: 50 * time.Minute, Skew: skew}, all)
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
			defer cancel()
			came := make(map[string]bool)
			for s, err := range client.Submissions.Watch(ctx, hiring.WatchOptions{}) {
				if err != nil {
					break
				}
				assert.False(t, came[s.ID])
				came[s.ID] = true
				assert.True(t, s.Report.Ready(), "after %s", time.Since(begun))
			}
			assert.Len(t, came, len(all))
		})
	}
}

// TestWatchCausesNo429WhenDateAndResetDisagree: where the server's Date is ahead of the
// clock of its rate limits, windows have ended by the Date of most responses. A watch
// that took each for a fresh full window met some 100 times 429 an hour.
func TestWatchCausesNo429WhenDateAndResetDisagree(t *testing.T) {
	skews := []time.Duration{10 * time.Minute, 2 * time.Hour}
	if apitest.Long() {
		skews = append(skews, 30*time.Minute, 55*time.Minute)
	}
	for _, ahead := range skews {
		t.Run(ahead.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const span = 6 * time.Hour
				all := emulator.Stream(1, time.Now().Add(-5*day), 6*day, 1000, graded)
				service := emulator.New(emulator.Behavior{Limit: 100, Skew: func(time.Time) time.Duration { return ahead }}, 1, all)
				client, err := hiring.New(apitest.BaseURL, apitest.Key, hiring.WithHTTPClient(&http.Client{Transport: service.Transport(150 * time.Millisecond)}))
				require.NoError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), span)
				defer cancel()
				n := 0
				for _, err := range client.Submissions.Watch(ctx, hiring.WatchOptions{}) {
					if err != nil {
						require.ErrorIs(t, err, context.DeadlineExceeded)
						break
					}
					n++
				}
				t.Logf("%d submissions, %d reads, %d times 429", n, service.Reads, service.Denied)
				assert.LessOrEqual(t, service.Denied, 2)
				assert.Greater(t, n, 180, "of some 250")
			})
		})
	}
}

// TestAClockThatIsPutBackDelaysNoKnownID: no listing shows one submission, and another one is deleted. Both are read
// singly within the hour, also when the server's clock has been put back. The client learns that from a response.
func TestAClockThatIsPutBackDelaysNoKnownID(t *testing.T) {
	t.Parallel()
	for _, back := range []time.Duration{0, 3 * time.Hour, 20 * time.Hour} {
		inBubble(t, back.String(), func(t *testing.T) {
			begun := time.Now()
			known := emulator.Stream(1, begun.Add(-day), day, 60, emulator.Life{Grading: 30 * time.Hour})
			for i, it := range known {
				if it.Submitted.Before(begun) {
					it.Submitted = begun.Add(time.Duration(i+1) * time.Minute)
				}
				it.Evaluated = begun.Add(30*time.Hour + time.Duration(i)*time.Minute)
			}
			hidden, deleted := known[0], known[1]
			hidden.Hidden, hidden.Submitted, hidden.Evaluated = true, begun.Add(time.Hour), begun.Add(2*time.Hour)
			deleted.Deleted = begun.Add(2 * time.Hour)
			others := emulator.Stream(2, begun.Add(-day), 3*day, 100, graded) // One of these shows what since filters on.
			client := emulated(t, emulator.Behavior{Since: emulator.OnEvaluation, Skew: func(now time.Time) time.Duration {
				if now.Before(begun.Add(90 * time.Minute)) {
					return back
				}
				return 0
			}}, append(others, known...))
			ctx, cancel := context.WithTimeout(t.Context(), 29*time.Hour)
			defer cancel()
			var missing time.Time
			o := hiring.WaitOptions{Progress: func(p hiring.WaitProgress) {
				if p.Missing > 0 && missing.IsZero() {
					missing = time.Now()
				}
			}}
			came := make(map[string]time.Time)
			for report, err := range client.Submissions.WaitReports(ctx, idsOf(known), o) {
				if err != nil {
					require.ErrorIs(t, err, context.DeadlineExceeded)
					break
				}
				came[report.SubmissionID] = time.Now()
			}
			require.Contains(t, came, hidden.ID)
			assert.LessOrEqual(t, came[hidden.ID].Sub(hidden.Evaluated), time.Hour)
			require.NotZero(t, missing)
			assert.LessOrEqual(t, missing.Sub(deleted.Deleted), time.Hour+time.Minute)
		})
	}
}

// TestTwoClocksCostLittle: the clock of every second response is eight seconds behind, and reports come 40 minutes
// after their status.
func TestTwoClocksCostLittle(t *testing.T) {
	t.Parallel()
	cost := make(map[time.Duration]int)
	for _, behind := range []time.Duration{0, 8 * time.Second} {
		inBubble(t, behind.String(), func(t *testing.T) {
			all := emulator.Stream(1, time.Now().Add(-4*day), 5*day, 200, graded)
			inner := emulator.New(emulator.Behavior{Since: emulator.OnEvaluation, Lag: 40 * time.Minute}, 1, all).Transport(0)
			client, err := hiring.New("https://service.invalid", "sk_live_51HxQ9zVbT7uRkWn3", hiring.WithHTTPClient(&http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				resp, err := inner.RoundTrip(r)
				if cost[behind]++; err == nil && cost[behind]%2 == 0 {
					resp.Header.Set("Date", time.Now().Add(-behind).UTC().Format(http.TimeFormat))
				}
				return resp, err
			})}))
			require.NoError(t, err)
			assert.NotEmpty(t, watchFor(t, client, hiring.WatchOptions{}, 6*time.Hour))
		})
	}
	assert.Less(t, cost[8*time.Second], cost[0]*3/2)
}
