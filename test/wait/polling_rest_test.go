package wait_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
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
