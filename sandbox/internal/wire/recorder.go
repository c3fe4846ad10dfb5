package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"sync/atomic"
)

// bufferSize is how much of a body net/http buffers to determine its length.
const bufferSize = 2048

// recorder records a handler's response and returns it as a client would receive it.
type recorder struct {
	method  string
	header  http.Header
	status  int         // 0 until the header is written.
	sent    http.Header // A copy of the header when it was written.
	body    bytes.Buffer
	flushed bool // The client has received the header.
	dropped bool // The client receives no response.
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	if w.status != 0 || status < 200 {
		return // Informational responses are not passed on, and a second header is ignored.
	}
	w.status, w.sent = status, maps.Clone(w.header)
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.status == http.StatusNoContent || w.status == http.StatusNotModified {
		return 0, http.ErrBodyNotAllowed
	}
	if w.method == http.MethodHead {
		return len(p), nil
	}
	if length := w.length(); length >= 0 && int64(w.body.Len()+len(p)) > length {
		return 0, http.ErrContentLength
	}
	return w.body.Write(p)
}

// Flush sends what was written, even if the handler panics later.
func (w *recorder) Flush() {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	w.flushed = true
}

// length returns the announced Content-Length, or -1.
func (w *recorder) length() int64 {
	if values := w.sent["Content-Length"]; len(values) == 1 {
		if n, err := strconv.ParseInt(values[0], 10, 64); err == nil {
			return n
		}
	}
	return -1
}

// serve calls the handler. It returns the error that a client reads when the handler
// panics.
func (w *recorder) serve(h http.Handler, r *http.Request) (broken error) {
	defer func() {
		switch cause := recover(); {
		case w.dropped:
			broken = errReset
		case cause == nil:
		case cause == http.ErrAbortHandler: //nolint:errorlint // a panic's value is not wrapped
			broken = fmt.Errorf("sandbox: the connection broke: %w", io.ErrUnexpectedEOF)
		default:
			broken = fmt.Errorf("sandbox: the handler panicked (%v): %w", cause, io.ErrUnexpectedEOF)
		}
	}()
	h.ServeHTTP(w, r)
	return nil
}

// response returns the response that a client receives. broken is the error of serve.
func (w *recorder) response(r *http.Request, broken error) (*http.Response, error) {
	if broken != nil && !w.flushed {
		return nil, broken
	}
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	length := w.length()
	switch {
	case length >= 0 || broken != nil:
	case w.status == http.StatusNoContent:
		length = 0
	case w.method != http.MethodHead && !w.flushed && w.body.Len() <= bufferSize:
		length = int64(w.body.Len())
		w.sent.Set("Content-Length", strconv.FormatInt(length, 10))
	}
	res := &http.Response{
		Status: strconv.Itoa(w.status) + " " + http.StatusText(w.status), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, ContentLength: length, Request: r, Body: http.NoBody,
	}
	if w.method == http.MethodHead || length == 0 {
		return res, nil
	}
	end := io.EOF
	if broken != nil || int64(w.body.Len()) < length {
		end = io.ErrUnexpectedEOF
	}
	res.Body = &memoryBody{ctx: r.Context(), remaining: w.body.Bytes(), end: end}
	return res, nil
}

// memoryBody is a response's body. Reading fails after the end of the request's context,
// as over a connection.
type memoryBody struct {
	ctx       context.Context //nolint:containedctx // net/http ties bodies to requests the same way
	remaining []byte
	end       error
	closed    atomic.Bool // A client closes the body while it reads when its time is over.
}

func (b *memoryBody) Read(p []byte) (int, error) {
	switch {
	case b.closed.Load():
		return 0, http.ErrBodyReadAfterClose
	case b.ctx.Err() != nil:
		return 0, context.Cause(b.ctx)
	case len(b.remaining) == 0:
		return 0, b.end
	}
	n := copy(p, b.remaining)
	b.remaining = b.remaining[n:]
	return n, nil
}

func (b *memoryBody) Close() error {
	b.closed.Store(true)
	return nil
}
