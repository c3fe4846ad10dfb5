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

// WithDialect makes the server use other names, routes and formats where the API's
// documentation shows none. A zero field means the default.
func WithDialect(d hiring.Dialect) Option { return set(func(c *server.Config) { c.Dialect = d }) }

// WithClock sets the server's clock: the Date header, rate-limit windows, the expiry of
// keys and the times of written resources follow it. The default is time.Now.
func WithClock(now func() time.Time) Option {
	if now == nil {
		panic("sandbox: WithClock: the clock is nil")
	}
	return set(func(c *server.Config) { c.Clock = now })
}

// WithQuota sets the reads and writes an hour of each key, instead of the documented 1000
// and 200.
func WithQuota(read, write int) Option {
	if read < 0 || write < 0 {
		panic(fmt.Sprintf("sandbox: WithQuota(%d, %d): a quota cannot be negative", read, write))
	}
	return set(func(c *server.Config) { c.ReadLimit, c.WriteLimit = read, write })
}

// WithSinceOn sets the time that the since filter compares with. The default is
// SinceCreated.
func WithSinceOn(f SinceField) Option {
	switch f {
	case SinceCreated, SinceSubmitted, SinceEvaluated:
		return set(func(c *server.Config) { c.SinceOn = f })
	}
	panic(fmt.Sprintf("sandbox: WithSinceOn(%q): no such time", string(f)))
}

// WithNewestBy sets the time by which submissions are listed newest first. The default is
// SinceCreated. A submission without that time is placed by its latest time.
func WithNewestBy(f SinceField) Option {
	switch f {
	case SinceCreated, SinceSubmitted, SinceEvaluated:
		return set(func(c *server.Config) { c.NewestBy = f })
	}
	panic(fmt.Sprintf("sandbox: WithNewestBy(%q): no such time", string(f)))
}

// WithListingLag delays evaluations of live data in listings: until lag has passed, a
// listing shows and filters the submission as before. Single reads and reports are
// current. The default is 0.
func WithListingLag(lag time.Duration) Option {
	if lag < 0 {
		panic(fmt.Sprintf("sandbox: WithListingLag(%s): it cannot be negative", lag))
	}
	return set(func(c *server.Config) { c.ListingLag = lag })
}

// WithPageCap limits pages of submissions to so many items, whatever page size the
// request has. has_more and the cursors are correct. 0 means no limit.
func WithPageCap(most int) Option {
	if most < 0 {
		panic(fmt.Sprintf("sandbox: WithPageCap(%d): it cannot be negative", most))
	}
	return set(func(c *server.Config) { c.PageCap = most })
}

// WithKey makes the server accept a key from the start, as AddKey does later.
func WithKey(k Key) Option { return set(func(c *server.Config) { c.Keys = append(c.Keys, k) }) }

// WithTimeline makes each new invitation of the live data follow a timeline. Results are
// invented and the same on every run.
func WithTimeline(t Timeline) Option {
	if min(t.Open, t.Begin, t.Submit, t.Evaluate) < 0 || t.Polls < 0 {
		panic(fmt.Sprintf("sandbox: WithTimeline(%+v): nothing in it can be negative", t))
	}
	return set(func(c *server.Config) { c.Timeline = t })
}

// WithDrift adds to responses what additive changes of v1 may bring: unknown members
// at every level except in event payloads, unknown values where the set of values is
// open, and null wherever the documentation allows it. The changes depend on the seed
// and the record only, so a record is the same in every response and on every run.
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

// WithControlPlane sets who may use the control API, which every server has below
// /_sandbox/. The control API does what the methods of a Server do, in JSON over
// HTTP, for test suites in other languages.
//
//	GET  /_sandbox/              with Accept: application/json, the list of all operations, each with an example
//	GET  /_sandbox/openapi.json  its OpenAPI document
//
// A duration is a number of seconds or a text like "1m30s". Expires is an RFC 3339
// time. A null score is no score. An operation without a result returns 204. An
// invalid request returns 400, an unknown id 404, each with an error envelope. The
// control API needs no key and uses no rate limit. Its requests are not in the
// journal, and faults do not affect them.
//
// Without this option, and with anyHost false, the control API accepts requests
// from this machine only: from a loopback address to localhost, a loopback address
// or the host of Client. It rejects requests that a web page of another origin
// makes. A rejected request returns 403. With anyHost it accepts requests from and
// to every address, for a server in a container. Then everyone who reaches the
// server controls it.
func WithControlPlane(anyHost bool) Option {
	return set(func(c *server.Config) { c.AnyHost = anyHost })
}
