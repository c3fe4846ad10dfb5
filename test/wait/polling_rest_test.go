package wait_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestPollWaitsWhereNothingWasEvaluatedForLong uses the sample data, which is months old.
func TestPollWaitsWhereNothingWasEvaluatedForLong(t *testing.T) {
	server := sandbox.Start(t, sandbox.WithQuota(100_000, 0))
	options := hiring.WatchOptions{Since: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)}
	state, found := "", 0
	for range 20 {
		polled, err := server.Client().Submissions.Poll(t.Context(), options, state)
		require.NoError(t, err)
		found += len(polled.Submissions)
		state = polled.State
		if polled.Wait > 0 {
			assert.Positive(t, found)
			return
		}
	}
	t.Fatalf("it reads and reads: %d requests", len(server.Journal()))
}

// TestPollWaitsTwentyMinutesWhileReadsRemain leaves few reads of a fresh window beyond the
// reserve, so that an even use of them would mean an interval of an hour.
func TestPollWaitsTwentyMinutesWhileReadsRemain(t *testing.T) {
	for longest, want := range map[time.Duration]time.Duration{0: 20 * time.Minute, 30 * time.Minute: 30 * time.Minute} {
		inBubble(t, longest.String(), func(t *testing.T) {
			headers := []string{"X-RateLimit-Limit: 1000", "X-RateLimit-Remaining: 105", fmt.Sprint("X-RateLimit-Reset: ", time.Now().Add(time.Hour).Unix())}
			fake := apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"a"}`, headers...), apitest.RespondData("[]", headers...))
			polled, err := fake.Client().Submissions.Poll(t.Context(), hiring.WatchOptions{MaxInterval: longest}, "")
			require.NoError(t, err)
			assert.Equal(t, want, polled.Wait)
		})
	}
}
