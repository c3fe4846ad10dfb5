package errors_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestIsTransientOfRealCalls(t *testing.T) {
	keySource := func(err error) hiring.Option {
		return hiring.WithKeySource(func(context.Context) (string, error) { return "", err })
	}
	for name, c := range map[string]struct {
		answer    apitest.Answer
		opts      []hiring.Option
		transient bool
	}{
		"429 of the key's quota":      {apitest.Said{Limit: 1000, Remaining: 0, Left: time.Hour, Skew: 429, RetryAfter: ""}.With(apitest.Limited), nil, true},
		"429 without headers":         {apitest.Says(429, ""), nil, true},
		"500":                         {apitest.Refuses(500, hiring.ErrInternal), nil, true},
		"501":                         {apitest.Says(501, "not implemented"), nil, true},
		"502 of a proxy":              {apitest.Says(502, "<html>"), nil, true},
		"reset":                       {apitest.Breaks(syscall.ECONNRESET), nil, true},
		"refused":                     {apitest.Breaks(syscall.ECONNREFUSED), nil, true},
		"timeout":                     {apitest.Hangs(), nil, true},
		"stalled body":                {apitest.Stalls(200, `{"data":`, apitest.Signed), nil, true},
		"cut short":                   {apitest.Cuts(200, `{"data":`, io.ErrUnexpectedEOF, apitest.Signed), nil, true},
		"refused body cut short":      {apitest.Cuts(403, `{"error":`, io.ErrUnexpectedEOF, apitest.Signed), nil, false},
		"certificate":                 {apitest.Breaks(&tls.CertificateVerificationError{Err: errors.New("expired")}), nil, false},
		"sign-in page":                {apitest.Says(200, apitest.SignIn), nil, false},
		"malformed":                   {apitest.Says(200, `{"data":7}`, apitest.Signed), nil, false},
		"redirect":                    {apitest.Says(302, "", "Location: /"), nil, false},
		"400":                         {apitest.Refuses(400, hiring.ErrInvalidInput), nil, false},
		"401":                         {apitest.Refuses(401, hiring.ErrInvalidToken), nil, false},
		"402":                         {apitest.Refuses(402, hiring.ErrPlanLimitReached), nil, false},
		"403":                         {apitest.Refuses(403, hiring.ErrInsufficientScope), nil, false},
		"404":                         {apitest.Refuses(404, hiring.ErrNotFound), nil, false},
		"409":                         {apitest.Refuses(409, hiring.ErrConflict), nil, false},
		"key source that fails":       {apitest.Data(apitest.Thing), []hiring.Option{keySource(errors.New("sealed"))}, false},
		"key source that times out":   {apitest.Data(apitest.Thing), []hiring.Option{keySource(context.DeadlineExceeded)}, true},
		"key source with a bad key":   {apitest.Data(apitest.Thing), []hiring.Option{keySource(nil)}, false},
		"panic-free: no response":     {apitest.Breaks(io.EOF), nil, true},
		"a status that ends no reply": {apitest.Says(150, ""), nil, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			client := apitest.NewFake(t, c.answer).Client(append(c.opts, apitest.Once)...)
			_, err := client.Account.Get(t.Context())
			require.Error(t, err, name)
			assert.Equal(t, c.transient, hiring.IsTransient(err), "%s: %v", name, err)
		})
	}
}

func TestIsTransientOfContextsAndLocalRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := apitest.NewFake(t, apitest.Hangs()).Client()
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

		client = apitest.NewFake(t, apitest.Said{Limit: 1000, Remaining: 0, Left: time.Hour, Skew: 0, RetryAfter: ""}.With(apitest.Succeeds)).Client()
		require.NoError(t, apitest.Read(t.Context(), client))
		err = apitest.Read(t.Context(), client)
		require.ErrorIs(t, err, hiring.ErrQuotaExhausted)
		assert.True(t, hiring.IsTransient(err), "the rate limit: %v", err)

		client = apitest.NewFake(t, apitest.Refuses(401, hiring.ErrInvalidToken, apitest.Signed)).Client()
		for range 4 {
			err = apitest.Read(t.Context(), client)
		}
		assert.Zero(t, apitest.FailureOf(t, "the fourth", err).Status, "refused locally")
		assert.False(t, hiring.IsTransient(err), "a key that was refused: %v", err)
	})
}

func TestIsTransientOfAWriteDoesNotDependOnItsOutcome(t *testing.T) {
	client := apitest.NewFake(t, apitest.Refuses(500, hiring.ErrInternal)).Client()
	_, err := client.Invitations.Send(t.Context(), "a1", hiring.NewInvitation{Email: "jo@example.com", Name: "Jo"})
	assert.True(t, hiring.IsTransient(err))
	assert.Equal(t, hiring.OutcomeUnknown, apitest.FailureOf(t, "send", err).Outcome)
}
