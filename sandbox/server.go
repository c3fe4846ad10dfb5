package sandbox

import (
	_ "embed" // For openapi.json.
	"fmt"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// openAPI describes the API in the default dialect.
//
//go:embed openapi.json
var openAPI []byte

// Server is the fake API server. It is an [http.Handler], safe for concurrent
// use, and independent of every other Server in the process.
type Server struct {
	config   config       // Set by the options.
	advanced atomic.Int64 // How far Advance moved the clock, in nanoseconds.
	routes   []*route

	mu       sync.Mutex       // Guards the following fields. Not held while a body is read or written.
	state                     // Replaced by Reset.
	listener *httptest.Server // Of URL; nil until the first call.
	closed   bool
	changes  changes // For the event stream. Its positions continue after a reset.

	snapshots     []snapshot // The newest ones, oldest first. A reset can be undone.
	snapshotCount int
}

// state is the state that requests and tests change.
type state struct {
	settings settings
	requests uint64
	keys     keyring
	throttle throttle
	live     world.Live
	faults   faults
	journal  journal
}

// New returns a server with the well-known keys. It starts no goroutine and opens no
// socket, so Close is needed only after URL. It panics on an invalid option, because that
// is a mistake in the test.
func New(opts ...Option) *Server {
	s := &Server{changes: changes{topics: make(map[topic]int)}, config: config{clock: time.Now, keys: []Key{
		{Token: TestKey, Scope: ScopeAdmin}, {Token: ReadOnlyKey, Scope: ScopeRead},
		{Token: WriteKey, Scope: ScopeWrite}, {Token: LiveKey, Scope: ScopeAdmin},
	}, readQuota: 1000, writeQuota: 200, driftSeed: 1, settings: settings{SinceOn: SinceCreated, Archives: true}}}
	for _, opt := range opts {
		opt(&s.config)
	}
	dialect, err := s.config.dialect.WithDefaults()
	must("WithDialect", err)
	must("New", s.config.settings.check())
	s.config.dialect = dialect
	if dialect == hiring.DefaultDialect() {
		s.routes = defaultRoutes()
	} else {
		s.routes = newRoutes(dialect)
	}
	s.state = s.initialState()
	return s
}

// initialState returns the state that the options describe.
func (s *Server) initialState() state {
	c := &s.config
	fresh := state{
		settings: c.settings, keys: make(keyring, len(c.keys)), live: world.NewLive(sample, c.settings.Timeline.world(), s.revise),
		journal: journal{run: strconv.FormatInt(time.Now().UnixMicro(), 36)},
	}
	for _, key := range c.keys {
		must("AddKey", fresh.keys.add(key))
	}
	return fresh
}

// TB is the part of testing.TB that Start uses. It is implemented by *testing.T,
// *testing.B and *testing.F.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
}

// Start returns a new server that is closed when the test ends. If an injected fault never
// fired, the test fails, because it did not test the fault.
func Start(tb TB, opts ...Option) *Server {
	tb.Helper()
	s := New(opts...)
	tb.Cleanup(func() {
		tb.Helper()
		s.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, f := range s.faults.active {
			if f.fired == 0 {
				tb.Errorf("sandbox: this fault never fired: %s; the journal has %q", encodeControl(f.Fault), s.journal.operations())
			}
		}
	})
	return s
}

// ahead returns how far Advance moved the clock.
func (s *Server) ahead() time.Duration { return time.Duration(s.advanced.Load()) }

// now returns the server's time. It takes no lock, because a test's clock may call the
// server.
func (s *Server) now() time.Time { return s.config.clock().Add(s.ahead()) }

// lock locks the server and returns its time.
func (s *Server) lock() (now time.Time, unlock func()) {
	now = s.now()
	s.mu.Lock()
	return now, s.mu.Unlock
}

// must panics on an error of a method: a mistake in the test.
func must(method string, err error) {
	if err != nil {
		panic(fmt.Sprintf("sandbox: %s: %v", method, err))
	}
}
