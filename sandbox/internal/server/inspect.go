package server

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// This file has what the web page needs beyond the exported API of package
// sandbox.

// Watch makes the server keep details from now on. It reports whether other
// machines may use the control API.
func (s *Server) Watch() (anyHost bool) {
	s.detailed.Store(true)
	return s.config.AnyHost
}

// News returns a channel that is closed at the next change.
func (s *Server) News() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.news == nil {
		s.news = make(chan struct{})
	}
	return s.news
}

// notify reports a change to the readers of News. The lock is held.
func (s *Server) notify() {
	if s.news != nil {
		close(s.news)
		s.news = nil
	}
}

// Page returns the newest exchanges that keep accepts, newest first, and whether
// there are more. A positive before excludes exchanges with that number and
// above. An exchange that has lost its details has only its number.
func (s *Server) Page(before, size int, keep func(Entry) bool) (page []Entry, more bool) {
	_, unlock := s.lock()
	defer unlock()
	j, hide := &s.journal, s.keys.redactor(s.revoked)
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
		page = append(page, raw.redacted(hide))
	}
	return page, false
}

// Each calls visit with every exchange in the journal, oldest first, with its key
// redacted. An exchange that has lost its details has only its number.
func (s *Server) Each(visit func(e Entry)) {
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

// Live calls visit with the live data, under the lock.
func (s *Server) Live(visit func(l *world.Live, now time.Time)) {
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

// Report returns a submission's report in JSON. Call it inside Live.
func Report(a *world.Attempt) []byte { return appendReport(nil, a) }

// KeyInfo is a key that a server accepts, without its token.
type KeyInfo struct {
	ID           string // Replaces the token in forms.
	Redacted     string
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
	slices.SortStableFunc(all, func(x, y KeyInfo) int { return cmp.Compare(boolInt(y.Live), boolInt(x.Live)) })
	return all
}

func (s *Server) quotaInfo(k *keyState, c Class, now time.Time) QuotaInfo {
	w, limit := *k.window(c), s.config.limit(c)
	if !now.Before(w.reset) {
		return QuotaInfo{Limit: limit, Remaining: limit}
	}
	return QuotaInfo{Limit: limit, Remaining: w.remaining, Reset: w.reset, Opened: true}
}

func keyID(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:8])
}

// Token returns the token of a KeyInfo's ID.
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

// Conditions is what affects the requests of all keys.
type Conditions struct {
	Now            time.Time
	ThrottledUntil time.Time // Zero: no address is throttled.
	Archives       bool
	Drift          bool
	Seed           uint64
	Late           []time.Time // When the work of lost requests is done, in order.
}

// Conditions returns what affects the requests of all keys now.
func (s *Server) Conditions() Conditions {
	now, unlock := s.lock()
	defer unlock()
	state := Conditions{Now: now, Archives: !s.storage.unavailable, Drift: s.drift != nil}
	for _, f := range s.throttle {
		if f.count >= throttleLimit && now.Before(f.until) && f.until.After(state.ThrottledUntil) {
			state.ThrottledUntil = f.until
		}
	}
	if state.Drift {
		state.Seed = s.drift.seed
	}
	for _, c := range s.lateCalls {
		state.Late = append(state.Late, c.at)
	}
	return state
}
