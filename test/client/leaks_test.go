package client_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// A cause whose text holds the key is not reachable, and any other cause is.
func TestCausesThatHoldTheKeyAreNotReachable(t *testing.T) {
	harmless, harmful := errors.New("vault closed"), errors.New("vault refused "+apitest.Key)
	for cause, reachable := range map[error]bool{harmless: true, harmful: false, errors.Join(harmless, harmful): false} {
		fake := apitest.NewScriptedServer(t, apitest.Fail(cause))
		_, err := fake.Client(apitest.NoRetry).Account.Get(t.Context())
		assert.Equal(t, reachable, errors.Is(err, cause), "%v", cause)
		require.ErrorContains(t, err, "vault")
		apitest.AssertNoKey(t, apitest.Key, "the error", err)
	}
}

// A captured header does not hold the key, however the server sends it back.
func TestCapturedHeadersDoNotHoldTheKey(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.RespondData(apitest.Resource, "X-Echo: Bearer "+apitest.Key))
	var got hiring.Response
	_, err := fake.Client().Account.Get(hiring.WithResponse(t.Context(), &got))
	require.NoError(t, err)
	assert.Equal(t, http.Header{"X-Echo": {"Bearer [redacted]"}}["X-Echo"], got.Header["X-Echo"])
}
