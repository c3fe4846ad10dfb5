package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Scope is what a key may do. A wider scope includes the narrower ones.
type Scope string

// The scopes, from the narrowest to the widest.
const (
	ScopeRead  Scope = "read"
	ScopeWrite Scope = "write"
	ScopeAdmin Scope = "admin"
)

// rank is 0 for an unknown scope.
func (s Scope) rank() int { return slices.Index([]Scope{ScopeRead, ScopeWrite, ScopeAdmin}, s) + 1 }

func (s Scope) includes(needed Scope) bool { return s.rank() >= needed.rank() }

// Key is an API key that a server accepts.
type Key struct {
	Token   string    `json:"token"`            // sk_test_ or sk_live_, then a letter, digit, "_", "-" or "." at least.
	Scope   Scope     `json:"scope"`            // Empty: ScopeAdmin, which includes the others.
	Expires time.Time `json:"expires,omitzero"` // Zero: never. From this time on the key is invalid.
	// Whose live data the key sees. Keys without one share an organization. All keys of test mode see the same data.
	Organization string `json:"organization,omitzero"`
}

const (
	testPrefix = "sk_test_"
	livePrefix = "sk_live_"

	maxToken = 200 // Bytes of a token.
)

// keyState is a key and its windows.
type keyState struct {
	Key
	read, write window
	revoked     time.Time // Zero: it is not.
}

func (k *keyState) live() bool { return strings.HasPrefix(k.Token, livePrefix) }

// is reports whether the key has a token or an id.
func (k *keyState) is(token string) bool { return k.Token == token || keyID(k.Token) == token }

func (k *keyState) valid(now time.Time) bool {
	return k.revoked.IsZero() && (k.Expires.IsZero() || now.Before(k.Expires))
}

func (k *keyState) window(c Class) *window {
	if c == ClassRead {
		return &k.read
	}
	return &k.write
}

// keyring holds the keys that a server accepts, by token.
type keyring map[string]*keyState

// keyPattern matches the tokens that a header can carry and that fit into a table.
var keyPattern = regexp.MustCompile(`sk_(test|live)_[A-Za-z0-9_.-]+`)

var keyPrefix = regexp.MustCompile(`^sk_(test|live)_`)

// isToken reports whether a text has the form of a key.
func isToken(text string) bool {
	return len(text) <= maxToken && keyPattern.FindString(text) == text && text != ""
}

// add adds a key, or replaces the one with the same token.
func (r keyring) add(k Key) error {
	if !isToken(k.Token) {
		return inputError{"token", fmt.Sprintf("must be %s or %s and at least one letter, digit, \"_\", \"-\" or \".\", at most %d bytes", testPrefix, livePrefix, maxToken)}
	}
	if k.Scope == "" {
		k.Scope = ScopeAdmin
	}
	if k.Scope.rank() == 0 {
		return inputError{"scope", fmt.Sprintf("must be read, write or admin, not %q", string(k.Scope))}
	}
	r[k.Token] = &keyState{Key: k}
	return nil
}

// bearer returns the token of a request, or "" if there is not exactly one.
func bearer(r *http.Request) string {
	headers := r.Header["Authorization"]
	if len(headers) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

// redact returns the part of a token that distinguishes it from others of the test.
func redact(token string) string {
	const shown = 4
	if token == "" {
		return ""
	}
	prefix := keyPrefix.FindString(token)
	if rest := token[len(prefix):]; len(rest) > shown+2 { // Otherwise most of the token would be visible.
		return prefix + "…" + strings.ToValidUTF8(rest[len(rest)-shown:], "")
	}
	return prefix + "…"
}

// keyID returns an id that does not reveal the token; empty for no token.
func keyID(token string) string {
	if token == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:8])
}
