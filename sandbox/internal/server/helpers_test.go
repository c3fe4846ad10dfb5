package server

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	testKey     = "sk_test_one"
	readOnlyKey = "sk_test_two"
)

// newTest returns a server with two keys, documented rate limits and the
// system's clock.
func newTest(t *testing.T, change func(*Config)) *Server {
	t.Helper()
	c := Config{
		OpenAPI: openAPIDocument(t), Clock: time.Now, ReadLimit: 1000, WriteLimit: 200, SinceOn: SinceCreated,
		Keys: []Key{{Token: testKey, Scope: ScopeAdmin}, {Token: readOnlyKey, Scope: ScopeRead}},
	}
	change(&c)
	return New(c)
}

// openAPIDocument returns the OpenAPI document in the default dialect.
func openAPIDocument(t *testing.T) []byte {
	t.Helper()
	raw, err := os.ReadFile("../../openapi.json")
	require.NoError(t, err)
	return raw
}
