package wait_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// TestWatchIsNotDelayedByOneThatFails fails single reads of some submissions for ten
// minutes or for hours. They are delivered afterwards with their reports.
func TestWatchIsNotDelayedByOneThatFails(t *testing.T) {
	t.Parallel()
	for _, lasts := range []time.Duration{10 * time.Minute, 3 * time.Hour} {
		for _, on := range sinceFields {
			inBubble(t, string(on)+" "+lasts.String(), func(t *testing.T) {
				// Graded within minutes, as a listing on creation time finds them at once.
				crowd := newLargeService(on, 250, 10*time.Hour, within(5*time.Minute))
				poisoned := func(i int) bool { return i%100 == 50 }
				crowd.bare = poisoned
				crowd.single = func(i int, _ string) (int, string) {
					if at := time.Duration(crowd.evaluated[i]) * time.Millisecond; time.Since(crowd.zero) < at+lasts {
						return 500, ""
					}
					return 0, ""
				}
				got := newDelivered(crowd)
				ctx, cancel := context.WithTimeout(t.Context(), 14*time.Hour)
				defer cancel()
				for s, err := range crowd.client(t).Submissions.Watch(ctx, hiring.WatchOptions{}) {
					if err != nil {
						require.ErrorIs(t, err, context.DeadlineExceeded)
						break
					}
					got.take(s.ID)
					assert.True(t, s.Report.Ready())
				}
				got.once(t, 10*time.Hour)
				for n, late := range got.late() {
					if !poisoned(got.log[n].i) {
						assert.Less(t, late, 20*time.Minute)
					} else {
						assert.Greater(t, late, lasts)
						assert.Less(t, late, lasts+20*time.Minute)
					}
				}
			})
		}
	}
}

// TestWatchInAnOutageOfSingleReads checks that several failures end a poll.
func TestWatchInAnOutageOfSingleReads(t *testing.T) {
	t.Parallel()
	for _, on := range sinceFields {
		inBubble(t, string(on), func(t *testing.T) {
			crowd := newLargeService(on, 90, time.Minute, func(*rand.Rand) time.Duration { return time.Minute })
			crowd.bare = func(int) bool { return true }
			crowd.single = func(int, string) (int, string) {
				if time.Since(crowd.zero) < 30*time.Minute {
					return 503, ""
				}
				return 0, ""
			}
			got := newDelivered(crowd)
			got.watch(t, crowd.client(t), hiring.WatchOptions{}, 2*time.Hour)
			got.once(t, time.Hour)
			assert.Less(t, got.log[len(got.log)-1].at, 40*time.Minute)
			assert.Zero(t, crowd.refused)
			assert.Less(t, crowd.requests, 1200, "of 2000 in two windows")
		})
	}
}

// TestNonsenseInRetryAfterIsNotSlept checks a Retry-After that is longer than any window.
func TestNonsenseInRetryAfterIsNotSlept(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.Respond(503, "", "Retry-After: 9999999"), apitest.RespondData(`{"submission_id":"s","evaluated":true}`))
		begun := time.Now()
		_, err := fake.Client().Submissions.WaitReport(t.Context(), "s", hiring.WaitOptions{})
		require.NoError(t, err)
		assert.LessOrEqual(t, time.Since(begun), 2*time.Hour)
	})
}

// TestWatchPausesWhereItCannotBegin checks that an API without responses is not called
// without delays.
func TestWatchPausesWhereItCannotBegin(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		asked := 0
		fake := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
			asked++
			if asked > 100 {
				cancel()
			}
			return apitest.Respond(503, "")(r)
		})
		client := fake.Client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
		require.ErrorIs(t, apitest.LastError(client.Submissions.Watch(ctx, hiring.WatchOptions{})), context.DeadlineExceeded)
		for _, pause := range fake.Pauses() {
			assert.GreaterOrEqual(t, pause, 30*time.Second)
		}
		assert.Greater(t, len(fake.Requests()), 9)
	})
}
