// Package server implements the fake API server: routes, handlers, keys, rate limits, faults, the journal and the control API.
package server

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/serverclock"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// Server is the fake server. It is safe for concurrent use.
type Server struct {
	config   Config
	ahead    atomic.Int64     // how far Advance has moved the clock
	test     serverclock.Test // The same, for clients of URL in this process.
	routes   []route
	detailed atomic.Bool // whether the journal keeps details

	mu        sync.Mutex // guards all below; never held while a body is read or written
	state                // a reset replaces it
	listeners listeners
	news      chan struct{} // closed at the next change; nil while nothing waits for it
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
	drift    *drift // nil without drift
}

// New returns a server with a configuration, which setUp may change. It starts
// no goroutine and opens no socket. It panics on an invalid configuration.
func New(config Config, setUp ...func(*Server)) *Server {
	s := &Server{config: config, state: state{keys: make(keyring, len(config.Keys))}}
	for _, f := range setUp {
		f(s)
	}
	c := &s.config
	for _, key := range c.Keys {
		if err := s.keys.add(key, s.now()); err != nil {
			panic(fmt.Sprintf("sandbox: AddKey: %v", err))
		}
	}
	dialect, err := c.Dialect.WithDefaults()
	if err != nil {
		panic(fmt.Sprintf("sandbox: WithDialect: %v", err))
	}
	c.Dialect = dialect
	if dialect == hiring.DefaultDialect() {
		s.routes = defaultRoutes()
	} else {
		s.routes = newRoutes(dialect)
	}
	if c.Drift {
		s.drift = &drift{c.DriftSeed}
	}
	s.detailed.Store(c.Details)
	s.live = world.NewLive(sample, c.Timeline)
	return s
}

// Configure lets f change the configuration. It is for the setUp of New only.
func (s *Server) Configure(f func(*Config)) { f(&s.config) }

// now is the only clock. It takes no lock, so that a clock of the test's own
// may call the server.
func (s *Server) now() time.Time { return s.config.Clock().Add(time.Duration(s.ahead.Load())) }

// Advance moves the server's clock forward. It fails on a negative duration.
func (s *Server) Advance(d time.Duration) error {
	if d < 0 {
		return errors.New("the clock does not go back")
	}
	for {
		ahead := s.ahead.Load()
		if int64(d) > math.MaxInt64-ahead {
			return errors.New("the clock does not go that far")
		}
		if s.ahead.CompareAndSwap(ahead, ahead+int64(d)) {
			s.test.Advance(d)
			return nil
		}
	}
}

// Unfired returns the faults that no request has met so far.
func (s *Server) Unfired() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults.unfired()
}
