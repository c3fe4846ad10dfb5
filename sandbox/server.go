package sandbox

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// Server is the fake service. It is an [http.Handler], safe for concurrent
// use, and independent of every other Server in the process.
type Server struct {
	settings

	clock    func() time.Time
	ahead    atomic.Int64 // how far Advance has moved the clock
	timeline Timeline
	routes   []route
	anyHost  bool // may use the control plane
	options  []Option
	detailed atomic.Bool // the journal keeps details

	mu    sync.Mutex // guards all below; never held while a body is read or written
	state            // what a reset begins anew
	doors openDoors
	news  chan struct{} // closed at the next change; nil while nobody waits for it
}

// state is everything that requests and tests change.
type state struct {
	requests uint64
	keys     keyring
	revoked  []string // newest last, to be hidden where they show up
	throttle throttle
	live     world.Live
	storage  storage
	faults   faults
	injected int     // how many faults so far
	late     []*call // in the order in which they are due
	journal  journal
}

// New returns a server with the well-known keys. It starts nothing: no
// goroutine, no socket, and it can be dropped without Close unless URL was
// called. It panics when an option makes no sense, because only the test's
// author can put that right.
func New(opts ...Option) *Server {
	s := &Server{
		settings: settings{sinceOn: SinceCreated, limits: limits{read: 1000, write: 200}},
		clock:    time.Now,
		options:  opts,
		state:    state{keys: make(keyring, 4)},
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
	s.live = world.NewLive(sample, world.Timeline(s.timeline))
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

// notify wakes those who wait for a change. The lock is held.
func (s *Server) notify() {
	if s.news != nil {
		close(s.news)
		s.news = nil
	}
}

// unfired returns the faults that nothing has met so far.
func (s *Server) unfired() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults.unfired()
}
