package sandbox

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

type settingsJSON struct {
	settings

	Now            world.Moment   `json:"now"`
	ThrottledUntil *world.Moment  `json:"throttled_until"`
	AnyHost        bool           `json:"any_host"`
	Dialect        hiring.Dialect `json:"dialect"`
}

func (c *control) readSettings(_ none) (settingsJSON, error) {
	return settingsJSON{c.settings, world.MomentOf(c.now), c.throttle.until(c.now), c.config.anyHost, c.config.dialect}, nil
}

// changeSettings decodes the input into the current settings.
func (c *control) changeSettings(in jsontext.Value) (out settingsJSON, err error) {
	changed := c.settings
	if err := decodeControl(in, &changed); err != nil {
		return out, err
	}
	if err := changed.check(); err != nil {
		return out, err
	}
	_ = c.set(func(to *settings) { *to = changed })
	return c.readSettings(none{})
}

type driftInput struct {
	On   bool   `json:"on" required:"true"`
	Seed uint64 `json:"seed"`
}

func (c *control) setDrift(in driftInput) error {
	return c.set(func(to *settings) { to.Drift, to.DriftSeed = in.On, in.Seed })
}

func (c *control) setArchives(in available) error {
	return c.set(func(to *settings) { to.ArchivesAvailable = in.Available })
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

func (c *control) readFaults(in struct {
	scope

	State string `json:"state"`
}) (shown []faultJSON, err error) {
	selected, err := c.scope(in.scope)
	if err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"", faultWaiting, faultActive, faultDone, faultRemoved}, in.State) {
		return nil, inputError{"state", "must be waiting, active, done or removed"}
	}
	for _, f := range append(slices.Clone(c.faults.active), c.faults.ended...) {
		if one := f.json(); selected.fault(c.keys, &f.Fault) && (in.State == "" || in.State == one.State) {
			shown = append(shown, one)
		}
	}
	slices.SortFunc(shown, func(a, b faultJSON) int { return a.ID - b.ID })
	return shown, nil
}

// postFault injects a fault whose key and organization exist. In Go, a fault may be
// injected before its key is added.
func (c *control) postFault(f Fault) (id int, err error) {
	if f.Key != "" {
		key, err := c.knownKey("key", f.Key)
		if err != nil {
			return 0, err
		}
		f.Key = key.Token
	}
	if err := c.checkOrganization(f.Organization); err != nil {
		return 0, err
	}
	return c.inject(f)
}

func (c *control) removeFault(none) error {
	if c.removeFaults(func(f *injectedFault) bool { return strconv.Itoa(f.id) == c.id }) == 0 {
		return world.ErrUnknown
	}
	return nil
}

type routeJSON struct {
	Name  string `json:"name"`
	Route string `json:"route"`
	Scope Scope  `json:"scope"`
}

func (c *control) readRoutes(none) (out struct {
	Routes []routeJSON              `json:"routes"`
	Codes  map[hiring.ErrorCode]int `json:"codes"`
}, err error) {
	for _, r := range append(slices.Clip(c.routes), archiveRoute) {
		out.Routes = append(out.Routes, routeJSON{r.name, r.method + " " + r.template, r.scope})
	}
	out.Codes = statusByCode
	return out, nil
}

