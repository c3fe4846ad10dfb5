package sandbox_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestStalledBodiesTimeOut sends the beginning of a body and then nothing, or a byte from
// time to time.
func TestStalledBodiesTimeOut(t *testing.T) {
	for _, path := range []string{"/api/v1/assessments", "/_sandbox/clock"} {
		for name, interval := range map[string]time.Duration{"stalled": time.Hour, "trickling": time.Second} {
			t.Run(name+path, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					conn := dialPipe(t, sandbox.Start(t))
					_, err := fmt.Fprintf(conn, post, path, 5000, "{")
					require.NoError(t, err)
					begun := time.Now()
					go func() {
						for t.Context().Err() == nil {
							_, _ = conn.Write([]byte(" "))
							select {
							case <-time.After(interval):
							case <-t.Context().Done():
							}
						}
					}()
					in := bufio.NewReader(conn)
					response, err := http.ReadResponse(in, nil)
					require.NoError(t, err)
					assert.Equal(t, time.Minute, time.Since(begun))
					assert.Equal(t, 400, response.StatusCode)
					assert.Contains(t, readAll(t, response.Body), "could not be read")
					_, err = in.ReadByte()
					require.ErrorIs(t, err, io.EOF, "the connection is closed")
				})
			})
		}
	}
}

// TestADelayAfterABodyIsNotCut checks that the time limit of a body ends with the body.
func TestADelayAfterABodyIsNotCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.Start(t)
		s.Inject(sandbox.Fault{Delay: time.Hour})
		conn := dialPipe(t, s)
		_, err := fmt.Fprintf(conn, post, "/api/v1/assessments", 2, "{}")
		require.NoError(t, err)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		assert.Contains(t, readAll(t, response.Body), "challenge_id")
	})
}

// post is the format of a request with a path, a length and the beginning of a body.
const post = "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + sandbox.TestKey + "\r\nContent-Length: %d\r\n\r\n%s"

// dialPipe returns a connection in memory to a server. In a bubble its time is virtual.
func dialPipe(t *testing.T, s *sandbox.Server) net.Conn {
	t.Helper()
	client, server := net.Pipe()
	accepted := make(pipes, 1)
	accepted <- localConn{server}
	web := &http.Server{Handler: s}
	go func() { _ = web.Serve(accepted) }()
	t.Cleanup(func() {
		_ = client.Close()
		_ = web.Close()
	})
	return client
}

// pipes is a listener of the connections in a channel.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if conn, open := <-p; open {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error { close(p); return nil }
func (pipes) Addr() net.Addr { return localConn{}.RemoteAddr() }

// localConn is a connection from this machine.
type localConn struct{ net.Conn }

func (localConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 49152} }

// TestAnHTTP2PrefaceIsNoFailedLogin sends what a client with HTTP/2 sends first.
func TestAnHTTP2PrefaceIsNoFailedLogin(t *testing.T) {
	s := sandbox.Start(t)
	for range 110 {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL(), "http://"))
		require.NoError(t, err)
		_, err = conn.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
		require.NoError(t, err)
		_, err = http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		require.NoError(t, conn.Close())
	}
	assert.Equal(t, "PRI", s.Journal()[0].Method)
	assert.Equal(t, 200, inProcess(s).get(t, "/account").status)
}
