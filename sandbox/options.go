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

// SinceField is the time that the since filter of submissions is about, which
// the service's documentation does not say.
type SinceField string

// The times of a submission. One that has not come yet matches no filter.
const (
	SinceCreated   SinceField = "created"
	SinceSubmitted SinceField = "submitted"
	SinceEvaluated SinceField = "evaluated"
)

// WithSinceOn chooses the time that the since filter is about: SinceCreated
// unless this option says otherwise.
func WithSinceOn(f SinceField) Option {
	switch f {
	case SinceCreated, SinceSubmitted, SinceEvaluated:
		return func(s *Server) { s.sinceOn = f }
	}
	panic(fmt.Sprintf("sandbox: WithSinceOn(%q): no such time", string(f)))
}

// WithKey makes the server accept a key from the start, as AddKey does later.
func WithKey(k Key) Option { return func(s *Server) { s.AddKey(k) } }
