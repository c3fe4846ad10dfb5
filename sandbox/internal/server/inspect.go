package server

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// The web page uses the methods of this file. Package sandbox does not export them.

// KeepDetails makes the journal keep details from now on.
func (s *Server) KeepDetails() { s.detailed.Store(true) }

// AnyHost reports whether other machines may use the control API.
func (s *Server) AnyHost() bool { return s.config.AnyHost }

// Changes returns a channel that is closed at the next change.
func (s *Server) Changes() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// notify closes the channel that Changes returned. The lock is held.
func (s *Server) notify() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// JournalPage returns the newest exchanges that keep accepts, newest first. more
// reports whether there are older ones. A positive before excludes exchanges with that number and
// above. An exchange that has lost its details has only its number.
func (s *Server) JournalPage(before, size int, keep func(Entry) bool) (page []Entry, more bool) {
	_, unlock := s.lock()
	defer unlock()
	j, redactor := &s.journal, s.keys.redactor(s.revoked)
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
		e.Key = redact(e.Key)
		if !keep(e) {
			continue
		}
		if len(page) == size {
			return page, true
		}
		page = append(page, raw.redacted(redactor))
	}
	return page, false
}

// VisitJournal calls visit with every exchange in the journal, oldest first, with its key
// redacted. An exchange that has lost its details has only its number.
func (s *Server) VisitJournal(visit func(e Entry)) {
	_, unlock := s.lock()
	defer unlock()
	for at := s.journal.first; at < s.journal.next; at++ {
		e := *s.journal.ring[at%JournalEntries]
		e.Key = redact(e.Key)
		if e.Detail == nil {
			e.Detail = &Detail{Number: at + 1, Ended: true}
		}
		visit(e)
	}
}

// VisitLive calls visit with the live data, under the lock. Every live key has an
// organization by then.
func (s *Server) VisitLive(visit func(l *world.Live, now time.Time)) {
	now, unlock := s.lock()
	defer unlock()
	for _, key := range s.keys {
		if key.live() {
			s.live.Organization(key.Organization, now)
		}
	}
	for _, name := range s.live.Names() {
		s.live.Organization(name, now)
	}
	visit(&s.live, now)
}

// ReportJSON returns a submission's report in JSON. Call it inside VisitLive.
func ReportJSON(a *world.Attempt) []byte { return appendReport(nil, a) }

// KeyInfo is a key that a server accepts, without its token.
type KeyInfo struct {
	ID           string // Replaces the token in forms.
	Redacted     string // The token, redacted as in the journal.
	Scope        string
	Live         bool
	Organization string
	Expires      time.Time // Zero: never.
	Read, Write  QuotaInfo
}

// QuotaInfo is a rate limit of a key as response headers would show it.
type QuotaInfo struct {
	Limit, Remaining int
	Reset            time.Time
	Opened           bool // Whether its window has begun.
}

// Keys returns the keys that the server accepts, live keys first.
func (s *Server) Keys() []KeyInfo {
	now, unlock := s.lock()
	defer unlock()
	var all []KeyInfo
	for _, token := range slices.Sorted(maps.Keys(s.keys)) {
		k := s.keys[token]
		all = append(all, KeyInfo{
			ID: keyID(token), Redacted: redact(token), Scope: string(k.Scope), Live: k.live(), Organization: k.Organization,
			Expires: k.Expires, Read: s.quotaInfo(k, ClassRead, now), Write: s.quotaInfo(k, ClassWrite, now),
		})
	}
	return all
}

func (s *Server) quotaInfo(k *keyState, c Class, now time.Time) QuotaInfo {
	w, limit := *k.window(c), s.config.limit(c)
	if !now.Before(w.reset) {
		return QuotaInfo{Limit: limit, Remaining: limit}
	}
	return QuotaInfo{Limit: limit, Remaining: w.remaining, Reset: w.reset, Opened: true}
}

// keyID returns an id that does not reveal the token.
func keyID(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:8])
}

// Token returns the token of the key with an id of KeyInfo.
func (s *Server) Token(id string) (token string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for token := range s.keys {
		if keyID(token) == id {
			return token, true
		}
	}
	return "", false
}

// Conditions are the settings that affect the requests of all keys.
type Conditions struct {
	Now               time.Time
	ThrottledUntil    time.Time // Zero: no address is throttled.
	ArchivesAvailable bool
	Drifting          bool
	DriftSeed         uint64
	LateCalls         []time.Time // When the late calls take effect, in order.
}

// Conditions returns the current conditions.
func (s *Server) Conditions() Conditions {
	now, unlock := s.lock()
	defer unlock()
	state := Conditions{Now: now, ArchivesAvailable: !s.storage.unavailable, Drifting: s.drift != nil}
	for _, f := range s.throttle {
		if f.count >= throttleLimit && now.Before(f.reset) && f.reset.After(state.ThrottledUntil) {
			state.ThrottledUntil = f.reset
		}
	}
	if state.Drifting {
		state.DriftSeed = s.drift.seed
	}
	for _, c := range s.lateCalls {
		state.LateCalls = append(state.LateCalls, c.at)
	}
	return state
}
