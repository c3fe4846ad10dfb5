package sandbox

import "testing"

const (
	testKey     = "sk_test_one"
	readOnlyKey = "sk_test_two"
)

// newTest returns a server with two keys.
func newTest(t *testing.T, opts ...Option) *Server {
	t.Helper()
	return New(append([]Option{WithKey(Key{Token: testKey, Scope: ScopeAdmin}), WithKey(Key{Token: readOnlyKey, Scope: ScopeRead})}, opts...)...)
}
