package client_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func wrongKey() apitest.Responder {
	return apitest.RespondError(401, hiring.ErrInvalidToken, apitest.RequestIDHeader)
}

// braked reports whether the brake prevented a call.
func braked(err error) bool {
	failure, ok := errors.AsType[*hiring.Error](err)
	return ok && failure.Status == 0 && errors.Is(err, hiring.ErrInvalidToken)
}

func TestRevokedKeyIsTriedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := sandbox.Start(t)
		server.AddKey(sandbox.Key{Token: "sk_live_other"})
		server.RevokeKey(sandbox.LiveKey)
		exchanges := 0
		client := server.LiveClient(hiring.WithObserver(func(context.Context, hiring.Exchange) { exchanges++ }))
		variant, err := client.With(hiring.WithUserAgent("x/1"))
		require.NoError(t, err)
		for n := range 150 {
			err := []*hiring.Client{client, variant}[n%2].Assessments.Delete(t.Context(), "a")
			require.ErrorIs(t, err, hiring.ErrInvalidToken)
			require.Equal(t, n >= 3, braked(err), "call %d: %v", n+1, err)
		}
		assert.Len(t, server.Journal(), 3, "requests")
		assert.Equal(t, 3, exchanges, "what was refused locally is no Exchange")

		err = client.Assessments.Delete(t.Context(), "a")
		failure := apitest.RequireError(t, "Delete", err)
		assert.Equal(t, [4]any{hiring.OutcomeNotDone, 0, "", time.Duration(0)}, [4]any{failure.Outcome, failure.Attempts, failure.RequestID, failure.RetryAfter})
		require.ErrorContains(t, err, "hiring: Assessments.Delete: INVALID_TOKEN: not sent, because sandbox.invalid refused")
		require.ErrorContains(t, err, "3 times in a row")
		require.NotErrorIs(t, err, hiring.ErrQuotaExhausted)
		apitest.AssertNoKey(t, sandbox.LiveKey, "the refusal", err)

		other, err := client.With(hiring.WithKeySource(func(context.Context) (string, error) { return "sk_live_other", nil }))
		require.NoError(t, err)
		_, err = other.Account.Get(t.Context())
		require.NoError(t, err, "another key is not concerned")

		for range 10 * 60 {
			time.Sleep(time.Second)
			_, _ = client.Account.Get(t.Context())
		}
		assert.Len(t, server.Journal(), 3+1+10, "one a minute")
		server.AddKey(sandbox.Key{Token: sandbox.LiveKey})
		time.Sleep(time.Minute)
		for range 5 {
			_, err = client.Account.Get(t.Context())
			require.NoError(t, err, "the key is good again")
		}
	})
}

// Only responses of the API count. Any response that does not reject the key restarts the
// count.
func TestConsecutiveRefusalsOfAKey(t *testing.T) {
	for name, c := range map[string]struct {
		between apitest.Responder
		resets  bool
	}{
		"200":                 {apitest.RespondData(apitest.Resource, apitest.RequestIDHeader), true},
		"204 without data":    {apitest.Respond(204, "", apitest.RequestIDHeader), true},
		"400":                 {apitest.RespondError(400, hiring.ErrInvalidInput), true},
		"401 of another code": {apitest.RespondError(401, "SOMETHING_NEW"), true},
		"500":                 {apitest.RespondError(500, hiring.ErrInternal), true},
		"503 with id":         {apitest.Respond(503, "", apitest.RequestIDHeader), true},
		"page":                {apitest.Respond(200, apitest.SignInPage), false},
		"401 of a proxy":      {apitest.Respond(401, apitest.SignInPage), false},
		"nothing":             {apitest.Fail(apitest.ErrReset), false},
	} {
		fake := apitest.NewScriptedServer(t, wrongKey(), wrongKey(), c.between, wrongKey(), apitest.RespondData(apitest.Resource, apitest.RequestIDHeader))
		client := fake.Client(apitest.NoRetry)
		for range 5 {
			_ = apitest.ReadAccount(t.Context(), client)
		}
		want := 4
		if c.resets {
			want = 5
		}
		assert.Len(t, fake.Requests(), want, "%s", name)
	}
}

// Of many requests that wait for the brake of a key, one is sent.
func TestBrakeSendsOneOfManyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, slowly(time.Second, wrongKey()))
		client := fake.Client()
		for range 3 {
			_ = apitest.ReadAccount(t.Context(), client)
		}
		for minute := range 3 {
			time.Sleep(time.Minute)
			var wg sync.WaitGroup
			for range 50 {
				wg.Go(func() { _ = apitest.ReadAccount(t.Context(), client) })
			}
			wg.Wait()
			assert.Len(t, fake.Requests(), 3+minute+1)
		}
	})
}

// A brake that closes between two attempts ends the call, and the outcome of the first
// attempt remains unknown.
func TestBrakeBetweenAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.Respond(503, "", "Retry-After: 10"), wrongKey())
		client := fake.Client()
		var wg sync.WaitGroup
		wg.Go(func() {
			err := client.Assessments.Delete(t.Context(), "a")
			assert.True(t, braked(err), "%v", err)
			assert.Equal(t, hiring.OutcomeUnknown, apitest.RequireError(t, "Delete", err).Outcome)
			assert.Contains(t, fmt.Sprint(err), "503")
		})
		time.Sleep(time.Second)
		for range 3 {
			_ = apitest.ReadAccount(t.Context(), client)
		}
		wg.Wait()
		assert.Len(t, fake.Requests(), 4)
	})
}

// Waiting methods end at once, and EnsureAll reports no candidate as invited.
func TestWaitersEndAtTheBrake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, wrongKey())
		client := fake.Client()
		for range 3 {
			_ = apitest.ReadAccount(t.Context(), client)
		}
		began := time.Now()
		_, err := client.Submissions.WaitReport(t.Context(), "a", hiring.WaitOptions{})
		assert.True(t, braked(err), "WaitReport: %v", err)
		err = apitest.LastError(client.Submissions.WaitReports(t.Context(), []string{"a", "b"}, hiring.WaitOptions{}))
		assert.True(t, braked(err), "WaitReports: %v", err)
		err = apitest.LastError(client.Submissions.Watch(t.Context(), hiring.WatchOptions{}))
		assert.True(t, braked(err), "Watch: %v", err)
		_, err = client.Submissions.Poll(t.Context(), "", hiring.WatchOptions{})
		assert.True(t, braked(err), "Poll: %v", err)
		err = apitest.LastError(client.Events.Tail(t.Context(), "a", hiring.TailOptions{}))
		assert.True(t, braked(err), "Tail: %v", err)
		got, err := client.Invitations.Ensure(t.Context(), "a", ada)
		assert.True(t, braked(err), "Ensure: %v", err)
		assert.Equal(t, hiring.InviteNotSent, got.Outcome)
		assert.Zero(t, time.Since(began))
		assert.Len(t, fake.Requests(), 3)
	})
}
