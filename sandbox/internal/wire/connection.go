package wire

import (
	"context"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"
)

// Wait waits for d, or until wake is closed. It returns false when the context has ended.
func Wait(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// Drop breaks the connection without a response: the client reads ECONNRESET. Where that
// is impossible (an HTTP/2 server, or middleware that hides the connection), it aborts
// the handler.
func Drop(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if lingerer, ok := conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = lingerer.SetLinger(0) // Close then resets the connection.
	}
	_ = conn.Close()
}

// errReset is the error of a client whose connection was reset.
var errReset = &net.OpError{Op: "read", Net: "sandbox", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
