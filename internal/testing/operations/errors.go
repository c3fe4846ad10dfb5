package operations

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// fails asserts what every refusal has.
func fails(t *testing.T, err error, status int, code hiring.ErrorCode, about ...any) *hiring.Error {
	t.Helper()
	var failure *hiring.Error
	require.ErrorAs(t, err, &failure, about...)
	require.Equal(t, []any{status, code}, []any{failure.Status, failure.Code}, about...)
	require.ErrorIs(t, err, code)
	assert.NotEmpty(t, failure.Message)
	assert.NotEmpty(t, failure.RequestID)
	assert.Positive(t, failure.RateLimit.Limit)
	detailed := status == http.StatusBadRequest || status == http.StatusTooManyRequests
	assert.Equal(t, detailed, failure.Details != nil, about...)
	return failure
}

// InvalidInput is refused with the name of what is wrong.
func InvalidInput(t *testing.T, client *hiring.Client, _ Controls) {
	report := "/submissions/" + sandbox.SubmissionID + "/report"
	for _, c := range []struct {
		path, parameter, value string
	}{
		{report, "format", "pdf"}, {report, "format", "docx"}, {report, "format", ""},
		{"/submissions/" + sandbox.SubmissionID + "/events", "since_seq", "-1"},
		{"/submissions/" + sandbox.SubmissionID + "/events", "since_seq", "last"},
		{"/submissions", "since", "yesterday"}, {"/submissions", "assessment_id", "5"},
	} {
		_, err := client.Do(t.Context(), http.MethodGet, c.path, url.Values{c.parameter: {c.value}}, nil, nil)
		form, fields := fails(t, err, http.StatusBadRequest, hiring.ErrInvalidInput, c).Fields()
		assert.Empty(t, form)
		assert.Len(t, fields, 1)
		assert.NotEmpty(t, fields[c.parameter], c)
	}
	for _, body := range []any{[]int{1}, "text", 5} {
		_, err := client.Do(t.Context(), http.MethodPost, "/assessments", nil, body, nil)
		form, fields := fails(t, err, http.StatusBadRequest, hiring.ErrInvalidInput).Fields()
		assert.NotEmpty(t, form)
		assert.Empty(t, fields)
	}
	_, err := client.Do(t.Context(), http.MethodPost, "/assessments", nil, map[string]any{}, nil)
	_, fields := fails(t, err, http.StatusBadRequest, hiring.ErrInvalidInput).Fields()
	assert.Len(t, fields, 2)
}

// InvalidToken is the answer to every key that is not valid, and never says why.
func InvalidToken(t *testing.T, client *hiring.Client, server Controls) {
	messages := map[string]bool{}
	for i, o := range All() { // Each with keys of its own: after three refusals in a row, one is not tried again.
		revoked, expired, unknown := fmt.Sprint("sk_test_revoked", i), fmt.Sprint("sk_test_expired", i), fmt.Sprint("sk_test_unknown", i)
		server.AddKey(sandbox.Key{Token: revoked})
		server.AddKey(sandbox.Key{Token: expired, Expires: time.Unix(1, 0)})
		require.NoError(t, second(as(t, client, revoked).Account.Get(t.Context())))
		server.RevokeKey(revoked)
		for _, key := range []string{revoked, expired, unknown} {
			failure := fails(t, o.Do(t.Context(), as(t, client, key), o.IDs), http.StatusUnauthorized, hiring.ErrInvalidToken, o.Name)
			assert.Equal(t, 1, failure.Attempts)
			messages[failure.Message] = true
		}
	}
	assert.Len(t, messages, 1)
}

// InvalidTokenAgain is not even sent: failures throttle the address.
func InvalidTokenAgain(t *testing.T, client *hiring.Client, _ Controls) {
	wrong, requests := counted(t, as(t, client, "sk_test_unknown"))
	for i, o := range All() {
		err := o.Do(t.Context(), wrong, o.IDs)
		if i < 3 {
			_ = fails(t, err, http.StatusUnauthorized, hiring.ErrInvalidToken, o.Name)
			continue
		}
		var failure *hiring.Error
		if !errors.As(err, &failure) {
			t.Fatalf("%s: want an error that is not sent, got: %v", o.Name, err)
		}
		assert.Equal(t, []any{0, 0, hiring.ErrInvalidToken}, []any{failure.Status, failure.Attempts, failure.Code}, o.Name)
		require.NoError(t, second(client.Account.Get(t.Context())), "another key is not concerned")
	}
	assert.Equal(t, 3, *requests)
}

