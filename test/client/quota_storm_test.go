package client_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// lagging is a network that delays responses, by different times below most.
type lagging struct {
	http.RoundTripper

	most     time.Duration
	requests atomic.Int64
}

func (l *lagging) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(r)
	if l.most > 0 {
		time.Sleep(time.Duration(l.requests.Add(1)) * 17 * time.Millisecond % l.most)
	}
	return resp, err
}

// rush makes that many reads from 64 goroutines and returns the first error.
func rush(ctx context.Context, client *hiring.Client, reads int64) error {
	done := make(chan error, 64)
	for range 64 {
		go func() {
			for atomic.AddInt64(&reads, -1) >= 0 {
				if _, err := client.Account.Get(ctx); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	var first error
	for range 64 {
		if err := <-done; first == nil {
			first = err
		}
	}
	return first
}

// hours counts the responses of each status by hour.
func hours(begun time.Time, journal sandbox.Journal) []map[int]int {
	var count []map[int]int
	for _, e := range journal {
		hour := int(e.At.Sub(begun) / time.Hour)
		for len(count) <= hour {
			count = append(count, make(map[int]int))
		}
		count[hour][e.Status]++
	}
	return count
}

func TestQuotaStorm(t *testing.T) {
	for name, c := range map[string]struct{ lag, maxWait time.Duration }{
		"no lag": {0, time.Hour}, // A window that opens on a full second ends exactly an hour later.
		// Times of windows and clocks have whole seconds, so a window can seem slightly longer than an hour.
		"lag": {50 * time.Millisecond, time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			server := sandbox.Start(t)
			// A window refuses a call at most once, so a call that others overtake in each of five windows still ends.
			attempts := hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 6, MaxWait: c.maxWait})
			client := server.Client(attempts, hiring.WithHTTPClient(&http.Client{Transport: &lagging{RoundTripper: server.Transport(), most: c.lag}}))
			begun := time.Now()
			require.NoError(t, rush(t.Context(), client, 5000), "%s", name)
			elapsed := time.Since(begun)
			answers := hours(begun, server.Journal())
			t.Logf("%s: 5000 reads by 64 goroutines: %s, answers an hour: %v", name, elapsed, answers)
			assert.Less(t, elapsed, 5*time.Hour, "%s: all is done within five windows", name)
			total := 0
			for hour, statuses := range answers {
				assert.LessOrEqual(t, statuses[200], 1000, "%s: hour %d", name, hour)
				assert.Less(t, statuses[429], 64, "%s: hour %d: at most the requests in flight are refused", name, hour)
				total += statuses[200]
			}
			assert.Equal(t, 5000, total, "%s", name)
		})
	}
}
