package server

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Scope is the set of operations that a key may use. Each scope includes the previous
// ones.
type Scope string

// The scopes, from the narrowest.
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
	Token        string
	Scope        Scope     // Empty: ScopeAdmin, which includes the others.
	Expires      time.Time // Zero: never. An expired key is rejected like a revoked one.
	Organization string    // Whose live data the key sees. Keys without one share an organization. All keys of test mode see the same data.
}

const (
	testPrefix = "sk_test_"
	livePrefix = "sk_live_"

	maxActiveKeys = 20
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

// add adds a key, or replaces the one with the same token.
func (r keyring) add(k Key, now time.Time) error {
	if !strings.HasPrefix(k.Token, testPrefix) && !strings.HasPrefix(k.Token, livePrefix) {
		return errors.New("the token must begin with " + testPrefix + " or " + livePrefix)
	}
	if k.Scope == "" {
		k.Scope = ScopeAdmin
	}
	if k.Scope.rank() == 0 {
		return fmt.Errorf("unknown scope %q", string(k.Scope))
	}
	added := &keyState{Key: k}
	if added.countsTowardLimit(now) && r.countActive(k, now) >= maxActiveKeys {
		return fmt.Errorf("the organization has %d active keys, and no organization may have more", maxActiveKeys)
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

// maxRevoked is the number of revoked keys that are still redacted.
const maxRevoked = 200

// redactor returns a replacer of all known and revoked keys.
func (r keyring) redactor(revoked []string) *strings.Replacer {
	known := append(slices.Collect(maps.Keys(r)), revoked...)
	slices.Sort(known)
	hidden := make([]string, 0, 2*len(known))
	for _, token := range slices.Backward(known) { // If one token is a prefix of another, the longer one first.
		hidden = append(hidden, token, redact(token))
	}
	return strings.NewReplacer(hidden...)
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