// InsufficientScope names the scope that is needed.
func InsufficientScope(t *testing.T, client *hiring.Client, _ Controls) {
	reader, writer := as(t, client, sandbox.ReadOnlyKey), as(t, client, sandbox.WriteKey)
	for _, o := range All() {
		require.NoError(t, o.Do(t.Context(), writer, o.IDs), o.Name)
		err := o.Do(t.Context(), reader, o.IDs)
		if !o.write() {
			require.NoError(t, err, o.Name)
			continue
		}
		failure := fails(t, err, http.StatusForbidden, hiring.ErrInsufficientScope, o.Name)
		assert.Contains(t, failure.Message, "write")
		assert.Equal(t, hiring.OutcomeNotDone, failure.Outcome)
	}
}

// NotFound is the same for an id that is unknown and one that is no UUID.
func NotFound(t *testing.T, client *hiring.Client, _ Controls) {
	messages := map[string]bool{}
	for _, o := range All() {
		for place := range o.IDs {
			for _, wrong := range []string{sandbox.UnknownID, "not-a-uuid", "a/b?c", "%2e", "日本語"} {
				ids := slices.Clone(o.IDs)
				ids[place] = wrong
				failure := fails(t, o.Do(t.Context(), client, ids), http.StatusNotFound, hiring.ErrNotFound, o.Name, ids)
				messages[failure.Message] = true
			}
		}
	}
	assert.Len(t, messages, 1)
}

// RateLimited is the answer to a key without quota, of the one class only.
func RateLimited(t *testing.T, client *hiring.Client, server Controls) {
	for i, o := range All() {
		key := fmt.Sprintf("sk_test_drained_%d", i) // Of its own: the client remembers what a key has left.
		server.AddKey(sandbox.Key{Token: key})
		server.SetQuota(key, o.class(), 0)
		drained := as(t, client, key)
		failure := fails(t, o.Do(t.Context(), drained, o.IDs), http.StatusTooManyRequests, hiring.ErrRateLimited, o.Name)
		assert.Zero(t, failure.RateLimit.Remaining)
		assert.Positive(t, failure.RetryAfter)
		assert.LessOrEqual(t, failure.RetryAfter, time.Hour+time.Second, o.Name)
		other := All()[slices.IndexFunc(All(), func(other Operation) bool { return other.write() != o.write() })]
		require.NoError(t, other.Do(t.Context(), drained, other.IDs), "the other class goes on")
	}
}

// Quota checks that each class has the values of its last response.
func Quota(t *testing.T, client *hiring.Client, server Controls) {
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 500)
	server.SetQuota(sandbox.TestKey, sandbox.ClassWrite, 50)
	var reads, writes int
	for _, o := range All() {
		require.NoError(t, o.Do(t.Context(), client, o.IDs), o.Name)
		writes += count(o.write())
		reads += count(!o.write())
	}
	q := client.Quota()
	assert.Equal(t, []int{1000, 500 - reads}, []int{q.Read.Limit, q.Read.Remaining})
	assert.Equal(t, []int{200, 50 - writes}, []int{q.Write.Limit, q.Write.Remaining})
	assert.NotEmpty(t, q.Read.Reset, "the reset of reads")
}

// InternalError is a failure of the API: the outcome of a write is unknown.
func InternalError(t *testing.T, client *hiring.Client, server Controls) {
	client = with(t, client, hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
	for _, o := range All() {
		server.Inject(sandbox.Fault{Status: http.StatusInternalServerError})
		failure := fails(t, o.Do(t.Context(), client, o.IDs), http.StatusInternalServerError, hiring.ErrInternal, o.Name)
		assert.Equal(t, o.write(), failure.Outcome == hiring.OutcomeUnknown, o.Name)
		require.NoError(t, o.Do(t.Context(), client, o.IDs), "%s: the next one", o.Name)
	}
}
