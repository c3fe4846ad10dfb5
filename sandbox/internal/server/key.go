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

// Scope is what a key may do. Each scope includes those before it.
type Scope string

// The scopes, from the narrowest to the widest.
const (
	ScopeRead  Scope = "read"
	ScopeWrite Scope = "write"
	ScopeAdmin Scope = "admin"
)

func (s Scope) rank() int {
	switch s {
	case ScopeRead:
		return 1
	case ScopeWrite:
		return 2
	case ScopeAdmin:
		return 3
	}
	return 0
}

func (s Scope) includes(needed Scope) bool { return s.rank() >= needed.rank() }

// Key is an API key that a server accepts.
type Key struct {
	Token        string
	Scope        Scope     // Empty: ScopeAdmin, which includes the others.
	Expires      time.Time // Zero: never. From this time on the key is as good as revoked.
	Organization string    // Whose live data it sees; keys without one share an organization. Test mode shows all the same.
}

const (
	testPrefix = "sk_test_"
	livePrefix = "sk_live_"

	maxActiveKeys = 20
)

// keyState is a key and what its quotas still allow.
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

// counts reports whether a key is one of the few that an organization can hold.
// A key of test mode that names no organization belongs to none: a test may want
// many.
func (k *keyState) counts(now time.Time) bool {
	return k.valid(now) && (k.live() || k.Organization != "")
}

// keyring is the keys that a server accepts, by token.
type keyring map[string]*keyState

// add accepts a key, or replaces the one with the same token.
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
	if added.counts(now) && r.active(k, now) >= maxActiveKeys {
		return fmt.Errorf("the organization has %d active keys, and no organization may have more", maxActiveKeys)
	}
	r[k.Token] = added
	return nil
}

// active counts the keys that an organization has besides k.
func (r keyring) active(k Key, now time.Time) int {
	count := 0
	for token, other := range r {
		if token != k.Token && other.Organization == k.Organization && other.counts(now) {
			count++
		}
	}
	return count
}

// maxHidden is how many revoked keys are still hidden.
const maxHidden = 200

// hide finds the keys that the server knows, and those that were revoked, to
// redact them.
func (r keyring) hide(revoked []string) *strings.Replacer {
	known := append(slices.Collect(maps.Keys(r)), revoked...)
	slices.Sort(known)
	hidden := make([]string, 0, 2*len(known))
	for _, token := range slices.Backward(known) { // The longer of two that begin alike first.
		hidden = append(hidden, token, redact(token))
	}
	return strings.NewReplacer(hidden...)
}

// authenticate returns the key of a request, or nil whatever is wrong with it:
// the service tells no cause from another.
func (r keyring) authenticate(request *http.Request, now time.Time) *keyState {
	key := r[bearer(request)]
	if key == nil || !key.valid(now) {
		return nil
	}
	return key
}

// bearer returns the token of a request, or nothing, which is no key either,
// when there is not just one.
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

// redact leaves of a key what tells it from the test's others.
func redact(token string) string {
	const shown = 4
	if token == "" {
		return ""
	}
	prefix := ""
	for _, known := range []string{"sk_test_", "sk_live_"} {
		if strings.HasPrefix(token, known) {
			prefix = known
		}
	}
	if rest := token[len(prefix):]; len(rest) > shown+2 { // Never most of it.
		return prefix + "…" + strings.ToValidUTF8(rest[len(rest)-shown:], "")
	}
	return prefix + "…"
}
