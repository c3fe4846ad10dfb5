package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
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
	if err := checkOutgoing(r); err != nil {
		return nil, err
	}
	ctx := r.Context()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	incoming, err := serverRequest(r)
	if err != nil {
		return nil, err
	}
	if r.Body != nil && r.Body != http.NoBody {
		// When the context ends, a handler that waits for the body must return.
		defer context.AfterFunc(ctx, func() { _ = r.Body.Close() })()
	}
	w := &recorder{header: make(http.Header, 8), method: r.Method}
	broken := w.serve(t.Handler, incoming)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return w.response(r, broken)
}

// checkOutgoing returns the errors that net/http's transport would return, so that a
// mistake fails here as in production.
func checkOutgoing(r *http.Request) error {
	switch {
	case r.URL == nil:
		return errors.New("sandbox: nil Request.URL")
	case r.URL.Scheme != "http" && r.URL.Scheme != "https":
		return fmt.Errorf("sandbox: unsupported protocol scheme %q", r.URL.Scheme)
	case r.URL.Host == "":
		return errors.New("sandbox: no Host in request URL")
	case r.Header == nil:
		return errors.New("sandbox: nil Request.Header")
	case strings.ContainsFunc(r.Method, func(c rune) bool { return c <= ' ' || c >= 0x7f }):
		return fmt.Errorf("sandbox: invalid method %q", r.Method)
	}
	for name, values := range r.Header {
		for _, value := range values {
			if strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
				return fmt.Errorf("sandbox: invalid header field value for %q", name)
			}
		}
	}
	return nil
}

// serverRequest converts a client's request into the request that a server reads.
func serverRequest(r *http.Request) (*http.Request, error) {
	uri := r.URL.RequestURI()
	u, err := url.ParseRequestURI(uri)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	in := r.WithContext(r.Context())
	in.URL, in.RequestURI, in.RemoteAddr = u, uri, "127.0.0.1:49152"
	in.Proto, in.ProtoMajor, in.ProtoMinor = "HTTP/1.1", 1, 1
	in.GetBody, in.Response, in.Close = nil, nil, false
	if r.URL.Scheme == "https" {
		in.TLS = &tls.ConnectionState{HandshakeComplete: true}
	}
	if in.Method == "" {
		in.Method = http.MethodGet
	}
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	in.Header = receivedHeader(r)
	in.TransferEncoding = nil
	switch {
	case r.Body == nil || r.Body == http.NoBody:
		in.Body, in.ContentLength = http.NoBody, 0
	case r.ContentLength <= 0:
		// A body of unknown length is sent in chunks. So is a body with the length 0,
		// which net/http takes for unknown.
		in.Body, in.ContentLength, in.TransferEncoding = io.NopCloser(r.Body), -1, []string{"chunked"}
	default:
		in.Body = io.NopCloser(&lengthChecker{body: r.Body, remaining: r.ContentLength})
		in.Header["Content-Length"] = []string{strconv.FormatInt(r.ContentLength, 10)}
	}
	return in, nil
}

// receivedHeader returns the header as a server reads it.
func receivedHeader(r *http.Request) http.Header {
	h := make(http.Header, len(r.Header)+3)
	for name, values := range r.Header {
		name = http.CanonicalHeaderKey(name)
		for _, value := range values {
			h[name] = append(h[name], strings.Trim(value, " \t"))
		}
	}
	delete(h, "Host") // A server moves these three to fields of the request.
	delete(h, "Transfer-Encoding")
	delete(h, "Content-Length")
	switch agent, given := h["User-Agent"]; {
	case !given:
		h["User-Agent"] = []string{"Go-http-client/1.1"}
	case agent[0] == "":
		delete(h, "User-Agent")
	}
	return h
}

// lengthChecker returns as many bytes as were announced, and an error if the body is
// shorter.
type lengthChecker struct {
	body      io.Reader
	remaining int64
}

func (c *lengthChecker) Read(p []byte) (int, error) {
	if c.remaining == 0 {
		return 0, io.EOF
	}
	n, err := c.body.Read(p[:min(int64(len(p)), c.remaining)])
	c.remaining -= int64(n)
	if errors.Is(err, io.EOF) && c.remaining > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
