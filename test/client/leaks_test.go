package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// A cause whose text holds the key is not reachable, and any other cause is.
func TestCausesThatHoldTheKeyAreNotReachable(t *testing.T) {
	harmless, harmful := errors.New("vault closed"), errors.New("vault refused "+apitest.Key)
	for cause, reachable := range map[error]bool{
		harmless: true, harmful: false, errors.Join(harmless, harmful): false, &url.Error{Op: "vault", Err: harmless}: true, hidden{harmful}: false,
	} {
		fake := apitest.NewScriptedServer(t, apitest.Fail(cause))
		_, err := fake.Client(apitest.NoRetry).Account.Get(t.Context())
		assert.Equal(t, reachable, errors.Is(err, cause), "%v", cause)
		require.ErrorContains(t, err, "vault")
		apitest.AssertNoKey(t, apitest.Key, "the error", err)
	}
}

// hidden does not show the text of its cause.
type hidden struct{ cause error }

func (hidden) Error() string   { return "vault failed" }
func (h hidden) Unwrap() error { return h.cause }

// The text of a body is cut after the key was replaced, which may be longer than its replacement.
func TestNoPartOfAKeyIsQuoted(t *testing.T) {
	key := "sk_live_" + strings.Repeat("0123456789", 6)
	fake := apitest.NewScriptedServer(t, apitest.Respond(502, "x"+strings.Repeat(key+" ", 9)))
	client, err := hiring.New(apitest.BaseURL, key, hiring.WithHTTPClient(&http.Client{Transport: fake}), apitest.NoRetry)
	require.NoError(t, err)
	_, err = client.Account.Get(t.Context())
	require.ErrorContains(t, err, "x[redacted]")
	require.NotContains(t, err.Error(), "0123")
}

// A captured header does not hold the key, however the server sends it back.
func TestCapturedHeadersDoNotHoldTheKey(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"x","name":"`+apitest.Key+`"}`, "X-Echo: Bearer "+apitest.Key))
	var got hiring.Response
	_, err := fake.Client().Account.Get(hiring.WithResponse(t.Context(), &got))
	require.NoError(t, err)
	assert.Equal(t, http.Header{"X-Echo": {"Bearer [redacted]"}}["X-Echo"], got.Header["X-Echo"])
	assert.Contains(t, string(got.Body), apitest.Key, "the API's own data is not searched")
}

// A program decodes resources that it has stored, and logs the error.
func TestErrorsOfDecodingDoNotQuoteValues(t *testing.T) {
	for field, value := range map[string]string{"created_at": `"jane@example.com"`, "paused_total_seconds": "4711.5", "budget": `"jane@example.com"`} {
		err := json.Unmarshal(fmt.Appendf(nil, `{%q: %s}`, field, value), new(hiring.Submission))
		require.ErrorContains(t, err, field)
		assert.NotContains(t, fmt.Sprintf("%v %#v", err, err), strings.Trim(value, `"`), "%s", field)
		assert.NoError(t, errors.Unwrap(err), "%s", field)
	}
}
