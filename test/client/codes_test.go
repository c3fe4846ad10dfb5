package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func getAccount(ctx context.Context, c *hiring.Client) error {
	_, err := c.Account.Get(ctx)
	return err
}

func TestErrorsAsFindsTheCode(t *testing.T) {
	client := sandbox.Start(t).LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
	_, err := client.Submissions.Get(t.Context(), sandbox.UnknownID)
	var code hiring.ErrorCode
	require.ErrorAs(t, fmt.Errorf("row 3: %w", err), &code)
	assert.Equal(t, hiring.ErrNotFound, code)
	_, err = client.Submissions.Get(t.Context(), "")
	require.ErrorAs(t, err, &code)
	assert.Equal(t, hiring.ErrInvalidInput, code, "an input that was refused locally")
	code = "unchanged"
	assert.NotErrorAs(t, &hiring.Error{Status: 502}, &code)
	assert.Equal(t, hiring.ErrorCode("unchanged"), code)
}

func TestNilErrorsDoNotPanic(t *testing.T) {
	var none *hiring.Error
	form, fields := none.Fields()
	assert.Nil(t, form)
	assert.Nil(t, fields)
	require.NoError(t, none.Unwrap())
	assert.NotEmpty(t, none.Error())
	var code hiring.ErrorCode
	for _, err := range []error{none, fmt.Errorf("wrapped: %w", none), errors.Join(none, io.EOF)} {
		assert.Nil(t, hiring.FieldErrors(err))
		assert.False(t, hiring.IsTransient(err))
		require.NotErrorIs(t, err, hiring.ErrNotFound)
		require.NotErrorIs(t, err, hiring.ErrOutcomeUnknown)
		assert.NotErrorAs(t, err, &code)
	}
}
