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
