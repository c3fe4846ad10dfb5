// Package wire calls an http.Handler without a socket, and breaks connections as a network
// does.
//
// [Transport] works inside testing/synctest. [Wait] and [Drop] delay and drop a response. A client sees the same error through [Transport] and over TCP: ECONNRESET
// for a dropped response, io.ErrUnexpectedEOF for a truncated one.
//
// The package does not depend on the API: it serves any http.Handler.
package wire

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
)

// Transport is a RoundTripper that calls a handler without a socket, in the
// caller's goroutine. It sends every request to the handler and ignores the host.
//
// The handler receives a copy of the request with the fields that a server sets. The
// response fails like a response over a connection: when the request's context ends, and
// when the handler panics.
type Transport struct{ Handler http.Handler }

// RoundTrip responds to one request.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	ctx := r.Context()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	incoming, err := serverRequest(r)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	if r.Body != nil {
		// When the context ends, a handler that waits for the body must return.
		defer context.AfterFunc(ctx, func() { _ = r.Body.Close() })()
	}
	w := &recorder{ResponseRecorder: httptest.NewRecorder()}
	broken := w.serve(t.Handler, incoming)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case broken != nil && !w.Flushed:
		return nil, broken
	}
	response := w.Result()
	response.Request = r
	response.Body = &body{response.Body, ctx, broken}
	return response, nil
}

// serverRequest converts a client's request into the request that a server reads.
func serverRequest(r *http.Request) (in *http.Request, err error) {
	in = r.Clone(r.Context())
	in.RequestURI, in.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:49152"
	if in.URL, err = url.ParseRequestURI(in.RequestURI); err != nil {
		return nil, err
	}
	if r.URL.Scheme == "https" {
		in.TLS = &tls.ConnectionState{HandshakeComplete: true}
	}
	in.Method, in.Host = cmp.Or(in.Method, http.MethodGet), cmp.Or(in.Host, r.URL.Host)
	if in.Body == nil {
		in.Body = http.NoBody
	}
	return in, nil
}

// recorder records the response of a handler.
type recorder struct {
	*httptest.ResponseRecorder

	dropped bool // The client receives no response.
}

// Hijack ends the connection without a response.
func (w *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.dropped = true
	conn, _ := net.Pipe()
	return conn, nil, nil
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

// body is a response's body. Reading fails after the end of the request's context, as over
// a connection.
type body struct {
	io.ReadCloser

	ctx    context.Context //nolint:containedctx // net/http ties bodies to requests the same way
	broken error           // Nil if the body is complete.
}

func (b *body) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) && b.broken != nil {
		err = b.broken
	}
	return n, err
}
