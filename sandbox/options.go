package sandbox

import (
	"fmt"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/server"
)

// Option changes a server under construction.
type Option func(*Server)

func set(f func(*server.Config)) Option { return func(s *Server) { s.server().Configure(f) } }

// WithDialect makes the server speak other names, routes and formats where the
// service's documentation shows none. A zero field means the default.
func WithDialect(d hiring.Dialect) Option { return set(func(c *server.Config) { c.Dialect = d }) }

// WithClock makes the server live by another clock: the Date header, quota
// windows, the expiry of keys and the times of what a write makes.
func WithClock(now func() time.Time) Option {
	if now == nil {
		panic("sandbox: WithClock: the clock is nil")
	}
	return set(func(c *server.Config) { c.Clock = now })
}

// WithQuota sets how many reads and writes an hour each key may make, instead
// of the documented 1000 and 200.
func WithQuota(read, write int) Option {
	if read < 0 || write < 0 {
		panic(fmt.Sprintf("sandbox: WithQuota(%d, %d): a quota cannot be negative", read, write))
	}
	return set(func(c *server.Config) { c.ReadLimit, c.WriteLimit = read, write })
}

// WithSinceOn chooses the time that the since filter is about: SinceCreated
// unless this option says otherwise.
func WithSinceOn(f SinceField) Option {
	switch f {
	case SinceCreated, SinceSubmitted, SinceEvaluated:
		return set(func(c *server.Config) { c.SinceOn = f })
	}
	panic(fmt.Sprintf("sandbox: WithSinceOn(%q): no such time", string(f)))
}

// WithNewestBy chooses the time that the newest-first order of submissions goes
// by: SinceCreated unless this option says otherwise. A submission that has not
// come so far is placed by the last time that it has.
func WithNewestBy(f SinceField) Option {
	switch f {
	case SinceCreated, SinceSubmitted, SinceEvaluated:
		return set(func(c *server.Config) { c.NewestBy = f })
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
	return set(func(c *server.Config) { c.ListingLag = lag })
}

// WithPageCap cuts each page of submissions to so many without a word, whatever
// page size was asked for: has_more and the cursors are right. 0 cuts nothing.
func WithPageCap(most int) Option {
	if most < 0 {
		panic(fmt.Sprintf("sandbox: WithPageCap(%d): it cannot be negative", most))
	}
	return set(func(c *server.Config) { c.PageCap = most })
}

// WithKey makes the server accept a key from the start, as AddKey does later.
func WithKey(k Key) Option { return set(func(c *server.Config) { c.Keys = append(c.Keys, k) }) }

// WithTimeline makes each new invitation of the live world follow a timeline.
// Results are made up, the same on every run.
func WithTimeline(t Timeline) Option {
	if min(t.Open, t.Begin, t.Submit, t.Evaluate) < 0 || t.Polls < 0 {
		panic(fmt.Sprintf("sandbox: WithTimeline(%+v): nothing in it can be negative", t))
	}
	return set(func(c *server.Config) { c.Timeline = t })
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
func WithDrift(seed uint64) Option {
	return set(func(c *server.Config) { c.Drift, c.DriftSeed = true, seed })
}

// WithDetails makes the journal keep the [Detail] of each exchange. Without it
// the server does nothing for details.
func WithDetails() Option { return set(func(c *server.Config) { c.Details = true }) }

// WithControlPlane says who may use the control plane, which every server has:
// what the methods of a Server do, as JSON over HTTP, for test suites in other
// languages.
//
//	POST /_sandbox/reset
//	POST /_sandbox/quota                      {"key", "class", "remaining"}
//	POST /_sandbox/faults                     a Fault: {"route", "skip", "times", "status", "code", "retry_after",
//	                                          "delay", "late", "after", "reset", "cut_after", "body", "content_type"}
//	POST /_sandbox/advance                    {"seconds"}
//	POST /_sandbox/keys                       {"token", "scope", "expires", "organization"}
//	POST /_sandbox/keys/revoke                {"token"}
//	POST /_sandbox/invitations/{id}/open
//	POST /_sandbox/invitations/{id}/begin     answers {"submission_id"}
//	POST /_sandbox/invitations/{id}/submit    answers {"submission_id"}
//	POST /_sandbox/submissions/{id}/evaluate  {"ship_score", "verdict", "pillars", "low_confidence", "summary", "confidence",
//	                                          "integrity_status", "extra"}, all of them optional
//	POST /_sandbox/assessments                {"name"}, answers {"assessment_id"}
//	POST /_sandbox/archives                   {"available"}
//	GET  /_sandbox/journal                    answers {"entries", "repeated"}
//
// A duration is a number of seconds or a text like "1m30s", expires an RFC 3339
// time. What answers nothing answers 204. A request that makes no sense is a 400
// that says what to do: {"error": {"message": "…"}}. It needs no key and counts
// against no quota, the journal does not show it and no fault meets it. A reset
// leaves a server as New made it with its options.
//
// Without this option, and with anyHost false, it takes requests from this
// machine only (a loopback address, to localhost, a loopback address or the name
// that Client uses in-process) and none that a web page of another origin makes; anything
// else is a 403. With anyHost it takes them from and to every address, for a
// server in a container of its own: whoever can reach it controls it.
func WithControlPlane(anyHost bool) Option {
	return set(func(c *server.Config) { c.AnyHost = anyHost })
}
