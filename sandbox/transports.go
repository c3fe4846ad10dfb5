package sandbox

import (
	"context"
	"fmt"
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
// http.Server where a socket does not work, such as inside testing/synctest. It is a
// *PipeListener, whose DialContext connects to it:
//
//	listener := server.Listener()
//	web := &http.Server{Handler: server}
//	go web.Serve(listener)
//	defer web.Close()
//	dial := listener.(*sandbox.PipeListener).DialContext
//	client := &http.Client{Transport: &http.Transport{DialContext: dial}}
//
// In a synctest bubble, call Listener and close the http.Server inside the bubble. Each
// call returns another listener. Close of the Server closes all of them.
func (s *Server) Listener() net.Listener { return &PipeListener{s.server().Listener()} }

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

// URL returns the base URL of a loopback TCP listener, which the first call
// starts. It panics when no port is available, and after Close.
//
// Inside a testing/synctest bubble use Transport, because the clock of a bubble
// stops while a goroutine waits for a socket.
func (s *Server) URL() string {
	url, err := s.server().URL()
	if err != nil {
		panic(fmt.Sprintf("sandbox: %v", err))
	}
	return url
}

// Close stops the listener of URL and cuts its connections, and closes every
// Listener. Transport keeps working, because it has no resources to close. A
// second Close has no effect.
func (s *Server) Close() { s.server().Close() }
