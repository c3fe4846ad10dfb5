package wire

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

// Pipe is a net.Listener whose connections are in memory.
type Pipe struct {
	conns chan net.Conn // Server ends that Accept has not returned yet.
	done  chan struct{}
	once  sync.Once
}

// NewPipe returns a listener without connections.
func NewPipe() *Pipe {
	return &Pipe{conns: make(chan net.Conn), done: make(chan struct{})}
}

// Accept waits for a connection. After Close it returns net.ErrClosed.
func (l *Pipe) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, &net.OpError{Op: "accept", Net: "pipe", Addr: l.Addr(), Err: net.ErrClosed}
	}
}

// DialContext connects to the listener and ignores the address. It waits until Accept
// takes the connection or the context ends. A closed listener refuses the connection.
func (l *Pipe) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	reset := new(atomic.Bool)
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
	case l.conns <- &pipeConn{server, reset}:
		return &pipeConn{client, reset}, nil
	case <-l.done:
		return fail(refused)
	case <-ctx.Done():
		return fail(context.Cause(ctx))
	}
}

// Close ends Accept and refuses new connections. Existing connections remain. Further
// calls have no effect.
func (l *Pipe) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr returns a loopback address on which nothing listens.
func (l *Pipe) Addr() net.Addr { return pipeAddr }

var pipeAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 49152}

// pipeConn is one end of a connection that can be reset like a TCP connection.
type pipeConn struct {
	net.Conn

	reset *atomic.Bool // Shared by both ends.
}

func (*pipeConn) LocalAddr() net.Addr  { return pipeAddr }
func (*pipeConn) RemoteAddr() net.Addr { return pipeAddr }

func (c *pipeConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if errors.Is(err, io.EOF) && c.reset.Load() {
		err = &net.OpError{Op: "read", Net: "pipe", Addr: pipeAddr, Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	return n, err
}

// SetLinger with 0 seconds makes Close reset the connection: the other end reads an error
// instead of io.EOF. Other values have no effect.
func (c *pipeConn) SetLinger(seconds int) error {
	c.reset.Store(seconds == 0)
	return nil
}
