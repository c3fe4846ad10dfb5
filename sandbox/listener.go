package sandbox

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

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
func (s *Server) Listener() net.Listener {
	l := &PipeListener{arriving: make(chan net.Conn), done: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = l.Close()
	} else {
		s.pipes = append(s.pipes, l)
	}
	return l
}

// PipeListener is a net.Listener whose connections are pipes in memory.
type PipeListener struct {
	arriving chan net.Conn
	done     chan struct{}
	once     sync.Once
}

// Accept waits for a connection. Close ends it with net.ErrClosed.
func (l *PipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.arriving:
		return conn, nil
	case <-l.done:
		return nil, &net.OpError{Op: "accept", Net: "pipe", Addr: l.Addr(), Err: net.ErrClosed}
	}
}

// DialContext connects to the listener, whatever address it is given. It waits
// until Accept takes the connection or the context ends; a closed listener
// refuses it.
func (l *PipeListener) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	lost := new(atomic.Bool)
	fail := func(err error) (net.Conn, error) {
		_ = client.Close()
		_ = server.Close()
		return nil, &net.OpError{Op: "dial", Net: "pipe", Addr: l.Addr(), Err: err}
	}
	refused := os.NewSyscallError("connect", syscall.ECONNREFUSED)
	select {
	case <-l.done:
		return fail(refused)
	default:
	}
	select {
	case l.arriving <- &pipeConn{server, lost}:
		return &pipeConn{client, lost}, nil
	case <-l.done:
		return fail(refused)
	case <-ctx.Done():
		return fail(context.Cause(ctx))
	}
}

// Close ends Accept and refuses connections from now on. It cuts none. A second
// Close does nothing.
func (l *PipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr is an address of the loopback interface that nothing listens on.
func (l *PipeListener) Addr() net.Addr { return pipeAddr }

var pipeAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 49152}

// pipeConn is one end of a connection, which can be reset as over TCP.
type pipeConn struct {
	net.Conn

	lost *atomic.Bool
}

func (*pipeConn) LocalAddr() net.Addr  { return pipeAddr }
func (*pipeConn) RemoteAddr() net.Addr { return pipeAddr }

func (c *pipeConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if errors.Is(err, io.EOF) && c.lost.Load() {
		err = &net.OpError{Op: "read", Net: "pipe", Addr: pipeAddr, Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	return n, err
}

// SetLinger has the other end, once this one closes, read an error instead of
// the end when no seconds are given. There is nothing else to linger for.
func (c *pipeConn) SetLinger(seconds int) error {
	c.lost.Store(seconds == 0)
	return nil
}
