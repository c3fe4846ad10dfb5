package sandbox

import (
	"net/http"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/wire"
)

// Transport returns a RoundTripper that calls the server without a socket, in the
// caller's goroutine. It works inside testing/synctest, and a call takes
// microseconds. Every request goes to the server, and the host is ignored.
//
// The server receives a copy of the request. The response fails like a response over a
// connection: when the request's context ends, and when the handler panics.
func (s *Server) Transport() http.RoundTripper { return wire.Transport{Handler: s} }
