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

// Wait lets time pass before a response. It returns false when the context ended
// first.
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

// Cut returns a writer that lets so many bytes of a body through, at the latest
// all but the last, and then breaks the connection.
func Cut(w http.ResponseWriter, after int) http.ResponseWriter {
	return &cut{w, max(after, 0)}
}

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
	w.left -= n
	if n == len(p) {
		return n, nil
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}

// Lose breaks the connection before anything was answered: a client reads
// ECONNRESET. Where that cannot be
// done (a server of the user's own that speaks HTTP/2, or middleware that hides
// the connection), the handler is aborted, which net/http makes the best of.
func Lose(w http.ResponseWriter) {
	for inner := w; inner != nil; {
		if inMemory, ok := inner.(*recorder); ok {
			inMemory.lost = true
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
		_ = lingerer.SetLinger(0) // closing then resets: the client reads an error, not an end
	}
	_ = conn.Close()
}

// errReset is what a client reads from a connection that was reset.
var errReset = &net.OpError{Op: "read", Net: "sandbox", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
