package doctor

import (
	"crypto/x509"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestHostOfARedirect: of the address only the host is shown, because the rest may contain
// a token.
func TestHostOfARedirect(t *testing.T) {
	t.Parallel()
	for location, want := range map[string]string{
		"https://portal.example/login?token=1": "portal.example",
		"https://portal.example:8443?token=1":  "portal.example:8443",
		"https://user:word@portal.example/":    "portal.example",
		"//portal.example/login":               "portal.example",
		"/login":                               "another path",
		"":                                     "another path",
		"https://portal.example/%zz":           "an invalid address",
	} {
		assert.Equal(t, want, hostOf(location), location)
	}
}

// TestAnUnknownAuthorityMayHaveNoCertificate: transports of users may leave it out.
func TestAnUnknownAuthorityMayHaveNoCertificate(t *testing.T) {
	t.Parallel()
	got := new(examination).checkReached(reply{err: x509.UnknownAuthorityError{}})
	assert.Contains(t, got.Evidence, "does not trust the authority")
}
