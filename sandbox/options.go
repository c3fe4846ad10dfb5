package sandbox

import (
	"fmt"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Option changes a server under construction.
type Option func(*Server)

// WithDialect makes the server speak other names, routes and formats where the
// service's documentation shows none. A zero field means the default.
func WithDialect(d hiring.Dialect) Option { return func(s *Server) { s.dialect = d } }

// WithClock makes the server live by another clock: the Date header, quota
// windows, the expiry of keys and the times of what a write makes.
func WithClock(now func() time.Time) Option {
	if now == nil {
		panic("sandbox: WithClock: the clock is nil")
	}
	return func(s *Server) { s.clock = now }
}

// WithQuota sets how many reads and writes an hour each key may make, instead
// of the documented 1000 and 200.
func WithQuota(read, write int) Option {
	if read < 0 || write < 0 {
		panic(fmt.Sprintf("sandbox: WithQuota(%d, %d): a quota cannot be negative", read, write))
	}
	return func(s *Server) { s.limits = limits{read: read, write: write} }
}

// WithSinceOn chooses the time that the since filter is about: SinceCreated
// unless this option says otherwise.
func WithSinceOn(f SinceField) Option {
	switch f {
	case SinceCreated, SinceSubmitted, SinceEvaluated:
		return func(s *Server) { s.sinceOn = f }
	}
	panic(fmt.Sprintf("sandbox: WithSinceOn(%q): no such time", string(f)))
}

// WithNewestBy chooses the time that the newest-first order of submissions goes
// by: SinceCreated unless this option says otherwise. A submission that has not
// come so far is placed by the last time that it has.
func WithNewestBy(f SinceField) Option {
	switch f {
	case SinceCreated, SinceSubmitted, SinceEvaluated:
		return func(s *Server) { s.newest = f }
	}
	panic(fmt.Sprintf("sandbox: WithNewestBy(%q): no such time", string(f)))
}

// WithListingLag makes listings show an evaluation in the live world only so much
// later: until then a submission is listed, and filtered, as it was before. Its
// own page and its report are up to date.
func WithListingLag(lag time.Duration) Option {
	if lag < 0 {
		panic(fmt.Sprintf("sandbox: WithListingLag(%s): it cannot be negative", lag))
	}
	return func(s *Server) { s.listingLag = lag }
}

// WithPageCap cuts each page of submissions to so many without a word, whatever
// page size was asked for: has_more and the cursors are right. 0 cuts nothing.
func WithPageCap(most int) Option {
	if most < 0 {
		panic(fmt.Sprintf("sandbox: WithPageCap(%d): it cannot be negative", most))
	}
	return func(s *Server) { s.pageCap = most }
}

// WithKey makes the server accept a key from the start, as AddKey does later.
func WithKey(k Key) Option {
	return func(s *Server) {
		if err := s.keys.add(k, s.now()); err != nil {
			panic(fmt.Sprintf("sandbox: AddKey: %v", err))
		}
	}
}

// Timeline lets the candidates of the live world move by themselves: each
// duration counts from the step before, the first from the sending of the
// invitation. It is the server's clock that counts, and a step has the time at
// which it was due, no matter when the server is asked next.
//
// A step without a duration comes together with the one before, but the last
// step with one is the end: Timeline{Open: time.Hour} only opens. Polls lets
// the evaluation come not after a time but after so many looks at a submission
// that was handed in: at itself, at its report, or at the first page of
// submissions with the status evaluated. The look after those finds it.
//
// What a test does by hand goes together with it: the next step counts from
// then. A step that is not possible, because the invitation was revoked or has
// expired or the assessment is closed, is the end.
type Timeline struct {
	Open, Begin, Submit, Evaluate time.Duration
	Polls                         int
}

// WithTimeline makes each new invitation of the live world follow a timeline.
// Results are made up, the same on every run.
func WithTimeline(t Timeline) Option {
	if min(t.Open, t.Begin, t.Submit, t.Evaluate) < 0 || t.Polls < 0 {
		panic(fmt.Sprintf("sandbox: WithTimeline(%+v): nothing in it can be negative", t))
	}
	return func(s *Server) { s.timeline = t }
}

// WithDrift mixes into replies what additive changes of v1 may bring: members
// that nobody knows yet, at every level but in event payloads; values that
// nobody knows yet where the set of values is open; and null wherever the
// documentation allows it. What drifts depends on the seed and the record only,
// so that a record looks the same in every reply and on every run.
//
// Nothing documented breaks: types, ids, order, cursors and the numbers of meta
// stay, filters go by the true values, and statuses that calls depend on, such
// as evaluated, closed and revoked, stay too.
func WithDrift(seed uint64) Option { return func(s *Server) { s.drift = &drift{seed} } }

// WithDetails makes the journal keep the [Detail] of each exchange. Without it
// the server does nothing for details.
func WithDetails() Option { return func(s *Server) { s.detailed.Store(true) } }
