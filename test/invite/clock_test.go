package invite_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestAdvanceMovesTheLookupsOverTCP loses the response to one request. The test
// advances the server's clock before each wait. The test fails by its timeout when a
// lookup waits for real time.
func TestAdvanceMovesTheLookupsOverTCP(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault sandbox.Fault
		reads int // Of listings: one at the beginning and the lookups.
		posts int
	}{
		"done":             {sandbox.Fault{Route: apitest.InviteRoute, Reset: true, After: true}, 2, 3},
		"done late":        {sandbox.Fault{Route: apitest.InviteRoute, Reset: true, Late: 50 * time.Second}, 3, 3},
		"not done":         {sandbox.Fault{Route: apitest.InviteRoute, Reset: true}, 3, 4},
		"a 503, done late": {sandbox.Fault{Route: apitest.InviteRoute, Status: 503, Late: 5 * time.Second}, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, assessment := apitest.StartWithAssessment(t)
			server.Inject(c.fault)
			client, err := hiring.New(server.URL(), sandbox.LiveKey)
			require.NoError(t, err)
			var got reports
			people := apitest.Candidates(3, 1)
			require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{
				Each: got.each,
				Progress: func(p hiring.InviteProgress) {
					if p.Reason == hiring.PauseLookup {
						server.Advance(time.Until(p.WaitUntil))
					}
				},
			}))
			assert.Equal(t, slices.Repeat([]hiring.InviteOutcome{hiring.InviteSent}, 3), got.outcomes())
			reads, writes := requestsOf(server)
			assert.Equal(t, c.reads, reads)
			assert.Equal(t, c.posts, writes)
			requireOneMailEach(t, server, assessment, 3)
		})
	}
}

// TestAdvanceMovesTheLookupsOfEnsureOverTCP advances the clock from another goroutine.
func TestAdvanceMovesTheLookupsOfEnsureOverTCP(t *testing.T) {
	t.Parallel()
	server, assessment := apitest.StartWithAssessment(t)
	server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Reset: true, Late: 30 * time.Second})
	waits := make(chan time.Time, 2)
	client, err := hiring.New(server.URL(), sandbox.LiveKey, hiring.WithTrace(hiring.Trace{Pause: func(_ context.Context, p hiring.TracePause) { waits <- p.Until }}))
	require.NoError(t, err)
	go func() {
		for until := range waits {
			server.Advance(time.Until(until))
		}
	}()
	result, err := client.Invitations.Ensure(t.Context(), assessment, apitest.Ada)
	close(waits)
	require.NoError(t, err)
	assert.Equal(t, hiring.InviteSent, result.Outcome)
	requireOneMailEach(t, server, assessment, 1)
}
