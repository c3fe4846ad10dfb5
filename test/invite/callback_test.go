package invite_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// A function that an invitation waits for cannot wait for that invitation.
func TestCallbacksDoNotWaitForTheirOwnCall(t *testing.T) {
	ways := map[string]func(context.Context, *hiring.Client, string) error{
		"Ensure": func(ctx context.Context, c *hiring.Client, id string) error {
			_, err := c.Invitations.Ensure(ctx, id, apitest.Ada)
			return err
		},
		"SendAll": func(ctx context.Context, c *hiring.Client, id string) error {
			return c.Invitations.SendAll(ctx, id, slices.Values([]hiring.NewInvitation{apitest.Ada}), hiring.SendAllOptions{})
		},
	}
	for outer, call := range ways {
		for inner, again := range ways {
			for _, place := range []string{"Pause", "Attempt", "end of Attempt", "observer"} {
				t.Run(outer+"/"+place+"/"+inner, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						server, assessment := apitest.StartWithAssessment(t)
						server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Reset: true})
						var client *hiring.Client
						var within []error
						callback := func(ctx context.Context, from, method string) {
							if from == place && method == http.MethodPost && within == nil {
								within = []error{nil} // Its own requests do not call again.
								within[0] = again(ctx, client, assessment)
							}
						}
						client = server.LiveClient(hiring.WithTrace(hiring.Trace{
							Pause: func(ctx context.Context, _ hiring.TracePause) { callback(ctx, "Pause", http.MethodPost) },
							Attempt: func(ctx context.Context, a hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) {
								callback(ctx, "Attempt", a.Method)
								return nil, func(hiring.Exchange) { callback(ctx, "end of Attempt", a.Method) }
							},
						}), hiring.WithObserver(func(ctx context.Context, e hiring.Exchange) { callback(ctx, "observer", e.Method) }))
						ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
						defer cancel()
						began := time.Now()
						require.NoError(t, call(ctx, client, assessment))
						assert.Less(t, time.Since(began), 2*time.Minute)
						require.Len(t, within, 1)
						if outer == "SendAll" && place == "Pause" { // Between two steps, a run has no address in flight.
							require.NoError(t, within[0])
							return
						}
						require.ErrorContains(t, within[0], "a function that the invitation of the same address waits for made the call")
						failure, ok := errors.AsType[*hiring.Error](within[0])
						require.True(t, ok)
						assert.Equal(t, hiring.OutcomeNotDone, failure.Outcome)
						requireOneMailEach(t, server, assessment, 1)
					})
				})
			}
		}
	}
}

// Another address can be invited from a function of Trace.
func TestCallbacksMayInviteOtherAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		var client *hiring.Client
		other := false
		client = server.LiveClient(hiring.WithTrace(hiring.Trace{Attempt: func(ctx context.Context, a hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) {
			if a.Method == http.MethodPost && !other {
				other = true
				_, err := client.Invitations.Ensure(ctx, assessment, hiring.NewInvitation{Email: "bob@example.com", Name: "Bob"})
				require.NoError(t, err)
			}
			return nil, nil
		}}))
		_, err := client.Invitations.Ensure(t.Context(), assessment, apitest.Ada)
		require.NoError(t, err)
		requireOneMailEach(t, server, assessment, 2)
	})
}
