package sandbox

import (
	"errors"
	"fmt"
	"math"
	"slices"
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

// run executes an operation on the resource with an id.
func (s *Server) run(id string, do func(*control) error) error {
	now, unlock := s.lock()
	defer unlock()
	return do(&control{s, now, canonicalID(id)})
}

// must executes an operation that panics on an error.
func (s *Server) must(method string, do func(*control) error) { must(method, s.run("", do)) }

// AddKey makes the server accept a key, or replaces the key with the same token
// and restarts its rate limits. It panics on a malformed token, on an unknown scope, and
// when the organization has 20 active keys. LiveKey counts as a key of the organization
// without a name. Expired keys, revoked keys and test keys without an organization do not
// count.
func (s *Server) AddKey(k Key) {
	s.must("AddKey", func(c *control) error { return c.addKey(k) })
}

func (c *control) addKey(k Key) error {
	c.notify("keys")
	return c.keys.add(k, c.now)
}

// RevokeKey makes the server reject a key from the next request on. An unknown
// token changes nothing.
func (s *Server) RevokeKey(token string) {
	_ = s.run("", func(c *control) error { return c.revokeKey(keyToken{token}) })
}

type keyToken struct {
	Token string `json:"token"` // Or an id.
}

func (c *control) revokeKey(in keyToken) error {
	key, err := c.knownKey("token", in.Token)
	if err != nil {
		return err
	}
	delete(c.keys, key.Token)
	c.revoked = append(c.revoked[max(0, len(c.revoked)-maxRevoked+1):], key.Key)
	c.notify("keys")
	return nil
}

// knownKey returns the key with a token or an id. name is the name of the input.
func (s *Server) knownKey(name, token string) (*keyState, error) {
	if key := s.keys[token]; key != nil {
		return key, nil
	}
	for _, key := range s.keys {
		if keyID(key.Token) == token {
			return key, nil
		}
	}
	return nil, inputError{name, "the server knows no such key"}
}

// SetQuota sets the remaining requests of a class in a key's current window, from
// 0 to the limit. A number beyond them means the nearest one. SetQuota opens the window if
// it is not open. It panics on an unknown key and on an unknown class.
func (s *Server) SetQuota(token string, class Class, remaining int) {
	s.must("SetQuota", func(c *control) error {
		return c.setQuota(changedQuota{token, class, min(max(remaining, 0), c.settings.limit(class))})
	})
}

type changedQuota struct {
	Key       string `json:"key"`
	Class     Class  `json:"class"`
	Remaining int    `json:"remaining" required:"true"`
}

func (c *control) setQuota(in changedQuota) error {
	if in.Class != ClassRead && in.Class != ClassWrite {
		return inputError{"class", fmt.Sprintf("must be read or write, not %q", string(in.Class))}
	}
	key, err := c.knownKey("key", in.Key)
	if err != nil {
		return err
	}
	limit, w := c.settings.limit(in.Class), key.window(in.Class)
	if in.Remaining < 0 || in.Remaining > limit {
		return inputError{"remaining", fmt.Sprintf("must be from 0 to %d", limit)}
	}
	w.open(c.now, limit)
	w.remaining = in.Remaining
	c.notify("keys")
	return nil
}

// SetPlan sets how many invitations the organization of a live key has used in
// the current period, and its limit. A period is a month in UTC and begins with
// none used.
//
// SetPlan panics on an unknown key, on a test key, whose account never changes,
// and on negative numbers.
func (s *Server) SetPlan(token string, used, limit int) {
	s.must("SetPlan", func(c *control) error { return c.setPlan(changedPlan{token, &used, &limit, nil}) })
}

// EnforceLimits makes the plan limit of a live key's organization stop invitations, as it
// does at first. It panics on the keys that SetPlan panics on.
func (s *Server) EnforceLimits(token string) {
	s.must("EnforceLimits", func(c *control) error { return c.setPlan(changedPlan{token, nil, nil, new(true)}) })
}

// IgnoreLimits makes limits_enforced of the plan of a live key's organization false:
// invitations beyond the limit are sent. It panics on the keys that SetPlan panics on.
func (s *Server) IgnoreLimits(token string) {
	s.must("IgnoreLimits", func(c *control) error { return c.setPlan(changedPlan{token, nil, nil, new(false)}) })
}

// changedPlan changes the members that are not nil.
type changedPlan struct {
	Key            string `json:"key"`
	Used           *int   `json:"used"`
	Limit          *int   `json:"limit"`
	LimitsEnforced *bool  `json:"limits_enforced"`
}

func (c *control) setPlan(in changedPlan) error {
	key, err := c.knownKey("key", in.Key)
	switch {
	case err != nil:
		return err
	case !key.live():
		return inputError{"key", "the account of test mode never changes: give a key that begins with " + livePrefix}
	case in.Used != nil && *in.Used < 0:
		return inputError{"used", "must not be negative"}
	case in.Limit != nil && *in.Limit < 0:
		return inputError{"limit", "must not be negative"}
	case in.Used == nil && in.Limit == nil && in.LimitsEnforced == nil:
		return inputError{"used", "give used, limit or limits_enforced"}
	}
	c.live.Organization(key.Organization, c.now).SetPlan(in.Used, in.Limit, in.LimitsEnforced)
	c.notify("keys")
	return nil
}

// SetArchives sets whether archive storage is available. It is available at
// first. While it is not, workspace_archive_url is null, and earlier links return
// 503.
func (s *Server) SetArchives(available bool) {
	s.change(func(c *settings) { c.ArchivesAvailable = available })
}

// StartDrift starts drift, see [WithDrift]. A reset restores the setting of the option.
func (s *Server) StartDrift(seed uint64) {
	s.change(func(c *settings) { c.Drift, c.DriftSeed = true, seed })
}

// StopDrift stops drift.
func (s *Server) StopDrift() { s.change(func(c *settings) { c.Drift = false }) }

// KeepDetails makes the journal keep details from now on, also after a reset. See
// [WithDetails].
func (s *Server) KeepDetails() {
	s.change(func(c *settings) {
		c.Details = true
		s.config.settings.Details = true
	})
}

// change changes the settings.
func (s *Server) change(do func(*settings)) {
	_ = s.run("", func(c *control) error { return c.set(do) })
}

func (c *control) set(do func(*settings)) error {
	do(&c.settings)
	c.live.SetTimeline(world.Timeline(c.settings.Timeline))
	c.notify("settings")
	return nil
}

// Throttle makes the server reject every request from every address for an hour, as
// after 100 failed authentications.
func (s *Server) Throttle() {
	s.must("Throttle", func(c *control) error { return c.setThrottled(throttled{true}) })
}

// EndThrottle ends the throttle of every address and forgets the failed authentications.
func (s *Server) EndThrottle() {
	s.must("EndThrottle", func(c *control) error { return c.setThrottled(throttled{false}) })
}

type throttled struct {
	Throttled bool `json:"throttled" required:"true"`
}

func (c *control) setThrottled(in throttled) error {
	c.throttle = nil
	if in.Throttled {
		c.throttle = throttle{allHosts: &failures{count: throttleLimit, reset: windowEnd(c.now)}}
	}
	c.notify("settings")
	return nil
}

// Inject adds a fault for later requests. It panics on a contradictory fault and
// when no operation has its route. At the end of the test, [Start] reports a fault
// that never fired as a failure of the test. A fault that fired fewer than Times
// times is no failure.
func (s *Server) Inject(f Fault) {
	s.must("Inject", func(c *control) error {
		_, err := c.inject(f)
		return err
	})
}

func (c *control) inject(f Fault) (id int, err error) {
	added, err := newFault(f, c.routes)
	if err != nil {
		return 0, err
	}
	c.notify("faults")
	return c.faults.add(added), nil
}

// ClearFaults removes all faults. [Start] then no longer expects them to fire. A
// request that a fault is delaying stays delayed.
func (s *Server) ClearFaults() {
	s.must("ClearFaults", func(c *control) error { return c.clearFaults(scope{}) })
}

func (c *control) clearFaults(of scope) error {
	selected, err := c.scope(of)
	if err != nil {
		return err
	}
	c.removeFaults(func(f *injectedFault) bool { return selected.fault(c.keys, &f.Fault) })
	return nil
}

// removeFaults removes the active faults that selected selects, and returns their number.
func (c *control) removeFaults(selected func(*injectedFault) bool) int {
	c.notify("faults")
	return c.faults.end(func(f *injectedFault) bool {
		f.removed = f.removed || selected(f)
		return f.removed
	})
}

// Advance moves the server's clock forward. It also shortens the waits for the
// lookups of Ensure and SendAll, for clients of [Server.URL] in this process. Every
// other wait of a client takes as long as before. Advance panics on a negative
// duration.
func (s *Server) Advance(d time.Duration) {
	s.must(fmt.Sprintf("Advance(%s)", d), func(c *control) error { return c.advance(seconds{&d}) })
}

func (c *control) advance(by seconds) error {
	switch {
	case *by.Duration < 0:
		return errors.New("the clock does not go back")
	case *by.Duration > math.MaxInt64-c.clock.Ahead():
		return errors.New("the clock does not go that far")
	}
	c.clock.Advance(*by.Duration)
	c.now = c.now.Add(*by.Duration)
	c.processDue(c.now)
	c.notify("clock")
	return nil
}

// scope selects the part of a server that one test suite uses: an organization, a key, or
// everything.
type scope struct {
	Organization *string `json:"organization"`
	Key          string  `json:"key"` // A token or an id.
}

// selection is a scope whose key and organization exist.
type selection struct {
	all          bool
	token        string // Empty: every key of the organization.
	organization string
}

// scope returns the selection of a scope.
func (c *control) scope(of scope) (selection, error) {
	switch {
	case of.Key != "" && of.Organization != nil:
		return selection{}, inputError{"key", "give an organization or a key, not both"}
	case of.Key != "":
		key, err := c.knownKey("key", of.Key)
		if err != nil {
			return selection{}, err
		}
		return selection{token: key.Token, organization: key.Organization}, nil
	case of.Organization != nil:
		return selection{organization: *of.Organization}, c.checkOrganization(*of.Organization)
	}
	return selection{all: true}, nil
}

// checkOrganization returns an error for an organization that has no key and no data.
func (s *Server) checkOrganization(name string) error {
	if name == "" || slices.Contains(s.live.Names(), name) {
		return nil
	}
	for _, key := range s.keys {
		if key.Organization == name {
			return nil
		}
	}
	return inputError{"organization", fmt.Sprintf("there is no organization %q: add a key of it first", name)}
}

func (w selection) includes(organization string) bool { return w.all || w.organization == organization }

func (w selection) record(e *record) bool {
	if w.all || w.token != "" {
		return w.all || e.Key == w.token
	}
	return e.organization != nil && *e.organization == w.organization
}

func (w selection) fault(keys keyring, f *Fault) bool {
	if w.all || w.token != "" {
		return w.all || f.Key == w.token
	}
	key := keys[f.Key]
	return f.Key == "" && f.Organization == w.organization && w.organization != "" || key != nil && key.Organization == w.organization
}

func (c *control) clearJournal(of scope) error {
	selected, err := c.scope(of)
	if err == nil {
		c.forgetRecords(selected)
	}
	return err
}

func (c *control) forgetRecords(selected selection) {
	for e := range c.journal.all() {
		if selected.record(e) {
			c.journal.forget(e)
		}
	}
	c.notify("journal")
}

// reset restores the state after New, or the part of it that a test suite uses. The clock
// and the settings belong to everybody. Requests in progress are not affected.
func (c *control) reset(of scope) error {
	selected, err := c.scope(of)
	if err != nil {
		return err
	}
	if selected.all {
		c.state = c.initialState(c.now)
		c.clock.Advance(-c.clock.Ahead())
		c.notify(topicReset)
		return nil
	}
	selected.token = "" // All keys of the organization see the same data.
	c.forgetRecords(selected)
	c.removeFaults(func(f *injectedFault) bool { return selected.fault(c.keys, &f.Fault) })
	c.live.Remove(selected.organization)
	for _, key := range c.keys {
		if key.Organization == selected.organization {
			key.read, key.write = window{}, window{}
		}
	}
	c.notify("keys", "candidates")
	return nil
}

// Journal returns a copy of the journal. It holds the exchanges of every
// transport within the limits, those without a response included. Requests to the
// control API are not in it.
func (s *Server) Journal() Journal {
	_, unlock := s.lock()
	defer unlock()
	redactor := s.redactor()
	entries := make(Journal, 0, s.journal.next-s.journal.first)
	for e := range s.journal.all() {
		entries = append(entries, e.redacted(redactor))
	}
	return entries
}

// ClearJournal empties the journal and changes nothing else. Numbers of exchanges
// continue.
func (s *Server) ClearJournal() {
	s.must("ClearJournal", func(c *control) error { return c.clearJournal(scope{}) })
}
