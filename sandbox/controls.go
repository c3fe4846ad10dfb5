package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// control is a server while a test operation holds its lock. It is a view of the same state
// as Server, whose exported methods take the lock and must not be called.
type control struct {
	*Server

	now time.Time
	id  string // Of the resource, in lower case; empty without one.
}

// withLock calls do with the lock held. id is that of a resource; empty without one.
func (s *Server) withLock(id string, do func(*control) error) error {
	now, unlock := s.lock()
	defer unlock()
	return do(&control{s, now, canonicalID(id)})
}

// mustWithLock is like withLock, and panics on an error.
func (s *Server) mustWithLock(method string, do func(*control) error) {
	must(method, s.withLock("", do))
}

// AddKey makes the server accept a key, or replaces the key with the same token
// and restarts its rate limits. It panics on a malformed token and on an unknown
// scope.
func (s *Server) AddKey(k Key) {
	s.mustWithLock("AddKey", func(c *control) error { return c.addKey(k) })
}

func (c *control) addKey(k Key) error {
	if err := c.keys.add(k); err != nil {
		return err
	}
	c.keyChanged("Key added", "", k.Token)
	return nil
}

// RevokeKey makes the server reject a key from the next request on. An unknown
// token changes nothing.
func (s *Server) RevokeKey(token string) {
	_ = s.withLock("", func(c *control) error { return c.revokeKey(keyToken{token}) })
}

type keyToken struct {
	Token string `json:"token"` // Or an id.
}

func (c *control) revokeKey(in keyToken) error {
	key, err := c.knownKey("token", in.Token)
	if err != nil {
		return err
	}
	key.revoked = c.now
	maps.DeleteFunc(c.keys, func(_ string, k *keyState) bool { return !k.revoked.IsZero() && c.now.Sub(k.revoked) > 24*time.Hour }) // Of a server with many suites.
	c.keyChanged("Key revoked", "", key.Token)
	return nil
}

// restoreKey makes the server accept a revoked key again, with the rate limits of before.
func (c *control) restoreKey(in keyToken) error {
	for _, key := range c.keys {
		if !key.revoked.IsZero() && key.is(in.Token) {
			key.revoked = time.Time{}
			c.keyChanged("Key restored", "", key.Token)
			return nil
		}
	}
	return inputError{"token", "the server knows no such revoked key"}
}

// keyChanged records an action about a key, and notifies the streams. The subject is what, followed by the redacted key.
func (c *control) keyChanged(kind, what, token string) {
	c.changed(topicKeys, kind, what+redact(token)).KeyID = keyID(token)
}

// knownKey returns the key with a token or an id, unless it is revoked. name is the name of the input.
func (s *Server) knownKey(name, token string) (*keyState, error) {
	for _, key := range s.keys {
		if key.revoked.IsZero() && key.is(token) {
			return key, nil
		}
	}
	return nil, inputError{name, "the server knows no such key"}
}

// SetQuota sets the remaining requests of a class in a key's current window, from
// 0 to the limit. A number beyond them means the nearest one. SetQuota opens the window if
// it is not open. It panics on an unknown key and on an unknown class.
func (s *Server) SetQuota(token string, class Class, remaining int) {
	remaining = min(max(remaining, 0), s.config.limit(class))
	s.mustWithLock("SetQuota", func(c *control) error { return c.setQuota(changedQuota{token, class, &remaining}) })
}

type changedQuota struct {
	Key       string `json:"key"`
	Class     Class  `json:"class"`
	Remaining *int   `json:"remaining"`
}

func (c *control) setQuota(in changedQuota) error {
	key, err := c.knownKey("key", in.Key)
	limit := c.config.limit(in.Class)
	switch {
	case in.Class != ClassRead && in.Class != ClassWrite:
		return inputError{"class", fmt.Sprintf("must be read or write, not %q", string(in.Class))}
	case err != nil:
		return err
	case in.Remaining == nil || *in.Remaining < 0 || *in.Remaining > limit:
		return inputError{"remaining", fmt.Sprintf("must be from 0 to %d", limit)}
	}
	w := key.window(in.Class)
	w.open(c.now, limit)
	w.remaining = *in.Remaining
	c.keyChanged(quotaSet, fmt.Sprintf("%d %ss for ", w.remaining, in.Class), key.Token)
	return nil
}

// SetPlan sets how many invitations the organization of a live key has used in
// the current period, and its limit. A limit below zero is not enforced: the account's
// limits_enforced is then false, and assessments_limit stays. A period is a month in UTC and
// begins with none used.
//
// SetPlan panics on an unknown key, on a test key, whose account never changes,
// and on a negative number of used invitations.
func (s *Server) SetPlan(token string, used, limit int) {
	s.mustWithLock("SetPlan", func(c *control) error { return c.setPlan(changedPlan{token, &used, &limit}) })
}

type changedPlan struct {
	Key   string `json:"key"`
	Used  *int   `json:"used"`
	Limit *int   `json:"limit"`
}

func (c *control) setPlan(in changedPlan) error {
	key, err := c.knownKey("key", in.Key)
	switch {
	case err != nil:
		return err
	case !key.live():
		return inputError{"key", "the account of test mode never changes: give a key that begins with " + livePrefix}
	case in.Used == nil || *in.Used < 0:
		return inputError{"used", "must be a number from 0"}
	case in.Limit == nil:
		return inputError{"limit", "is required: below zero, the limit is not enforced"}
	}
	c.live.Organization(key.Organization, c.now).SetPlan(*in.Used, *in.Limit)
	c.changed(topicKeys, "Plan set", fmt.Sprintf("%d of %d invitations used", *in.Used, *in.Limit))
	return nil
}

