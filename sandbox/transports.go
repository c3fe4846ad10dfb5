package sandbox

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/wire"
)

// Transport returns a RoundTripper that answers without a socket, in the
// caller's goroutine: it works inside testing/synctest, and a call takes
// microseconds. Whatever host a request names, the server answers it.
//
// The server sees a copy of the request, as it would have come over the wire;
// what it hands back fails as a response from the wire would once the request's
// context has ended or the handler gave up in the middle.
func (s *Server) Transport() http.RoundTripper { return wire.Transport{Handler: s} }

// Listener returns a new listener in memory, for code that needs a real
// http.Server where a socket would not do, as inside testing/synctest. It is a
// *PipeListener, whose DialContext reaches it:
//
//	listener := server.Listener()
//	web := &http.Server{Handler: server}
//	go web.Serve(listener)
//	defer web.Close()
//	dial := listener.(*sandbox.PipeListener).DialContext
//	client := &http.Client{Transport: &http.Transport{DialContext: dial}}
//
// Inside a bubble call it, and close the http.Server, in the bubble. Each call
// returns another listener; Close of the Server closes them all.
func (s *Server) Listener() net.Listener { return &PipeListener{s.server().Listener()} }

// PipeListener is a net.Listener whose connections are pipes in memory.
type PipeListener struct{ pipe *wire.Pipe }

// Accept waits for a connection. Close ends it with net.ErrClosed.
func (l *PipeListener) Accept() (net.Conn, error) { return l.pipe.Accept() }

// DialContext connects to the listener, whatever address it is given. It waits
// until Accept takes the connection or the context ends; a closed listener
// refuses it.
func (l *PipeListener) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return l.pipe.DialContext(ctx, network, address)
}

// Close ends Accept and refuses connections from now on. It cuts none. A second
// Close does nothing.
func (l *PipeListener) Close() error { return l.pipe.Close() }

// Addr is an address of the loopback interface that nothing listens on.
func (l *PipeListener) Addr() net.Addr { return l.pipe.Addr() }

// URL returns the base URL of a loopback TCP listener, which the first call
// starts. It panics when no port can be had, and after Close.
//
// Inside a testing/synctest bubble use Transport: a socket never lets the
// bubble's clock move.
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
