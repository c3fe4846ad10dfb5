package wire

import (
	"context"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"time"
)

// Wait waits for d. It reports whether d passed before the context ended.
func Wait(ctx context.Context, d time.Duration) bool {
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

// Cut returns a writer that breaks the connection after that many bytes of the body, at
// the latest before the last one.
func Cut(w http.ResponseWriter, after int) http.ResponseWriter {
	return &cutWriter{w, max(after, 0)}
}

// cutWriter is the writer of Cut.
type cutWriter struct {
	http.ResponseWriter

	remaining int
}

// WriteHeader limits the body to less than its announced length.
func (w *cutWriter) WriteHeader(status int) {
	if length, err := strconv.Atoi(w.Header().Get("Content-Length")); err == nil {
		w.remaining = min(w.remaining, length-1)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *cutWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.remaining)
	_, _ = w.ResponseWriter.Write(p[:n])
	w.remaining -= n
	if n == len(p) {
		return n, nil
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}

// Drop breaks the connection without a response: the client reads ECONNRESET. Where that
// is impossible (an HTTP/2 server, or middleware that hides the connection), it aborts
// the handler.
func Drop(w http.ResponseWriter) {
	for inner := w; inner != nil; {
		if inMemory, ok := inner.(*recorder); ok {
			inMemory.dropped = true
			return
		}
		wrapper, ok := inner.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			break
		}
		inner = wrapper.Unwrap()
	}
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
