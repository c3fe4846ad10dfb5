package sandbox

import (
	_ "embed" // For openapi.json.
	"net/http"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/server"
)

// openAPI describes the API in the default dialect.
//
//go:embed openapi.json
var openAPI []byte

// Server is the fake API server. It is an [http.Handler], safe for concurrent
// use, and independent of every other Server in the process.
type Server server.Server

func (s *Server) server() *server.Server { return (*server.Server)(s) }

// New returns a server with the well-known keys. It starts no goroutine and opens no
// socket, so Close is needed only after URL. It panics on an invalid option, because that
// is a mistake in the test.
func New(opts ...Option) *Server {
	config := server.Config{
		MagicValues: map[string]string{
			"TestKey": TestKey, "ReadOnlyKey": ReadOnlyKey, "WriteKey": WriteKey, "LiveKey": LiveKey,
			"PlanLimitEmail": PlanLimitEmail, "UnknownID": UnknownID, "AssessmentID": AssessmentID, "ClosedAssessmentID": ClosedAssessmentID,
			"SubmissionID": SubmissionID, "BusySubmissionID": BusySubmissionID, "PendingSubmissionID": PendingSubmissionID,
		},
		OpenAPI: openAPI, Clock: time.Now, ReadLimit: 1000, WriteLimit: 200, SinceOn: SinceCreated,
		Keys: []Key{
			{Token: TestKey, Scope: ScopeAdmin}, {Token: ReadOnlyKey, Scope: ScopeRead},
			{Token: WriteKey, Scope: ScopeWrite}, {Token: LiveKey, Scope: ScopeAdmin},
		},
	}
	return (*Server)(server.New(config, func(s *server.Server) {
		for _, opt := range opts {
			opt((*Server)(s))
		}
	}))
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
		for _, f := range s.server().Unfired() {
			tb.Errorf("sandbox: this fault never fired: %s", f)
		}
	})
	return s
}

// ServeHTTP responds to one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.server().ServeHTTP(w, r) }
