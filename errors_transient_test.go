package hiring_test

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
)

func TestIsTransientOfRealCalls(t *testing.T) {
	keySource := func(err error) hiring.Option {
		return hiring.WithKeySource(func(context.Context) (string, error) { return "", err })
	}
	for name, c := range map[string]struct {
		answer    answer
		opts      []hiring.Option
		transient bool
	}{
		"429 of the key's quota":      {said{1000, 0, time.Hour, 429, ""}.with(limited), nil, true},
		"429 without headers":         {says(429, ""), nil, true},
		"500":                         {refuses(500, hiring.ErrInternal), nil, true},
		"501":                         {says(501, "not implemented"), nil, true},
		"502 of a proxy":              {says(502, "<html>"), nil, true},
		"reset":                       {breaks(syscall.ECONNRESET), nil, true},
		"refused":                     {breaks(syscall.ECONNREFUSED), nil, true},
		"timeout":                     {hangs(), nil, true},
		"stalled body":                {stalls(200, `{"data":`, signed), nil, true},
		"cut short":                   {cuts(200, `{"data":`, io.ErrUnexpectedEOF, signed), nil, true},
		"refused body cut short":      {cuts(403, `{"error":`, io.ErrUnexpectedEOF, signed), nil, false},
		"certificate":                 {breaks(&tls.CertificateVerificationError{Err: errors.New("expired")}), nil, false},
		"sign-in page":                {says(200, signIn), nil, false},
		"malformed":                   {says(200, `{"data":7}`, signed), nil, false},
		"redirect":                    {says(302, "", "Location: /"), nil, false},
		"400":                         {refuses(400, hiring.ErrInvalidInput), nil, false},
		"401":                         {refuses(401, hiring.ErrInvalidToken), nil, false},
		"402":                         {refuses(402, hiring.ErrPlanLimitReached), nil, false},
		"403":                         {refuses(403, hiring.ErrInsufficientScope), nil, false},
		"404":                         {refuses(404, hiring.ErrNotFound), nil, false},
		"409":                         {refuses(409, hiring.ErrConflict), nil, false},
		"key source that fails":       {data(thing), []hiring.Option{keySource(errors.New("sealed"))}, false},
		"key source that times out":   {data(thing), []hiring.Option{keySource(context.DeadlineExceeded)}, true},
		"key source with a bad key":   {data(thing), []hiring.Option{keySource(nil)}, false},
		"panic-free: no response":     {breaks(io.EOF), nil, true},
		"a status that ends no reply": {says(150, ""), nil, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			client := newFake(t, c.answer).client(append(c.opts, once)...)
			_, err := client.Account.Get(t.Context())
			require.Error(t, err, name)
			assert.Equal(t, c.transient, hiring.IsTransient(err), "%s: %v", name, err)
		})
	}
}

func TestIsTransientOfContextsAndLocalRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newFake(t, hangs()).client()
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

		client = newFake(t, said{1000, 0, time.Hour, 0, ""}.with(succeeds)).client()
		require.NoError(t, read(t.Context(), client))
		err = read(t.Context(), client)
		require.ErrorIs(t, err, hiring.ErrQuotaExhausted)
		assert.True(t, hiring.IsTransient(err), "the rate limit: %v", err)

		client = newFake(t, refuses(401, hiring.ErrInvalidToken, signed)).client()
		for range 4 {
			err = read(t.Context(), client)
		}
		assert.Zero(t, failureOf(t, "the fourth", err).Status, "refused locally")
		assert.False(t, hiring.IsTransient(err), "a key that was refused: %v", err)
	})
}

func TestIsTransientOfAWriteDoesNotDependOnItsOutcome(t *testing.T) {
	client := newFake(t, refuses(500, hiring.ErrInternal)).client()
	_, err := client.Invitations.Send(t.Context(), "a1", hiring.NewInvitation{Email: "jo@example.com", Name: "Jo"})
	assert.True(t, hiring.IsTransient(err))
	assert.Equal(t, hiring.OutcomeUnknown, failureOf(t, "send", err).Outcome)
}
