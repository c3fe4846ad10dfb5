package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// refused is a call that the API rejects with a documented code.
type refused struct {
	code   hiring.ErrorCode
	status int
	key    string // Empty: the key of every scope.
	call   func(context.Context, *hiring.Client) error
	fields map[string][]string // Part of what Fields returns.
	form   string
}

func sendTo(assessment, email string) func(context.Context, *hiring.Client) error {
	return func(ctx context.Context, c *hiring.Client) error {
		_, err := c.Invitations.Send(ctx, assessment, hiring.NewInvitation{Email: email, Name: "Ada"})
		return err
	}
}

func getAccount(ctx context.Context, c *hiring.Client) error {
	_, err := c.Account.Get(ctx)
	return err
}

var refusals = map[string]refused{
	"400 of a body": {
		code: hiring.ErrInvalidInput, status: 400, call: sendTo(sandbox.AssessmentID, "nobody"),
		fields: map[string][]string{"candidate_email": {"Expected an email address."}},
	},
	"400 of a query": {
		code: hiring.ErrInvalidInput, status: 400,
		call: func(ctx context.Context, c *hiring.Client) error {
			_, err := c.Do(ctx, http.MethodGet, "/submissions/"+sandbox.SubmissionID+"/report", url.Values{"format": {"pdf"}}, nil, nil)
			return err
		},
		fields: map[string][]string{"format": {"PDF reports are not implemented."}},
	},
	"400 of a page size": {
		code: hiring.ErrInvalidInput, status: 400,
		call: func(ctx context.Context, c *hiring.Client) error {
			_, err := c.Do(ctx, http.MethodGet, "/submissions", url.Values{"page_size": {"101"}}, nil, nil)
			return err
		},
		fields: map[string][]string{"page_size": {"Must be at most 100."}},
	},
	"400 of the whole": {
		code: hiring.ErrInvalidInput, status: 400,
		call: func(ctx context.Context, c *hiring.Client) error {
			_, err := c.Do(ctx, http.MethodPost, "/assessments", nil, []int{1}, nil)
			return err
		},
		form: "The request body must be a JSON object.",
	},
	"401 of an unknown key":  {code: hiring.ErrInvalidToken, status: 401, key: "sk_test_unknown", call: getAccount},
	"401 of an expired key":  {code: hiring.ErrInvalidToken, status: 401, key: "sk_test_expired", call: getAccount},
	"401 of a revoked key":   {code: hiring.ErrInvalidToken, status: 401, key: "sk_test_revoked", call: getAccount},
	"402":                    {code: hiring.ErrPlanLimitReached, status: 402, call: sendTo(sandbox.AssessmentID, sandbox.PlanLimitEmail)},
	"403":                    {code: hiring.ErrInsufficientScope, status: 403, key: sandbox.ReadOnlyKey, call: sendTo(sandbox.AssessmentID, "ada@example.test")},
	"404 of an unknown id":   {code: hiring.ErrNotFound, status: 404, call: getSubmission(sandbox.UnknownID)},
	"404 of what is no uuid": {code: hiring.ErrNotFound, status: 404, call: getSubmission("42")},
	"404 of a list": {
		code: hiring.ErrNotFound, status: 404,
		call: func(ctx context.Context, c *hiring.Client) error {
			_, err := c.Events.List(sandbox.UnknownID, hiring.EventFilter{}).Collect(ctx)
			return err
		},
	},
	"409": {code: hiring.ErrConflict, status: 409, call: sendTo(sandbox.ClosedAssessmentID, "ada@example.test")},
}

func getSubmission(id string) func(context.Context, *hiring.Client) error {
	return func(ctx context.Context, c *hiring.Client) error {
		_, err := c.Submissions.Get(ctx, id)
		return err
	}
}

func TestCodesOfRealCalls(t *testing.T) {
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			server := sandbox.Start(t)
			server.AddKey(sandbox.Key{Token: "sk_test_expired", Expires: time.Now().Add(-time.Minute)})
			server.AddKey(sandbox.Key{Token: "sk_test_revoked"})
			server.RevokeKey("sk_test_revoked")
			key := c.key
			if key == "" {
				key = sandbox.TestKey
			}
			client, err := hiring.New("https://sandbox.test", key, hiring.WithHTTPClient(&http.Client{Transport: server.Transport()}))
			require.NoError(t, err)

			failure := requireCode(t, c.call(t.Context(), client), c.code, c.status)
			form, fields := failure.Fields()
			assert.Equal(t, c.status == 400, len(failure.Details) > 0)
			if c.form != "" {
				assert.Contains(t, form, c.form)
			}
			for field, problems := range c.fields {
				assert.Equal(t, problems, fields[field])
			}
			if c.status != 400 {
				assert.Nil(t, fields)
				assert.Nil(t, form)
			}
			assert.Positive(t, failure.RateLimit.Limit)
			assert.Zero(t, failure.RetryAfter)
		})
	}
}

func requireCode(t *testing.T, err error, code hiring.ErrorCode, status int) *hiring.Error {
	t.Helper()
	require.ErrorIs(t, err, code)
	var failure *hiring.Error
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, code, failure.Code)
	assert.Equal(t, status, failure.Status)
	assert.NotEmpty(t, failure.Message)
	assert.True(t, strings.HasPrefix(failure.RequestID, "req_"), failure.RequestID)
	assert.Equal(t, 1, failure.Attempts)
	assert.NotEmpty(t, failure.Route)
	for other := range refusalCodes {
		assert.Equal(t, other == code, errors.Is(err, other), other)
	}
	return failure
}

var refusalCodes = map[hiring.ErrorCode]int{
	hiring.ErrInvalidInput: 400, hiring.ErrInvalidToken: 401, hiring.ErrPlanLimitReached: 402, hiring.ErrInsufficientScope: 403,
	hiring.ErrNotFound: 404, hiring.ErrConflict: 409, hiring.ErrRateLimited: 429, hiring.ErrInternal: 500,
}

// A used up rate limit, of reads and of writes.
func TestCodesOfAnExhaustedQuota(t *testing.T) {
	for class, call := range map[sandbox.Class]func(context.Context, *hiring.Client) error{
		sandbox.ClassRead: getAccount, sandbox.ClassWrite: sendTo(sandbox.AssessmentID, "ada@example.test"),
	} {
		server := sandbox.Start(t)
		server.SetQuota(sandbox.TestKey, class, 0)
		failure := requireCode(t, call(t.Context(), server.Client()), hiring.ErrRateLimited, 429)
		assert.Positive(t, failure.RetryAfter)
		assert.LessOrEqual(t, failure.RetryAfter, time.Hour+time.Second)
		assert.Zero(t, failure.RateLimit.Remaining)
		assert.Positive(t, failure.RateLimit.Limit)
		assert.Contains(t, string(failure.Details), `"reset"`)
	}
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
