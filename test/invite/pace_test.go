package invite_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// sendTimes invites n candidates and returns when each was sent.
func sendTimes(t *testing.T, client *hiring.Client, assessment string, n int) (at []time.Duration) {
	t.Helper()
	began := time.Now()
	err := client.Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(n, 1)), hiring.SendAllOptions{Each: func(result hiring.InviteResult, err error) bool {
		at = append(at, time.Since(began))
		return assert.NoError(t, err) && assert.Equal(t, hiring.InviteSent, result.Outcome)
	}})
	require.NoError(t, err)
	require.Len(t, at, n)
	return at
}

func TestSendAllSpreadsHalfOfAWindow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.SetPlan(sandbox.LiveKey, 0, 2000)
		at := sendTimes(t, server.LiveClient(), assessment, 1000)
		for hour := range 5 {
			first := at[180*hour : 180*hour+180]
			begin := time.Duration(hour) * time.Hour
			assert.InDelta(t, begin.Seconds(), first[0].Seconds(), 5, "the first request of a window is sent at once")
			assert.InDelta(t, 0, (first[99] - first[0]).Seconds(), 1, "half of the window is sent without delay")
			for n := 100; n < 180; n++ {
				assert.InDelta(t, (time.Hour / 81).Seconds(), (first[n] - first[n-1]).Seconds(), 1, "the rest is spread evenly")
			}
			assert.Less(t, first[179], begin+time.Hour, "180 are sent before the window ends")
		}
		assert.InDelta(t, 5*time.Hour, at[999], float64(time.Minute))
		for _, e := range server.Journal() {
			assert.Less(t, e.Status, 400, "%v", e)
		}
		reads, writes := requestsOf(server)
		assert.Equal(t, 1000, writes)
		assert.Less(t, reads, 5*60, "about one a minute")
		t.Logf("1000 candidates: %d windows, %s, %d reads", 1+int(at[999]/time.Hour), at[999], reads)
		assert.Equal(t, 6, 1+int(at[999]/time.Hour), "windows")
		guide, err := os.ReadFile("../../docs/inviting.md")
		require.NoError(t, err)
		assert.Contains(t, string(guide), "A thousand candidates take six windows,\n  which is five hours.")
		readme, err := os.ReadFile("../../examples/invite/README.md")
		require.NoError(t, err)
		assert.Contains(t, string(readme), "A thousand candidates take five hours")
	})
}

func TestSendAllLeavesAReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		at := sendTimes(t, server.LiveClient(hiring.WithQuotaReserve(0.2)), assessment, 170)
		assert.Zero(t, at[99])
		assert.Less(t, at[159], time.Hour, "40 of 200 are reserved")
		assert.GreaterOrEqual(t, at[160], time.Hour)
	})
}

// TestSendAllLeavesWritesToAnotherProcess runs SendAll while another process uses the
// same key.
func TestSendAllLeavesWritesToAnotherProcess(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{20, 60, 100} {
		synctest.Test(t, func(t *testing.T) {
			server, assessment := apitest.StartWithAssessment(t)
			server.SetPlan(sandbox.LiveKey, 0, 5000)
			ctx, stop := context.WithCancel(t.Context())
			refused, calls := 0, 0
			var other sync.WaitGroup
			other.Go(func() {
				client := server.LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1, MaxWait: 1}))
				for ctx.Err() == nil {
					calls++
					if _, err := client.Invitations.Resend(ctx, assessment, sandbox.UnknownID); !errors.Is(err, hiring.ErrNotFound) {
						refused++
					}
					time.Sleep(time.Hour / time.Duration(rate))
				}
			})
			windows := 5
			began, sent := time.Now(), 0
			err := server.LiveClient().Invitations.SendAll(ctx, assessment, slices.Values(apitest.Candidates(1000, 1)), hiring.SendAllOptions{Each: func(hiring.InviteResult, error) bool {
				sent++
				return time.Since(began) < time.Duration(windows)*time.Hour-time.Minute
			}})
			require.NoError(t, err)
			stop()
			other.Wait()
			hours := time.Since(began).Hours()
			t.Logf("another process with %d writes an hour: %d of its %d calls refused, %.0f invitations an hour", rate, refused, calls, float64(sent)/hours)
			assert.LessOrEqual(t, refused*10, calls, "refused requests: more than a tenth of the other process's calls had no write left")
			assert.Greater(t, float64(sent)/hours, 0.8*float64(180-rate), "invitations an hour: below four fifths of what the other process leaves, the run takes too long")
		})
	}
}

// A new process does not know the limit of its key, and its first write is a 429.
func TestSendAllWaitsForTheWindowOfAnotherLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := sandbox.Start(t, sandbox.WithQuota(1000, 39))
		server.AddKey(sandbox.Key{Token: apitest.UnlimitedKey, Scope: sandbox.ScopeAdmin})
		assessment := server.AddAssessment("Backend engineer")
		server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 0)
		began := time.Now()
		require.NoError(t, server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(3, 1)), hiring.SendAllOptions{}))
		assert.LessOrEqual(t, time.Since(began), time.Hour+time.Minute)
		requireOneMailEach(t, server, assessment, 3)
	})
}
