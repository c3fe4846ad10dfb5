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

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
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
	Token        string    `json:"token"`                 // sk_test_ or sk_live_ and at least one more letter, digit, "_", "-" or ".".
	Scope        Scope     `json:"scope"`                 // Empty: ScopeAdmin, which includes the others.
	Expires      time.Time `json:"expires,omitzero"`      // Zero: never. From this time on the key is invalid.
	Organization string    `json:"organization,omitzero"` // Whose live data the key sees. Keys without one share an organization. All keys of test mode see the same data.
}

const (
	testPrefix = "sk_test_"
	livePrefix = "sk_live_"

	maxActiveKeys = 20
	maxToken      = 200 // Bytes of a token.
	maxRevoked    = 200 // Revoked keys that are remembered.
)

// keyState is a key and its windows.
type keyState struct {
	Key
	read, write window
}

func (k *keyState) live() bool { return strings.HasPrefix(k.Token, livePrefix) }

func (k *keyState) valid(now time.Time) bool { return k.Expires.IsZero() || now.Before(k.Expires) }

func (k *keyState) window(c Class) *window {
	if c == ClassRead {
		return &k.read
	}
	return &k.write
}

// countsTowardLimit reports whether a key counts toward the limit of active keys of an
// organization. A key of test mode without an organization does not, because a test may
// need many.
func (k *keyState) countsTowardLimit(now time.Time) bool {
	return k.valid(now) && (k.live() || k.Organization != "")
}

// keyring holds the keys that a server accepts, by token.
type keyring map[string]*keyState

// tokens are the tokens that a header can carry and that fit into a table.
var tokens = regexp.MustCompile(`^sk_(test|live)_[A-Za-z0-9_.-]+$`)

// add adds a key, or replaces the one with the same token.
func (r keyring) add(k Key, now time.Time) error {
	if len(k.Token) > maxToken || !tokens.MatchString(k.Token) {
		return inputError{"token", fmt.Sprintf("must be %s or %s and at least one letter, digit, \"_\", \"-\" or \".\", at most %d bytes", testPrefix, livePrefix, maxToken)}
	}
	if k.Scope == "" {
		k.Scope = ScopeAdmin
	}
	if k.Scope.rank() == 0 {
		return inputError{"scope", fmt.Sprintf("must be read, write or admin, not %q", string(k.Scope))}
	}
	added := &keyState{Key: k}
	if added.countsTowardLimit(now) && r.countActive(k, now) >= maxActiveKeys {
		return world.Conflict(fmt.Sprintf("the organization has %d active keys, and no organization may have more", maxActiveKeys))
	}
	r[k.Token] = added
	return nil
}

// countActive returns the number of active keys of an organization besides k.
func (r keyring) countActive(k Key, now time.Time) int {
	count := 0
	for token, other := range r {
		if token != k.Token && other.Organization == k.Organization && other.countsTowardLimit(now) {
			count++
		}
	}
	return count
}

// authenticate returns the key of a request, or nil. Like the API, it does not
// distinguish why a key is rejected.
func (r keyring) authenticate(request *http.Request, now time.Time) *keyState {
	key := r[bearer(request)]
	if key == nil || !key.valid(now) {
		return nil
	}
	return key
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
	prefix := ""
	for _, known := range []string{testPrefix, livePrefix} {
		if strings.HasPrefix(token, known) {
			prefix = known
		}
	}
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
