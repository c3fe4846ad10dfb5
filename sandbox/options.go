package sandbox

import (
	"fmt"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Option configures a server. Options come from this package.
type Option func(*config)

// WithDialect makes the server use other names, routes and formats where the API's
// documentation shows none. A zero field means the default.
func WithDialect(d hiring.Dialect) Option { return func(c *config) { c.dialect = d } }

// WithClock sets the server's clock: the Date header, rate-limit windows, the expiry of
// keys and the times of written resources follow it. The default is time.Now.
func WithClock(now func() time.Time) Option {
	if now == nil {
		panic("sandbox: WithClock: the clock is nil")
	}
	return func(c *config) { c.clock = now }
}

// WithQuota sets the reads and writes an hour of each key, instead of the documented 1000
// and 200.
func WithQuota(read, write int) Option {
	if min(read, write) < 0 {
		panic(fmt.Sprintf("sandbox: WithQuota(%d, %d): a rate limit must not be negative", read, write))
	}
	return func(c *config) { c.readQuota, c.writeQuota = read, write }
}

// WithSinceOn sets the time that the since filter compares with. The default is
// SinceCreated.
func WithSinceOn(f SinceField) Option {
	return func(c *config) { c.settings.SinceOn = f }
}

// WithKey makes the server accept a key from the start, as AddKey does later.
func WithKey(k Key) Option { return func(c *config) { c.keys = append(c.keys, k) } }

// WithTimeline makes each new invitation of the live data follow a timeline. Results are
// invented and the same on every run.
func WithTimeline(t Timeline) Option {
	return func(c *config) { c.settings.Timeline = t }
}

// WithDrift adds to responses what additive changes of v1 may bring: unknown members,
// except in event payloads, in the details of errors and where the documentation shows
// no shape; unknown values where the set of values is open; and nulls where the
// documentation allows them. The changes depend on the seed and the record only, so a
// record is the same in every response and on every run.
//
// Nothing documented breaks: types, ids, the order of lists, cursors and the numbers of
// meta stay, filters go by the true values, and statuses that calls depend on, such as
// evaluated, closed and revoked, stay too.
func WithDrift(seed uint64) Option {
	return func(c *config) { c.settings.Drift, c.driftSeed = true, seed }
}

// WithControlFromAnyHost lets every machine use the control API, with every Host, for a
// server in a container. Then everyone who reaches the server controls it.
//
// Every server has the control API below /_sandbox/. It does what the methods of a Server
// do, in JSON over HTTP, for test suites in other languages and for the page of package
// sandbox/console. GET /_sandbox/ lists its operations, each with an example.
//
// A duration is a number of seconds or a text like "1m30s". A time is in RFC 3339. An
// operation without a result returns 204. An invalid request returns 400, an unknown id
// 404 and a conflict with the state 409, each with an error envelope. The control API
// needs no key and uses no rate limit. Its requests are not in the journal, and faults do
// not affect them.
//
// Without this option, the control API accepts requests from this machine only: from a
// loopback address to localhost, a loopback address or the host of Client. It rejects
// requests that a web page of another origin makes. A rejected request returns 403. Only
// GET /_sandbox/health, which returns 200, is open to every machine.
func WithControlFromAnyHost() Option { return func(c *config) { c.anyHost = true } }
