package sandbox

import (
	"errors"
	"fmt"
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

// AddKey makes the server accept a key, or replaces the one with the same
// token; its quotas begin anew. It panics on a token that begins with neither
// sk_test_ nor sk_live_, on an unknown scope, and on more keys than the 20
// active ones that an organization can hold, LiveKey among those without a name.
// Expired and revoked ones do not count, nor do keys of test mode that name no
// organization.
func (s *Server) AddKey(k Key) {
	if err := s.addKey(k); err != nil {
		panic(fmt.Sprintf("sandbox: AddKey: %v", err))
	}
}

func (s *Server) addKey(k Key) error {
	if !strings.HasPrefix(k.Token, testPrefix) && !strings.HasPrefix(k.Token, livePrefix) {
		return errors.New("the token must begin with " + testPrefix + " or " + livePrefix)
	}
	if k.Scope == "" {
		k.Scope = ScopeAdmin
	}
	if k.Scope.rank() == 0 {
		return fmt.Errorf("unknown scope %q", string(k.Scope))
	}
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(now)
	added := &keyState{Key: k}
	if added.counts(now) && s.activeKeys(k, now) >= maxActiveKeys {
		return fmt.Errorf("the organization has %d active keys, and no organization may have more", maxActiveKeys)
	}
	s.keys[k.Token] = added
	return nil
}

// activeKeys counts the keys that an organization has besides k.
func (s *Server) activeKeys(k Key, now time.Time) int {
	count := 0
	for token, other := range s.keys {
		if token != k.Token && other.Organization == k.Organization && other.counts(now) {
			count++
		}
	}
	return count
}

// counts tells whether a key is one of the few that an organization can hold.
// A key of test mode that names no organization is nobody's: a test may want
// many.
func (k *keyState) counts(now time.Time) bool {
	return k.valid(now) && (k.live() || k.Organization != "")
}

// RevokeKey makes the server refuse a key from the next request on. An unknown
// token changes nothing.
func (s *Server) RevokeKey(token string) { s.revoke(token) }

func (s *Server) revoke(token string) (known bool) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(now)
	_, known = s.keys[token]
	delete(s.keys, token)
	return known
}

// authenticate returns the key of a request, or nil whatever is wrong with it:
// the service tells no cause from another.
func (s *Server) authenticate(c *call) *keyState {
	key := s.keys[bearer(c.request)]
	if key == nil || !key.valid(c.at) {
		return nil
	}
	return key
}
