package wait_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

// withFailingReads fails each single read of some submissions.
func withFailingReads(service *emulator.Service, broken []*emulator.Submission) *http.Client {
	transport := service.Transport(0)
	return &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		for _, it := range broken {
			if strings.Contains(r.URL.Path, it.ID) {
				return &http.Response{StatusCode: http.StatusInternalServerError, Body: http.NoBody, Request: r, ProtoMajor: 1, ProtoMinor: 1}, nil
			}
		}
		return transport.RoundTrip(r)
	})}
}

// TestReadsThatAlwaysFailDelayNoOther has submissions whose reports cannot be read, and listings without
// reports. The others come as always.
func TestReadsThatAlwaysFailDelayNoOther(t *testing.T) {
	t.Parallel()
	on, sizes := everySince, []int{15, 90}
	if !apitest.Long() {
		on, sizes = everySince[:1], sizes[:1]
	}
	for _, on := range on {
		for _, size := range sizes {
			inBubble(t, fmt.Sprint(on, " ", size), func(t *testing.T) {
				begun := time.Now()
				broken := emulator.Batch(9, begun.Add(-time.Hour), size, 30*time.Minute)
				others := emulator.Stream(1, begun.Add(-day), 2*day, 200, graded)
				service := emulator.New(emulator.Behavior{Since: on, Bare: true}, 1, append(append([]*emulator.Submission(nil), others...), broken...))
				client, err := hiring.New("https://service.invalid", "sk_live_emulated", hiring.WithHTTPClient(withFailingReads(service, broken)), hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
				require.NoError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), 12*time.Hour)
				defer cancel()
				came := make(map[string]time.Time)
				for s, err := range client.Submissions.Watch(ctx, hiring.WatchOptions{Since: begun.Add(-2 * time.Hour)}) {
					if err != nil {
						require.ErrorIs(t, err, context.DeadlineExceeded)
						break
					}
					came[s.ID] = time.Now()
				}
				for _, it := range others {
					if it.Evaluated.After(begun.Add(3*time.Hour)) && it.Evaluated.Before(begun.Add(10*time.Hour)) {
						require.NotZero(t, came[it.ID], "evaluated %s after the beginning", it.Evaluated.Sub(begun))
						assert.LessOrEqual(t, came[it.ID].Sub(it.Evaluated), 5*time.Minute)
					}
				}
			})
		}
	}
}

// TestACallThatHangsIsFollowedByADelay: each call of a listing fails after two minutes, which is longer than the
// delay after a failure.
func TestACallThatHangsIsFollowedByADelay(t *testing.T) {
	t.Parallel()
	hangs := func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/account") {
			return apitest.RespondData(`{"id":"a"}`)(r)
		}
		return apitest.Block()(r)
	}
	inBubble(t, "Poll", func(t *testing.T) {
		begun := time.Now()
		client := apitest.NewScriptedServer(t, hangs).Client()
		polled, err := client.Submissions.Poll(t.Context(), hiring.WatchOptions{}, "")
		require.Error(t, err)
		assert.Less(t, time.Since(begun), 5*time.Minute)
		assert.GreaterOrEqual(t, polled.Wait, 30*time.Second)
	})
	for name, run := range map[string]func(context.Context, *hiring.Client, func(hiring.WaitProgress)) error{
		"Watch": func(ctx context.Context, client *hiring.Client, report func(hiring.WaitProgress)) error {
			return apitest.LastError(client.Submissions.Watch(ctx, hiring.WatchOptions{Progress: report}))
		},
		"WaitReports": func(ctx context.Context, client *hiring.Client, report func(hiring.WaitProgress)) error {
			return apitest.LastError(client.Submissions.WaitReports(ctx, []string{"a", "b", "c"}, hiring.WaitOptions{Progress: report}))
		},
	} {
		inBubble(t, name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
			defer cancel()
			polls := 0
			err := run(ctx, apitest.NewScriptedServer(t, hangs).Client(), func(p hiring.WaitProgress) {
				polls++
				assert.GreaterOrEqual(t, time.Until(p.NextPoll), 10*time.Second)
			})
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Greater(t, polls, 30)
		})
	}
}
