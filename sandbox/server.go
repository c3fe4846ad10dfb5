package sandbox

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Server is the fake service. It is an [http.Handler], safe for concurrent
// use, and independent of every other Server in the process.
type Server struct {
	dialect      hiring.Dialect
	lenientSince bool // the default layout is a guess, so any RFC 3339 time will do
	sinceOn      SinceField
	clock        func() time.Time
	ahead        atomic.Int64 // how far Advance has moved the clock
	timeline     Timeline
	drift        *drift // nil without
	limits       limits
	routes       []route
	control      controlPlane
	options      []Option

	mu    sync.Mutex // guards all below; never held while a body is read or written
	state            // what a reset begins anew
	doors openDoors
}

// state is everything that requests and tests change.
type state struct {
	requests uint64
	written  uint64
	links    uint64
	keys     map[string]*keyState
	throttle throttle

	organizations map[string]*organization // the live worlds that were asked for
	noArchives    bool
	faults        []*fault
	late          []*call // in the order in which they are due
	journal       journal
}

// New returns a server with the well-known keys. It starts nothing: no
// goroutine, no socket, and it can be dropped without Close unless URL was
// called. It panics when an option makes no sense, because only the test's
// author can put that right.
func New(opts ...Option) *Server {
	s := &Server{
		sinceOn: SinceCreated,
		clock:   time.Now,
		limits:  limits{read: 1000, write: 200},
		options: opts,
		state:   state{keys: make(map[string]*keyState, 4)},
	}
	for token, scope := range map[string]Scope{TestKey: ScopeAdmin, ReadOnlyKey: ScopeRead, WriteKey: ScopeWrite, LiveKey: ScopeAdmin} {
		s.keys[token] = &keyState{Key: Key{Token: token, Scope: scope}}
	}
	for _, opt := range opts {
		opt(s)
	}
	defaults := hiring.DefaultDialect()
	dialect, err := s.dialect.WithDefaults()
	if err != nil {
		panic(fmt.Sprintf("sandbox: WithDialect: %v", err))
	}
	s.dialect, s.lenientSince = dialect, dialect.SinceLayout == defaults.SinceLayout
	if dialect == defaults {
		s.routes = defaultRoutes()
	} else {
		s.routes = newRoutes(dialect)
	}
	return s
}

// TB is what Start needs of a *testing.T, *testing.B or *testing.F.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
}

// Start returns a new server that is closed when the test ends. An injected
// fault that never fired fails the test then: it did not test what it meant to.
func Start(tb TB, opts ...Option) *Server {
	tb.Helper()
	s := New(opts...)
	tb.Cleanup(func() {
		tb.Helper()
		s.Close()
		for _, f := range s.unfired() {
			tb.Errorf("sandbox: this fault never fired: %s", f)
		}
	})
	return s
}

// now is the only clock. It takes no lock, so that a clock of the test's own
// may call the server.
func (s *Server) now() time.Time { return s.clock().Add(time.Duration(s.ahead.Load())) }

// Advance moves the server's clock forward, and only that one: clients wait as
// long as before. It panics on a negative duration.
func (s *Server) Advance(d time.Duration) {
	if err := s.advance(d); err != nil {
		panic(fmt.Sprintf("sandbox: Advance(%s): %v", d, err))
	}
}

func (s *Server) advance(d time.Duration) error {
	if d < 0 {
		return errors.New("the clock does not go back")
	}
	for {
		ahead := s.ahead.Load()
		if int64(d) > math.MaxInt64-ahead {
			return errors.New("the clock does not go that far")
		}
		if s.ahead.CompareAndSwap(ahead, ahead+int64(d)) {
			return nil
		}
	}
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, controlPath) {
		s.control.serve(s, w, r)
		return
	}
	if id, ok := strings.CutPrefix(r.URL.Path, archivePath); ok {
		s.exchangeArchive(w, r, id)
		return
	}
	c := &call{s: s, request: r, at: s.now()}
	c.readBody()
	s.exchange(r.Context(), w, c)
}

// answer judges a request in the order that the documentation of this package
// states: who asks, how often, for what, whether they may, and how. The lock is
// held, and the call has its route and its request id.
func (s *Server) answer(c *call) reply {
	class := classOf(c.request.Method)
	var allowed bool
	if c.quota, allowed = s.throttle.allows(c); !allowed {
		return c.refuse("Too many requests with a bad key came from this address.")
	}
	key := s.authenticate(c)
	if key == nil {
		s.throttle.count(c)
		c.quota = quota{limit: s.limits.of(class), remaining: s.limits.of(class), reset: windowEnd(c.at)}
		return c.fail(http.StatusUnauthorized, hiring.ErrInvalidToken, "The API key is missing or not valid.")
	}
	c.world = s.worldOf(key, c.at)
	var granted bool
	if c.quota, granted = key.window(class).take(c.at, s.limits.of(class)); !granted {
		return c.overQuota()
	}
	if c.route == nil {
		return c.noRoute(c.allow)
	}
	if !key.Scope.includes(c.route.scope) {
		return c.fail(http.StatusForbidden, hiring.ErrInsufficientScope,
			fmt.Sprintf("This operation requires the %s scope.", c.route.scope))
	}
	if problems := c.readQuery(); problems.any() {
		return c.invalid(problems)
	}
	return c.route.handle(c)
}

// newID returns the id of something that a write made. Ids count up, so that
// the same calls give the same answers on every run.
func (s *Server) newID() string {
	s.written++
	return fmt.Sprintf("f0000000-0000-4000-8000-%012x", s.written)
}