// SetArchives sets whether archive storage is available. It is available at
// first. While it is not, workspace_archive_url is null, and earlier links return
// 503.
func (s *Server) SetArchives(available bool) {
	s.mustWithLock("SetArchives", func(c *control) error {
		c.settings.Archives = available
		c.set(c.settings)
		return nil
	})
}

// Inject adds a fault for later requests. It panics on a fault that does nothing or
// contradicts itself, and when no operation has its route. At the end of the test, [Start] reports a fault
// that never fired as a failure of the test. A fault that fired fewer than Times
// times is no failure.
func (s *Server) Inject(f Fault) {
	s.mustWithLock("Inject", func(c *control) error {
		_, err := c.inject(f)
		return err
	})
}

func (c *control) inject(f Fault) (id int, err error) {
	added, err := newFault(f, c.routes)
	if err != nil {
		return 0, err
	}
	id = c.faults.add(added)
	c.changed(topicFaults, "Injected fault", strconv.Itoa(id)).Fault = &f
	return id, nil
}

// ClearFaults removes all faults. [Start] then no longer expects them to fire. A
// request that a fault is delaying stays delayed.
func (s *Server) ClearFaults() {
	s.mustWithLock("ClearFaults", func(c *control) error { return c.clearFaults(clearedFaults{}) })
}

type clearedFaults struct {
	scope

	ID *int `json:"id"`
}

func (c *control) clearFaults(in clearedFaults) error {
	selected, err := c.scope(in.scope)
	switch {
	case err != nil:
		return err
	case in.ID != nil && in.Key != "":
		return inputError{"id", "give an id or a key, not both"}
	}
	removed := c.faults.end(func(f *injectedFault) bool { return selected.has(keyID(f.Key)) && (in.ID == nil || f.id == *in.ID) })
	if in.ID != nil && removed == 0 {
		return world.ErrUnknown
	}
	c.changed(topicFaults, "Faults removed", strconv.Itoa(removed))
	return nil
}

// Advance moves the server's clock forward. It does not shorten the waits of a
// client. It panics on a negative duration.
func (s *Server) Advance(d time.Duration) {
	s.mustWithLock(fmt.Sprintf("Advance(%s)", d), func(c *control) error { return c.advance(d) })
}

var errBack = errors.New("the clock does not go back")

func (c *control) advance(by time.Duration) error {
	switch {
	case by < 0:
		return errBack
	case by > math.MaxInt64-c.ahead():
		return errors.New("the clock does not go that far")
	}
	events := len(c.upcoming(c.now.Add(by)))
	c.advanced.Add(int64(by))
	c.now = c.now.Add(by)
	c.changed(topicClock, clockMoved, strconv.FormatFloat(by.Seconds(), 'f', -1, 64)).Events = events
	return nil
}

// scope selects the part of a server that one test suite uses: a key, or everything.
type scope struct {
	Key string `json:"key"` // A token or an id.
}

// selection is a scope whose key exists.
type selection struct {
	all          bool
	keyID        string
	organization string
}

// scope returns the selection of a scope.
func (c *control) scope(of scope) (selection, error) {
	if of.Key == "" {
		return selection{all: true}, nil
	}
	key, err := c.knownKey("key", of.Key)
	if err != nil {
		return selection{}, err
	}
	return selection{keyID: keyID(key.Token), organization: key.Organization}, nil
}

// includes reports whether the data of an organization is selected.
func (w selection) includes(organization string) bool { return w.all || w.organization == organization }

// has reports whether the exchanges and faults of the key with an id are selected.
func (w selection) has(keyID string) bool { return w.all || keyID == w.keyID }

func (c *control) clearJournal(of scope) error {
	selected, err := c.scope(of)
	if err != nil {
		return err
	}
	c.journal.actions = slices.DeleteFunc(c.journal.actions, func(action) bool { return selected.all })
	c.removeExchanges(func(e *exchange) bool { return selected.has(e.KeyID) })
	c.recordAction("Journal cleared", "", "")
	return nil
}

func (c *control) removeExchanges(selected func(*exchange) bool) {
	c.journal.exchanges = slices.DeleteFunc(c.journal.exchanges, selected)
	c.notify(topicJournal)
}

// reset restores the state after New, or the data of a key's organization with its faults,
// exchanges and rate limits. The clock and the settings belong to everybody. Requests in
// progress are not affected.
func (c *control) reset(of scope) error {
	selected, err := c.scope(of)
	if err != nil {
		return err
	}
	if selected.all {
		c.state = c.initialState()
		c.advanced.Store(0)
		c.now = c.Server.now()
		c.changed(topicReset, "Reset", "")
		return nil
	}
	mine := func(token string) bool {
		key := c.keys[token]
		return key != nil && key.Organization == selected.organization
	}
	c.removeExchanges(func(e *exchange) bool { return e.Organization != nil && *e.Organization == selected.organization })
	c.faults.end(func(f *injectedFault) bool { return mine(f.Key) })
	c.live.Remove(selected.organization)
	for token, key := range c.keys {
		if mine(token) {
			key.read, key.write = window{}, window{}
		}
	}
	c.changed(topicReset, "Reset", selected.organization)
	return nil
}
