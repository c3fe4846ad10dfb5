package sandbox

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func (c *control) readSettings(none) (settings, error) { return c.settings, nil }

// changeSettings decodes the input into the current settings.
func (c *control) changeSettings(in jsontext.Value) (settings, error) {
	changed := c.settings
	if err := decodeControl(in, &changed); err != nil {
		return changed, err
	}
	if err := changed.check(); err != nil {
		return changed, err
	}
	c.set(changed)
	return changed, nil
}

func (c *control) set(to settings) {
	c.settings = to
	c.live.SetTimeline(world.Timeline(to.Timeline))
	c.notify(topicSettings)
}

// faultJSON is an injected fault and its state.
type faultJSON struct {
	ID        int    `json:"id"`
	State     string `json:"state"`
	Fired     int    `json:"fired"`
	SkipLeft  int    `json:"skip_left"`
	TimesLeft int    `json:"times_left"` // Negative: all requests.
	Fault     Fault  `json:"fault"`
}

// The states of a fault.
const (
	faultWaiting = "waiting" // Has never fired.
	faultActive  = "active"  // Has fired and has requests left.
	faultDone    = "done"
	faultRemoved = "removed"
)

func (f *injectedFault) json() faultJSON {
	out := faultJSON{f.id, faultWaiting, f.fired, f.skip, f.remaining, f.Fault}
	switch {
	case f.removed:
		out.State = faultRemoved
	case f.remaining == 0:
		out.State = faultDone
	case f.fired > 0:
		out.State = faultActive
	}
	if f.Times < 0 {
		out.TimesLeft = -1
	}
	return out
}

func (c *control) readFaults(of scope) (shown []faultJSON, err error) {
	selected, err := c.scope(of)
	ended := slices.Clone(c.faults.ended)
	slices.Reverse(ended)
	for _, f := range slices.Concat(c.faults.active, ended) {
		if selected.has(keyID(f.Key)) {
			shown = append(shown, f.json())
		}
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

	Organization string     `json:"organization"`
	ID           string     `json:"id"`
	Name         string     `json:"name,omitzero"` // LiveKey and so on.
	State        string     `json:"state"`
	Live         bool       `json:"live"`
	Read         *quotaJSON `json:"read"`
	Write        *quotaJSON `json:"write"`
	Plan         *planJSON  `json:"plan,omitzero"` // Of a live key.
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
	names := map[string]string{TestKey: "TestKey", ReadOnlyKey: "ReadOnlyKey", WriteKey: "WriteKey", LiveKey: "LiveKey"}
	for _, token := range slices.Sorted(maps.Keys(c.keys)) {
		k := c.keys[token]
		shown := keyJSON{Key: k.Key, Organization: k.Organization, ID: keyID(token), Name: names[token], State: "valid", Live: k.live()}
		if !k.valid(c.now) {
			shown.State = "expired"
		}
		shown.Read, shown.Write = c.quotaOf(k, ClassRead), c.quotaOf(k, ClassWrite)
		if k.live() {
			account := &c.live.Organization(k.Organization, c.now).Account().Value
			shown.Plan = &planJSON{account.Usage.AssessmentsUsed, account.Usage.AssessmentsLimit, account.Plan.LimitsEnforced, account.Usage.PeriodStart}
		}
		all = append(all, shown)
	}
	return all, nil
}

// quotaOf returns the rate limit of a key without counting a request.
func (c *control) quotaOf(k *keyState, class Class) *quotaJSON {
	w, limit := *k.window(class), c.config.limit(class)
	if !c.now.Before(w.reset) {
		return &quotaJSON{Limit: limit, Remaining: limit}
	}
	return &quotaJSON{limit, w.remaining, new(world.MomentOf(w.reset))}
}

type clockJSON struct {
	Now      world.Moment     `json:"now"`
	Ahead    time.Duration    `json:"ahead"` // How far Advance moved the clock.
	Until    world.Moment     `json:"until"`
	Upcoming []world.Upcoming `json:"upcoming"`
	More     int              `json:"more"`
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
	case in.To != nil && in.To.Before(now):
		return 0, inputError{"to", "the clock does not go back"}
	case in.To != nil:
		return in.To.Sub(now), nil
	case in.Duration != nil && *in.Duration < 0:
		return 0, inputError{"seconds", "the clock does not go back"}
	case in.Duration != nil:
		return *in.Duration, nil
	case absent < 0:
		return 0, inputError{"seconds", "give seconds or to"}
	}
	return absent, nil
}

const maxUpcoming = 25

func (c *control) readClock(in clockInput) (out clockJSON, err error) {
	ahead, err := in.from(c.now, 24*time.Hour)
	if err != nil {
		return out, err
	}
	out = clockJSON{Now: world.MomentOf(c.now), Ahead: c.ahead(), Until: world.MomentOf(c.now.Add(ahead)), Upcoming: c.upcoming(c.now.Add(ahead))}
	out.More = max(len(out.Upcoming)-maxUpcoming, 0)
	out.Upcoming = out.Upcoming[:min(len(out.Upcoming), maxUpcoming)]
	return out, nil
}

// upcoming returns the changes until a time, in order: of candidates, and the expiry of keys
// (kind key, with the id of the key).
func (c *control) upcoming(until time.Time) (all []world.Upcoming) {
	for _, token := range slices.Sorted(maps.Keys(c.keys)) {
		if at := c.keys[token].Expires; at.After(c.now) && !at.After(until) {
			all = append(all, world.Upcoming{At: world.MomentOf(at), Kind: "key", Subject: keyID(token)})
		}
	}
	for _, name := range c.live.Names() {
		all = append(all, c.live.Organization(name, c.now).Upcoming(world.MomentOf(until))...)
	}
	slices.SortStableFunc(all, func(a, b world.Upcoming) int { return cmp.Compare(a.At, b.At) })
	return all
}

func (c *control) setClock(in clockInput) (out struct {
	Now   world.Moment  `json:"now"`
	Ahead time.Duration `json:"ahead"`
}, err error,
) {
	by, err := in.from(c.now, -1)
	if err == nil {
		err = c.advance(by)
	}
	out.Now, out.Ahead = world.MomentOf(c.now), c.ahead()
	return out, err
}
