package invite_test

import (
	"context"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestAListingFollowsAnUnforeseenWaitForAWindow uses up the write window of SendAll while it waits for
// another call with the same address. Another process invites the address before the next window.
func TestAListingFollowsAnUnforeseenWaitForAWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		client, people := server.LiveClient(), apitest.Candidates(3, 1)
		_, err := client.Invitations.Send(t.Context(), assessment, people[1])
		require.NoError(t, err)
		time.Sleep(59*time.Minute + 20*time.Second)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Delay: 10 * time.Second, Status: 409})
		go func() {
			_, err := client.Invitations.Ensure(t.Context(), assessment, people[0])
			assert.Error(t, err)
		}()
		time.AfterFunc(5*time.Second, func() {
			server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 1)
			_, err := client.Invitations.Send(t.Context(), assessment, people[2])
			assert.NoError(t, err)
		})
		time.AfterFunc(20*time.Second, func() {
			const key = "sk_live_otherprocess0123456789abcd"
			server.AddKey(sandbox.Key{Token: key, Scope: sandbox.ScopeAdmin})
			other, err := hiring.New("http://127.0.0.1", key, hiring.WithHTTPClient(&http.Client{Transport: server.Transport()}))
			if assert.NoError(t, err) {
				_, err = other.Invitations.Send(t.Context(), assessment, people[0])
				assert.NoError(t, err)
			}
		})
		time.Sleep(time.Second)
		var got reports
		require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(people[:1]), hiring.SendAllOptions{Each: got.each}))
		assert.Equal(t, []hiring.InviteOutcome{hiring.InviteExisting}, got.outcomes())
		requireOneMailEach(t, server, assessment, 3)
	})
}

// TestAFailedSaveAfterARefusalEndsTheRun refuses a request because the window is used up. The save
// before the next attempt fails.
func TestAFailedSaveAfterARefusalEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 0)
		saves := 0
		store := &memory{saving: func() error {
			if saves++; saves == 2 {
				return errFullDisk
			}
			return nil
		}}
		client := server.LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxWait: 2 * time.Hour}))
		var got reports
		err := client.Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(2, 1)), hiring.SendAllOptions{Each: got.each, Checkpoint: store})
		require.ErrorIs(t, err, errFullDisk)
		assert.Equal(t, []hiring.InviteOutcome{hiring.InviteNotSent, hiring.InviteNotSent}, got.outcomes())
	})
}

// TestAContextThatEndsDuringASaveSendsNothing cancels while the checkpoint is saved before a request.
func TestAContextThatEndsDuringASaveSendsNothing(t *testing.T) {
	server, assessment := apitest.StartWithAssessment(t)
	ctx, cancel := context.WithCancel(t.Context())
	store := &memory{saving: func() error { cancel(); return nil }}
	var got reports
	err := server.LiveClient().Invitations.SendAll(ctx, assessment, slices.Values(apitest.Candidates(2, 1)), hiring.SendAllOptions{Each: got.each, Checkpoint: store})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, []hiring.InviteOutcome{hiring.InviteNotSent, hiring.InviteNotSent}, got.outcomes())
	_, posts := requestsOf(server)
	assert.Zero(t, posts)
}

// TestNoRequestFollowsTheEndOfARun ends a run while the outcome of a request is unknown. Another call
// finds out that it sent nothing.
func TestNoRequestFollowsTheEndOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Reset: true})
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Skip: 1, Status: 402})
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Skip: 2, Status: 409})
		client, people := server.LiveClient(), apitest.Candidates(3, 1)
		time.AfterFunc(5*time.Second, func() {
			_, err := client.Invitations.Ensure(t.Context(), assessment, people[0])
			assert.Error(t, err)
		})
		var got reports
		require.Error(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Each: got.each}))
		assert.NotContains(t, got.outcomes(), hiring.InviteSent)
		_, posts := requestsOf(server)
		assert.Equal(t, 3, posts, "two of the run, one of Ensure")
	})
}

// TestTheRateLimitIsAskedAfterALongListing lets the listing before a request wait for a window. During
// the wait the last write is used up, and the key is replaced.
func TestTheRateLimitIsAskedAfterALongListing(t *testing.T) {
	for name, during := range map[string]func(t *testing.T, server *sandbox.Server, client *hiring.Client, assessment string, key *atomic.Value){
		"the writes are used up": func(t *testing.T, server *sandbox.Server, client *hiring.Client, assessment string, _ *atomic.Value) {
			server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 1)
			_, err := client.Invitations.Send(t.Context(), assessment, apitest.Candidates(4, 1)[3])
			assert.NoError(t, err)
		},
		"the key is replaced": func(_ *testing.T, server *sandbox.Server, _ *hiring.Client, _ string, key *atomic.Value) {
			server.RevokeKey(sandbox.LiveKey)
			key.Store("sk_live_second0123456789abcdefgh")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, assessment := apitest.StartWithAssessment(t)
				server.AddKey(sandbox.Key{Token: "sk_live_second0123456789abcdefgh", Scope: sandbox.ScopeAdmin})
				var key atomic.Value
				key.Store(sandbox.LiveKey)
				var refused atomic.Int32
				client := server.LiveClient(
					hiring.WithKeySource(func(context.Context) (string, error) { return key.Load().(string), nil }),
					hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
						if e.Method == http.MethodPost && e.Status >= 400 {
							refused.Add(1)
						}
					}))
				_, err := client.Account.Get(t.Context())
				require.NoError(t, err)
				time.Sleep(30 * time.Minute) // The windows of reads and writes end at different times.
				var got reports
				err = client.Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(2, 1)), hiring.SendAllOptions{Each: func(r hiring.InviteResult, err error) bool {
					if len(got.outcomes()) == 0 {
						server.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 0)
						time.Sleep(2 * time.Minute)
						time.AfterFunc(10*time.Minute, func() { during(t, server, client, assessment, &key) })
					}
					return got.each(r, err)
				}})
				require.NoError(t, err)
				assert.Equal(t, []hiring.InviteOutcome{hiring.InviteSent, hiring.InviteSent}, got.outcomes())
				assert.Zero(t, refused.Load(), "requests that the API refused")
			})
		})
	}
}

// TestARecordedAddressIsLookedUpHoursLater has an address of a killed run that the next run reaches after
// two hours. Its lookup reads the whole listing.
func TestARecordedAddressIsLookedUpHoursLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		people := apitest.Candidates(440, 1)
		store := killed(t, server, assessment, people[439:], sandbox.Fault{Route: apitest.InviteRoute, Reset: true})
		reads := 0
		client := server.LiveClient(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
			if e.Method == http.MethodGet {
				reads++
			}
		}))
		reported, before := 0, 0
		require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Checkpoint: store, Each: func(_ hiring.InviteResult, err error) bool {
			assert.NoError(t, err)
			if reported++; reported == len(people)-1 {
				before = reads
			}
			return true
		}}))
		assert.Equal(t, len(people), reported)
		assert.GreaterOrEqual(t, reads-before, 5, "the pages of the whole listing")
	})
}