// keyJSON is a key in the control API. Keys of a fake are no secrets, unless the server
// never accepted them.
type keyJSON struct {
	ID           string        `json:"id"`
	Token        *string       `json:"token"` // Null for a key that the server never accepted.
	Key          string        `json:"key"`   // As the journal shows it.
	Name         string        `json:"name"`  // LiveKey and so on, or empty.
	State        string        `json:"state"`
	Live         bool          `json:"live"`
	Scope        Scope         `json:"scope"`
	Organization string        `json:"organization"`
	Expires      *world.Moment `json:"expires"`
	Requests     int           `json:"requests"` // In the journal.
	Read         *quotaJSON    `json:"read"`
	Write        *quotaJSON    `json:"write"`
	Plan         *planJSON     `json:"plan"`
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

func newPlanJSON(o *world.Organization) *planJSON {
	account := &o.Account().Value
	return &planJSON{account.Usage.AssessmentsUsed, account.Usage.AssessmentsLimit, account.Plan.LimitsEnforced, account.Usage.PeriodStart}
}

func newKeyJSON(k Key, state string) keyJSON {
	out := keyJSON{
		ID: keyID(k.Token), Token: &k.Token, Key: redact(k.Token), State: state, Scope: k.Scope, Organization: k.Organization, Live: (&keyState{Key: k}).live(),
	}
	for name, value := range magicValues {
		if value == k.Token {
			out.Name = name
		}
	}
	if !k.Expires.IsZero() {
		out.Expires = new(world.MomentOf(k.Expires))
	}
	return out
}

func (c *control) readKeys(none) (all []keyJSON, err error) {
	requests := make(map[string]int)
	for e := range c.journal.all() {
		requests[e.Key]++
	}
	add := func(k keyJSON, token string) {
		k.Requests = requests[token]
		delete(requests, token)
		all = append(all, k)
	}
	for _, token := range slices.Sorted(maps.Keys(c.keys)) {
		k := c.keys[token]
		shown := newKeyJSON(k.Key, "valid")
		if !k.valid(c.now) {
			shown.State = "expired"
		}
		shown.Read, shown.Write = c.quotaOf(k, ClassRead), c.quotaOf(k, ClassWrite)
		if k.live() {
			shown.Plan = newPlanJSON(c.live.Organization(k.Organization, c.now))
		}
		add(shown, token)
	}
	for _, k := range c.revoked {
		if c.keys[k.Token] == nil {
			add(newKeyJSON(k, "revoked"), k.Token)
		}
	}
	for _, token := range slices.Sorted(maps.Keys(requests)) {
		if token != "" {
			shown := newKeyJSON(Key{Token: token}, "unknown")
			shown.Token = nil
			add(shown, token)
		}
	}
	return all, nil
}

// quotaOf returns the rate limit of a key without counting a request.
func (c *control) quotaOf(k *keyState, class Class) *quotaJSON {
	w, limit := *k.window(class), c.settings.limit(class)
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
	out = clockJSON{Now: world.MomentOf(c.now), Ahead: c.clock.Ahead(), Until: world.MomentOf(c.now.Add(ahead)), Upcoming: c.upcoming(c.now.Add(ahead))}
	out.More = max(len(out.Upcoming)-maxUpcoming, 0)
	out.Upcoming = out.Upcoming[:min(len(out.Upcoming), maxUpcoming)]
	return out, nil
}

// upcoming returns the changes until a time, in order. Besides the kinds of candidates
// there are late, reads, writes, key, throttle and period. The subject is then the id of
// the key, or the organization.
func (c *control) upcoming(until time.Time) (all []world.Upcoming) {
	add := func(at time.Time, kind, subject string) {
		if at.After(c.now) && !at.After(until) {
			all = append(all, world.Upcoming{At: world.MomentOf(at), Kind: kind, Subject: subject})
		}
	}
	if end := c.throttle.until(c.now); end != nil {
		add(end.Time(), "throttle", "")
	}
	for _, late := range c.lateCalls {
		add(late.at, "late", "")
	}
	for _, token := range slices.Sorted(maps.Keys(c.keys)) {
		key := c.keys[token]
		add(key.Expires, "key", keyID(token))
		add(key.read.reset, "reads", keyID(token))
		add(key.write.reset, "writes", keyID(token))
	}
	for _, name := range c.live.Names() {
		o := c.live.Organization(name, c.now)
		all = append(all, o.Upcoming(world.MomentOf(until))...)
		day := c.now.UTC()
		add(time.Date(day.Year(), day.Month()+1, 1, 0, 0, 0, 0, time.UTC), "period", name)
	}
	slices.SortStableFunc(all, func(a, b world.Upcoming) int { return cmp.Compare(a.At, b.At) })
	return all
}

func (c *control) setClock(in clockInput) (out struct {
	Now   world.Moment  `json:"now"`
	Ahead time.Duration `json:"ahead"`
}, err error) {
	by, err := in.from(c.now, -1)
	if err == nil {
		err = c.advance(seconds{&by})
	}
	out.Now, out.Ahead = world.MomentOf(c.now), c.clock.Ahead()
	return out, err
}
