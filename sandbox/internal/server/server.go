// Package server implements the fake API server: routes, handlers, keys, rate limits,
// faults, the journal and the control API.
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
	config      Config
	offset      atomic.Int64     // Nanoseconds that Advance moved the clock.
	clientClock serverclock.Test // The same duration, for clients of URL in this process.
	routes      []*route
	detailed    atomic.Bool // The journal keeps details.

	mu        sync.Mutex // Guards the following fields. Not held while a body is read or written.
	state                // Replaced by Reset.
	listeners listeners
	changed   chan struct{} // Closed at the next change; nil unless Changes was called since the last one.
}

// state is the state that requests and tests change.
type state struct {
	requests   uint64
	keys       keyring
	revoked    []string // Tokens to redact, newest last.
	throttle   throttle
	live       world.Live
	storage    storage
	faults     faults
	faultCount int     // Number of faults so far.
	lateCalls  []*call // Calls of Fault.Late, in the order in which they take effect.
	journal    journal
	drift      *drift // Nil without drift.
}

// New returns a server. setUp may change the configuration. New starts no goroutine and
// opens no socket. It panics on an invalid configuration.
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

// Configure passes the configuration to f. Call it only in setUp of New.
func (s *Server) Configure(f func(*Config)) { f(&s.config) }

// now returns the server's time. It takes no lock, because a test's clock may call the
// server.
func (s *Server) now() time.Time { return s.config.Clock().Add(time.Duration(s.offset.Load())) }

// Advance moves the server's clock forward. It returns an error for a negative duration.
func (s *Server) Advance(d time.Duration) error {
	if d < 0 {
		return errors.New("the clock does not go back")
	}
	for {
		offset := s.offset.Load()
		if int64(d) > math.MaxInt64-offset {
			return errors.New("the clock does not go that far")
		}
		if s.offset.CompareAndSwap(offset, offset+int64(d)) {
			s.clientClock.Advance(d)
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
