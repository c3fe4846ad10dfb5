package sandbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/backstage"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// stage is a server as its page sees it.
type stage struct{ s *Server }

func init() { backstage.Door = func(server any) any { return stage{server.(*Server)} } }

// at takes the lock, with the world as it is now.
func (b stage) at() (now time.Time, unlock func()) {
	now = b.s.now()
	b.s.mu.Lock()
	b.s.catchUp(now)
	return now, b.s.mu.Unlock
}

// Watch makes the server keep details from now on, and tells who may use its page.
func (b stage) Watch() (anyHost bool) {
	b.s.detailed.Store(true)
	return b.s.anyHost
}

// News is closed at the next change.
func (b stage) News() <-chan struct{} {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	if b.s.news == nil {
		b.s.news = make(chan struct{})
	}
	return b.s.news
}

// Page returns the newest exchanges that keep says yes to, with numbers below
// before unless that is 0, newest first, and whether there are more. What has
// lost its details has its number alone.
func (b stage) Page(before, size int, keep func(Entry) bool) (page []Entry, more bool) {
	_, unlock := b.at()
	defer unlock()
	j, hide := &b.s.journal, b.s.keys.hide(b.s.revoked)
	at := j.next
	if before > 0 {
		at = min(at, before-1)
	}
	for ; at > j.first; at-- {
		e := *j.ring[(at-1)%JournalEntries]
		if e.Detail == nil {
			e.Detail = &Detail{Number: at, Ended: true}
		}
		raw := e
		if e.Key = redact(e.Key); !keep(e) {
			continue
		}
		if len(page) == size {
			return page, true
		}
		page = append(page, raw.hidden(hide))
	}
	return page, false
}

// Each tells all exchanges, oldest first.
func (b stage) Each(tell func(at time.Time, class Class, status int, d *Detail)) {
	_, unlock := b.at()
	defer unlock()
	for at := b.s.journal.first; at < b.s.journal.next; at++ {
		e := b.s.journal.ring[at%JournalEntries]
		tell(e.At, classOf(e.Method), e.Status, e.Detail)
	}
}

// World lets look at the live world, and change it.
func (b stage) World(look func(l *world.Live, now time.Time)) {
	now, unlock := b.at()
	defer unlock()
	for _, key := range b.s.keys {
		if key.live() {
			b.s.live.Organization(key.Organization, now)
		}
	}
	for _, name := range b.s.live.Names() {
		b.s.live.Organization(name, now)
	}
	look(&b.s.live, now)
}

// AddAssessment makes one for an organization.
func (b stage) AddAssessment(organization, name, challengeID string) (id string, err error) {
	if name == "" {
		return "", errors.New("the name is empty")
	}
	b.World(func(l *world.Live, now time.Time) {
		if !slices.Contains(l.Names(), organization) {
			err = errors.New("there is no such organization")
			return
		}
		id = l.Organization(organization, now).AddAssessment(name, challengeID)
		b.s.notify()
	})
	return id, err
}

// Report is a submission's report as the service shows it now; nil for none. The
// lock is held: it is for World alone.
func (stage) Report(a *world.Attempt) []byte { return appendReport(nil, a) }

// Keys are those that the server accepts, live ones first.
func (b stage) Keys() []backstage.Key {
	now, unlock := b.at()
	defer unlock()
	var all []backstage.Key
	for _, token := range slices.Sorted(maps.Keys(b.s.keys)) {
		k := b.s.keys[token]
		all = append(all, backstage.Key{
			ID: keyID(token), Redacted: redact(token), Scope: string(k.Scope), Live: k.live(), Organization: k.Organization,
			Expires: k.Expires, Read: b.quota(k, ClassRead, now), Write: b.quota(k, ClassWrite, now),
		})
	}
	slices.SortStableFunc(all, func(x, y backstage.Key) int { return cmp.Compare(boolInt(y.Live), boolInt(x.Live)) })
	return all
}

func (b stage) quota(k *keyState, c Class, now time.Time) backstage.Quota {
	w, limit := *k.window(c), b.s.limits.of(c)
	if !now.Before(w.reset) {
		return backstage.Quota{Limit: limit, Remaining: limit}
	}
	return backstage.Quota{Limit: limit, Remaining: w.remaining, Reset: w.reset, Opened: true}
}

func keyID(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:8])
}

// Token finds a key by what stands for it.
func (b stage) Token(id string) (token string, ok bool) {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	for token := range b.s.keys {
		if keyID(token) == id {
			return token, true
		}
	}
	return "", false
}

// Inject is that of Server, for faults that make no sense too.
func (b stage) Inject(f Fault) error { return b.s.inject(f) }

// Faults tells what is still to go wrong: Skip and Times are what is left of
// them.
func (b stage) Faults(tell func(id int, f Fault, fired bool)) {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	for _, f := range b.s.faults {
		rest := f.Fault
		if rest.Skip = f.skip; rest.Times >= 0 {
			rest.Times = f.left
		}
		tell(f.id, rest, f.fired)
	}
}

// ClearFault takes one fault back.
func (b stage) ClearFault(id int) {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	b.s.faults = slices.DeleteFunc(b.s.faults, func(f *fault) bool { return f.id == id })
	b.s.notify()
}

// Reset makes the server what New made it.
func (b stage) Reset() { b.s.reset() }

// What tests do without an error, because only their author could put it right.

// Advance is [Server.Advance].
func (b stage) Advance(d time.Duration) error { return b.s.advance(d) }

// SetQuota is [Server.SetQuota].
func (b stage) SetQuota(token string, class Class, remaining int) error {
	return b.s.setQuota(token, class, remaining)
}

// SetPlan is [Server.SetPlan].
func (b stage) SetPlan(token string, used, limit int) error { return b.s.setPlan(token, used, limit) }

// State is what goes wrong for all keys alike.
func (b stage) State() backstage.State {
	now, unlock := b.at()
	defer unlock()
	state := backstage.State{Now: now, Archives: !b.s.storage.gone, Drift: b.s.drift != nil}
	for _, f := range b.s.throttle {
		if f.count >= throttleLimit && now.Before(f.until) && f.until.After(state.ThrottledUntil) {
			state.ThrottledUntil = f.until
		}
	}
	if state.Drift {
		state.Seed = b.s.drift.seed
	}
	for _, c := range b.s.late {
		state.Late = append(state.Late, c.at)
	}
	return state
}
