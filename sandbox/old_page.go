package sandbox

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/oldpage"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// oldPage is what the page of package sandbox/console uses until it is a client of the
// control API.
type oldPage struct{ *Server }

func init() { oldpage.Of = func(server any) any { return oldPage{server.(*Server)} } }

// AnyHost reports whether other machines may use the control API.
func (s oldPage) AnyHost() bool { return s.config.anyHost }

// Changes returns a channel that is closed at the next change.
func (s oldPage) Changes() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changes.wake == nil {
		s.changes.wake = make(chan struct{})
	}
	return s.changes.wake
}

func (s oldPage) shown(e *record, redactor *strings.Replacer) (shown Entry) {
	if redactor == nil {
		shown = e.Entry
		shown.Key = redact(e.Key)
	} else {
		shown = e.redacted(redactor)
	}
	if shown.Detail == nil {
		shown.Detail = &Detail{Number: e.number, Ended: true}
	}
	return shown
}

// JournalPage returns the newest exchanges that keep accepts, newest first.
func (s oldPage) JournalPage(before, size int, keep func(Entry) bool) (page []Entry, more bool) {
	_, unlock := s.lock()
	defer unlock()
	at := s.journal.next
	if before > 0 {
		at = min(at, before-1)
	}
	for ; at > s.journal.first; at-- {
		e := s.journal.get(at)
		if e == nil || !keep(s.shown(e, nil)) {
			continue
		}
		if len(page) == size {
			return page, true
		}
		page = append(page, s.shown(e, s.redactor()))
	}
	return page, false
}

// VisitJournal calls visit with every exchange in the journal, oldest first.
func (s oldPage) VisitJournal(visit func(e Entry)) {
	_, unlock := s.lock()
	defer unlock()
	for e := range s.journal.all() {
		visit(s.shown(e, nil))
	}
}

// VisitLive calls visit with the live data, under the lock.
func (s oldPage) VisitLive(visit func(l *world.Live, now time.Time)) {
	_ = s.visitOrganizations(scope{}, func(string, *world.Organization) {})
	now, unlock := s.lock()
	defer unlock()
	visit(&s.live, now)
}

// ReportJSON returns a submission's report in JSON.
func (s oldPage) ReportJSON(a *world.Attempt) []byte { return appendReport(nil, a) }

// Keys returns the keys that the server accepts, live keys first.
func (s oldPage) Keys() []oldpage.KeyInfo {
	now, unlock := s.lock()
	defer unlock()
	var all []oldpage.KeyInfo
	for _, token := range slices.Sorted(maps.Keys(s.keys)) {
		k := s.keys[token]
		quota := func(c Class) oldpage.QuotaInfo {
			q := s.quotaOf(k, c, now)
			if q.Reset == nil {
				return oldpage.QuotaInfo{Limit: q.Limit, Remaining: q.Remaining}
			}
			return oldpage.QuotaInfo{Limit: q.Limit, Remaining: q.Remaining, Reset: q.Reset.Time(), Opened: true}
		}
		all = append(all, oldpage.KeyInfo{
			ID: keyID(token), Redacted: redact(token), Scope: string(k.Scope), Live: k.live(), Organization: k.Organization,
			Expires: k.Expires, Read: quota(ClassRead), Write: quota(ClassWrite),
		})
	}
	return all
}

// Token returns the token of the key with an id of KeyInfo.
func (s oldPage) Token(id string) (token string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for token := range s.keys {
		if keyID(token) == id {
			return token, true
		}
	}
	return "", false
}

// oldpage.Conditions returns the current conditions.
func (s oldPage) Conditions() oldpage.Conditions {
	now, unlock := s.lock()
	defer unlock()
	state := oldpage.Conditions{Now: now, ArchivesAvailable: s.settings.ArchivesAvailable, Drifting: s.settings.Drift, DriftSeed: s.settings.DriftSeed}
	if until := s.throttle.until(now); until != nil {
		state.ThrottledUntil = until.Time()
	}
	for _, c := range s.lateCalls {
		state.LateCalls = append(state.LateCalls, c.at)
	}
	return state
}

// VisitFaults calls visit with every fault that has requests left.
func (s oldPage) VisitFaults(visit func(id int, f Fault, skip, left int, fired bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults.active {
		shown := f.Fault
		shown.Key = redact(shown.Key)
		visit(f.id, shown, f.skip, f.remaining, f.fired > 0)
	}
}

// ClearFault removes one fault.
func (s oldPage) ClearFault(id int) {
	_, unlock := s.lock()
	defer unlock()
	s.removeFaults(func(f *injectedFault) bool { return f.id == id })
}

// The following methods return an error instead of panicking, or have more parameters.

func (s oldPage) AddKey(k Key) error          { return s.addKey(k) }
func (s oldPage) RevokeKey(token string) bool { return s.revokeKey(token) == nil }
func (s oldPage) SetQuota(token string, class Class, remaining int) error {
	limit := s.settings.limit(class)
	return s.setQuota(token, class, min(max(remaining, 0), limit))
}
func (s oldPage) SetPlan(token string, used, limit int) error {
	return s.setPlan(token, &used, &limit, nil)
}
func (s oldPage) Inject(f Fault) error {
	_, err := s.inject(f)
	return err
}
func (s oldPage) SetThrottled(throttled bool) { s.setThrottled(throttled) }
func (s oldPage) SetDrift(on bool, seed uint64) {
	s.change(func(c *settings) { c.Drift, c.DriftSeed = on, seed })
}
func (s oldPage) Advance(d time.Duration) error { return s.advance(d) }
func (s oldPage) Reset()                        { _ = s.reset(scope{}) }
func (s oldPage) AddAssessment(organization, name, challengeID string) (string, error) {
	return s.addAssessment(organization, name, challengeID)
}
func (s oldPage) RevokeInvitation(id string) error { return s.revokeInvitation(id) }
func (s oldPage) CloseAssessment(id string) error  { return s.closeAssessment(id) }
