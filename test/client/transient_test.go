package client_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

func TestIsTransientOfRealCalls(t *testing.T) {
	keySource := func(err error) hiring.Option {
		return hiring.WithKeySource(func(context.Context) (string, error) { return "", err })
	}
	for name, c := range map[string]struct {
		answer    apitest.Responder
		opts      []hiring.Option
		transient bool
	}{
		"429 of the key's quota":         {apitest.RateLimit{Limit: 1000, Remaining: 0, Left: time.Hour, Skew: 429, RetryAfter: ""}.With(apitest.RespondRateLimited), nil, true},
		"429 without headers":            {apitest.Respond(429, ""), nil, true},
		"599":                            {apitest.Respond(599, ""), nil, true},
		"600":                            {apitest.Respond(600, ""), nil, false},
		"reset":                          {apitest.Fail(syscall.ECONNRESET), nil, true},
		"refused":                        {apitest.Fail(syscall.ECONNREFUSED), nil, true},
		"timeout":                        {apitest.Block(), nil, true},
		"stalled body":                   {apitest.Stall(200, `{"data":`, apitest.RequestIDHeader), nil, true},
		"cut short":                      {apitest.Truncate(200, `{"data":`, io.ErrUnexpectedEOF, apitest.RequestIDHeader), nil, true},
		"refused body cut short":         {apitest.Truncate(403, `{"error":`, io.ErrUnexpectedEOF, apitest.RequestIDHeader), nil, false},
		"certificate":                    {apitest.Fail(&tls.CertificateVerificationError{Err: errors.New("expired")}), nil, false},
		"malformed":                      {apitest.Respond(200, `{"data":7}`, apitest.RequestIDHeader), nil, false},
		"key source that fails":          {apitest.RespondData(apitest.Resource), []hiring.Option{keySource(errors.New("sealed"))}, false},
		"key source that times out":      {apitest.RespondData(apitest.Resource), []hiring.Option{keySource(context.DeadlineExceeded)}, true},
		"key source with a bad key":      {apitest.RespondData(apitest.Resource), []hiring.Option{keySource(nil)}, false},
		"panic-free: no response":        {apitest.Fail(io.EOF), nil, true},
		"a status that ends no response": {apitest.Respond(150, ""), nil, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			client := apitest.NewScriptedServer(t, c.answer).Client(append(c.opts, apitest.NoRetry)...)
			_, err := client.Account.Get(t.Context())
			require.Error(t, err, name)
			assert.Equal(t, c.transient, hiring.IsTransient(err), "%s: %v", name, err)
		})
	}
}

func TestIsTransientOfContextsAndLocalRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := apitest.NewScriptedServer(t, apitest.Block()).Client()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := client.Account.Get(ctx)
		assert.True(t, hiring.IsTransient(err), "the deadline passed during the call: %v", err)
		_, err = client.Account.Get(ctx)
		assert.True(t, hiring.IsTransient(err), "the deadline had passed: %v", err)

		cancelled, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err = client.Account.Get(cancelled)
		assert.False(t, hiring.IsTransient(err), "cancelled during the call: %v", err)
		_, err = client.Account.Get(cancelled)
		assert.False(t, hiring.IsTransient(err), "cancelled before: %v", err)

		_, err = client.Challenges.Get(t.Context(), "")
		assert.False(t, hiring.IsTransient(err), "an input that was refused: %v", err)

		client = apitest.NewScriptedServer(t, apitest.RateLimit{Limit: 1000, Remaining: 0, Left: time.Hour, Skew: 0, RetryAfter: ""}.With(apitest.RespondResource)).Client()
		require.NoError(t, apitest.ReadAccount(t.Context(), client))
		err = apitest.ReadAccount(t.Context(), client)
		require.ErrorIs(t, err, hiring.ErrQuotaExhausted)
		assert.True(t, hiring.IsTransient(err), "the rate limit: %v", err)

		client = apitest.NewScriptedServer(t, apitest.RespondError(401, hiring.ErrInvalidToken, apitest.RequestIDHeader)).Client()
		for range 4 {
			err = apitest.ReadAccount(t.Context(), client)
		}
		assert.Zero(t, apitest.RequireError(t, "the fourth", err).Status, "refused locally")
		assert.False(t, hiring.IsTransient(err), "a key that was refused: %v", err)
	})
}

func TestIsTransientOfAWriteDoesNotDependOnItsOutcome(t *testing.T) {
	client := apitest.NewScriptedServer(t, apitest.RespondError(500, hiring.ErrInternal)).Client()
	_, err := client.Invitations.Send(t.Context(), "a1", hiring.NewInvitation{Email: "jo@example.com", Name: "Jo"})
	assert.True(t, hiring.IsTransient(err))
	assert.Equal(t, hiring.OutcomeUnknown, apitest.RequireError(t, "send", err).Outcome)
}

// TestRejectionAfterTheDeadlineIsNotTransient has an observer that returns after the
// deadline of the call.
func TestRejectionAfterTheDeadlineIsNotTransient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for status, transient := range map[int]bool{404: false, 409: false, 503: true} {
			server := apitest.NewScriptedServer(t, apitest.RespondError(status, hiring.ErrConflict))
			client := server.Client(apitest.NoRetry, hiring.WithObserver(func(context.Context, hiring.Exchange) { time.Sleep(2 * time.Second) }))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := client.Account.Get(ctx)
			cancel()
			require.Error(t, err)
			assert.Equal(t, transient, hiring.IsTransient(err), "%v", err)
		}
	})
}
