package sandbox

import (
	"context"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"time"
)

// wait returns false when the context ended first.
func wait(ctx context.Context, d time.Duration) bool {
	if d == 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// cut lets so many bytes of a body through and breaks the connection.
type cut struct {
	http.ResponseWriter

	left int
}

// WriteHeader sees to it that something is missing.
func (w *cut) WriteHeader(status int) {
	if length, err := strconv.Atoi(w.Header().Get("Content-Length")); err == nil {
		w.left = min(w.left, length-1)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *cut) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	_, _ = w.ResponseWriter.Write(p[:n])
	if w.left -= n; n == len(p) {
		return n, nil
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}

// lose breaks the connection before anything was answered. Where that cannot be
// done (a server of the user's own that speaks HTTP/2, or middleware that hides
// the connection), the handler is aborted, which net/http makes the best of.
func lose(w http.ResponseWriter) {
	if door, ok := w.(interface{ reset() }); ok {
		door.reset()
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if lingerer, ok := conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = lingerer.SetLinger(0) // closing then resets: the client reads an error, not an end
	}
	_ = conn.Close()
}

// errReset is what a client reads from a connection that was reset.
var errReset = &net.OpError{Op: "read", Net: "sandbox", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
