package apitest

import (
	"net"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Listen serves each connection with handle, and counts them.
func Listen(t *testing.T, handle func(*net.TCPConn)) (baseURL string, connections *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	connections = new(atomic.Int32)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			go handle(conn.(*net.TCPConn))
		}
	}()
	return "http://" + l.Addr().String(), connections
}
