package sandbox

import (
	"context"
	"net"
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

// Listener returns a new listener in memory, for code that needs a real
// http.Server where a socket does not work, such as inside testing/synctest:
//
//	listener := server.Listener()
//	web := &http.Server{Handler: server}
//	go web.Serve(listener)
//	defer web.Close()
//	client := &http.Client{Transport: &http.Transport{DialContext: listener.DialContext}}
//
// In a synctest bubble, call Listener and close the http.Server inside the bubble. Each
// call returns another listener. Close of the Server closes all of them.
func (s *Server) Listener() *PipeListener { return &PipeListener{s.newPipe()} }

// PipeListener is a net.Listener whose connections are pipes in memory.
type PipeListener struct{ pipe *wire.Pipe }

// Accept waits for a connection. After Close it returns net.ErrClosed.
func (l *PipeListener) Accept() (net.Conn, error) { return l.pipe.Accept() }

// DialContext connects to the listener and ignores the address. It waits until
// Accept takes the connection or the context ends. A closed listener refuses the
// connection.
func (l *PipeListener) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return l.pipe.DialContext(ctx, network, address)
}

// Close ends Accept and refuses new connections. Existing connections remain. A second
// Close has no effect.
func (l *PipeListener) Close() error { return l.pipe.Close() }

// Addr returns a loopback address on which nothing listens.
func (l *PipeListener) Addr() net.Addr { return l.pipe.Addr() }
