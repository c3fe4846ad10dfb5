package sandbox

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func (c *control) readSettings(none) (settings, error) { return c.settings, nil }

// changeSettings decodes the input into the current settings.
func (c *control) changeSettings(in jsontext.Value) (settings, error) {
	changed := c.settings
	if err := cmp.Or(decodeControl(in, &changed), changed.check()); err != nil {
		return changed, err
	}
	c.set(changed)
	return changed, nil
}

func (c *control) set(to settings) {
	c.settings = to
	c.live.SetTimeline(to.Timeline.world())
	c.changed(topicSettings, "API behaviour changed", "")
}

// faultJSON is an injected fault and its state.
type faultJSON struct {
	ID        int       `json:"id"`
	Waiting   bool      `json:"waiting"` // For further requests.
	Fired     int       `json:"fired"`
	Last      time.Time `json:"last,omitzero"` // When it fired last.
	TimesLeft int       `json:"times_left"`    // Negative: all requests.
	Fault     Fault     `json:"fault"`
}

func (c *control) readFaults(of scope) (shown []faultJSON, err error) {
	selected, err := c.scope(of)
	add := func(f *injectedFault, waiting bool) {
		if selected.has(keyID(f.Key)) {
			shown = append(shown, faultJSON{f.id, waiting, f.fired, f.last, f.remaining, f.Fault})
		}
	}
	for _, f := range c.faults.active {
		add(f, true)
	}
	for _, f := range slices.Backward(c.faults.ended) {
		add(f, false)
	}
	return shown, err
}

// postFault injects a fault whose key exists. In Go, a fault may be injected before its key is
// added.
func (c *control) postFault(f Fault) (id int, err error) {
	if f.Key != "" {
		key, err := c.knownKey("key", f.Key)
		if err != nil {
			return 0, err
		}
		f.Key = key.Token
	}
	return c.inject(f)
}

// keyJSON is a key in the control API. Keys of a fake are no secrets.
type keyJSON struct {
	Key

	Organization string    `json:"organization"`
	ID           string    `json:"id"`
	State        string    `json:"state"` // Valid, expired or revoked.
	Revoked      time.Time `json:"revoked,omitzero"`
	Live         bool      `json:"live"`
	Read         quotaJSON `json:"read"`
	Write        quotaJSON `json:"write"`
	Plan         *planJSON `json:"plan,omitzero"` // Of a live key.
}

// quotaJSON is a rate limit as response headers would show it.
type quotaJSON struct {
	Limit     int           `json:"limit"`
	Remaining int           `json:"remaining"`
	Reset     *world.Moment `json:"reset"` // Null: the window has not begun.
}

type planJSON struct {
	Used           int          `json:"used"`
	Limit          int          `json:"limit"`
	LimitsEnforced bool         `json:"limits_enforced"`
	PeriodStart    world.Moment `json:"period_start"`
}

func (c *control) readKeys(none) (all []keyJSON, err error) {
	for _, token := range slices.Sorted(maps.Keys(c.keys)) {
		k := c.keys[token]
		shown := keyJSON{Key: k.Key, Organization: k.Organization, ID: keyID(token), State: "valid", Live: k.live(), Revoked: k.revoked}
		switch {
		case !k.revoked.IsZero():
			shown.State = "revoked"
		case !k.valid(c.now):
			shown.State = "expired"
		}
		shown.Read, shown.Write = c.newQuotaJSON(k, ClassRead), c.newQuotaJSON(k, ClassWrite)
		if k.live() {
			account := &c.live.Organization(k.Organization, c.now).Account.Value
			shown.Plan = &planJSON{account.Usage.AssessmentsUsed, account.Usage.AssessmentsLimit, account.Plan.LimitsEnforced, account.Usage.PeriodStart}
		}
		all = append(all, shown)
	}
	return all, nil
}

func (c *control) newQuotaJSON(k *keyState, class Class) quotaJSON {
	q := c.quotaOf(k, class, c.now)
	shown := quotaJSON{Limit: q.limit, Remaining: q.remaining}
	if c.now.Before(k.window(class).reset) {
		shown.Reset = new(world.MomentOf(q.reset))
	}
	return shown
}

type clockJSON struct {
	Now      world.Moment     `json:"now"`
	Ahead    time.Duration    `json:"ahead"` // How far Advance moved the clock.
	Until    world.Moment     `json:"until"`
	Upcoming []world.Upcoming `json:"upcoming"`
}

// clockInput is a time in the future, given by a duration or as such.
type clockInput struct {
	Duration *time.Duration `json:"seconds"`
	To       *time.Time     `json:"to"`
}

// from returns the duration from now. absent is the default; negative for none.
func (in clockInput) from(now time.Time, absent time.Duration) (time.Duration, error) {
	switch {
	case in.Duration != nil && in.To != nil:
		return 0, inputError{"to", "give seconds or to, not both"}
	case in.To != nil:
		return in.To.Sub(now), nil
	case in.Duration != nil:
		return *in.Duration, nil
	case absent < 0:
		return 0, inputError{"seconds", "give seconds or to"}
	}
	return absent, nil
}

// readClock also says what happens until then.
func (s *Server) readClock(_ string, in clockInput) (out clockJSON, err error) {
	err = s.withLock("", func(c *control) error {
		ahead, err := in.from(c.now, 0)
		if ahead < 0 {
			return errBack
		}
		until := c.now.Add(ahead)
		out = clockJSON{world.MomentOf(c.now), c.ahead(), world.MomentOf(until), c.upcoming(until)}
		return err
	})
	slices.SortStableFunc(out.Upcoming, func(a, b world.Upcoming) int {
		return cmp.Or(cmp.Compare(a.At, b.At), strings.Compare(a.Subject, b.Subject))
	})
	return out, err
}

// upcoming returns what happens until then: steps of candidates, late reports, invitations that expire, resets of plans,
// the expiry of keys (kind key, with the id of the key), and the ends of windows without requests (kind read or write).
func (c *control) upcoming(until time.Time) (all []world.Upcoming) {
	add := func(kind, token string, at time.Time) {
		if at.After(c.now) && !at.After(until) {
			all = append(all, world.Upcoming{At: world.MomentOf(at), Kind: kind, Subject: keyID(token)})
		}
	}
	for token, key := range c.keys {
		if !key.revoked.IsZero() {
			continue
		}
		add("key", token, key.Expires)
		for _, class := range []Class{ClassRead, ClassWrite} {
			if w := key.window(class); w.remaining == 0 {
				add(string(class), token, w.reset)
			}
		}
	}
	if until.After(c.now) {
		all = append(all, c.live.Upcoming(c.now, world.MomentOf(until))...)
	}
	return all
}

func (c *control) setClock(in clockInput) (map[string]any, error) {
	by, err := in.from(c.now, -1)
	if err == nil {
		err = c.advance(by)
	}
	return map[string]any{"now": world.MomentOf(c.now), "ahead": c.ahead()}, err
}
