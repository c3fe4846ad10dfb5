package hiring

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/headers"
	"github.com/hiring-assessment/hiring-go/internal/limits"
)

// roundTrip is what one HTTP round trip brought.
type roundTrip struct {
	err    error // Of the transport, which returned no response. Of a download: any failure.
	unsent bool  // With err: the server certainly did not receive the request.

	status    int
	header    http.Header
	requestID string
	limit     RateLimit
	throttled bool   // A 429 that throttles the client's address, not the key.
	body      []byte // In memory that is used again after the attempt.
	bodyErr   error  // Why body is not all of the response's body.
}

// attempt is what one attempt of a call or of a download holds until leave.
type attempt struct {
	reservation
	span

	limited context.Context // That of the span, which also ends with the attempt's timeout.
	cancel  context.CancelFunc
	body    limits.Once // The response's body. Its Body is nil before the response.
	buffer  limits.Buffer
	payload payload // Here because a local one would be allocated apart.
}

// send sends a request and returns the response, whose body is in a.body.
func (a *attempt) send(k *core, r *http.Request) (*http.Response, error) {
	transport := k.http.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	resp, err := transport.RoundTrip(r)
	switch {
	case err != nil:
		return nil, errorOfServer(err)
	case resp == nil:
		return nil, errNoResponse
	case resp.Body == nil:
		resp.Body = http.NoBody // http.Client does the same, but fails if Content-Length is above 0.
	}
	a.body.Body, resp.Body = resp.Body, http.NoBody // go-retryablehttp would close it again, which not every body allows.
	return resp, nil
}

// leave releases what the attempt still holds. After a panic or a runtime.Goexit it
// also ends the span.
func (a *attempt) leave() {
	defer a.abandon()
	a.release()
	a.buffer.Release()
	if a.cancel != nil {
		a.cancel()
	}
	if a.body.Body != nil {
		a.body.CloseLate() // Closed already, unless a panic unwinds, which another must not replace.
	}
}

// response returns a copy of the response without the key.
func (t *roundTrip) response(attempts int, key *credential) Response {
	r := Response{
		StatusCode: t.status,
		RequestID:  t.requestID,
		RateLimit:  t.limit,
		Attempts:   attempts,
		Body:       bytes.Clone(t.body),
		Header:     t.header.Clone(),
	}
	for name, values := range r.Header {
		for i := range values {
			values[i] = key.secret.ScrubString(values[i])
		}
		if clean := key.secret.ScrubString(name); clean != name {
			delete(r.Header, name)
			r.Header[clean] = values
		}
	}
	return r
}

// fetch sends one attempt and reads its response.
func (c *call) fetch(a *attempt, template *http.Request, cookies []string) (*http.Response, roundTrip) {
	header := http.Header{"Authorization": a.key.header, "User-Agent": c.core.agent, "Accept": jsonType}
	if c.request.body != nil {
		header["Content-Type"] = jsonType
	}
	if cookies != nil {
		header["Cookie"] = cookies
	}
	a.begin(c.ctx, &c.core.traces, c.traceAttempt(c.core.server), header, a.key)
	if c.timeout == 0 {
		a.limited, a.cancel = context.WithCancel(a.ctx)
	} else {
		a.limited, a.cancel = context.WithDeadline(a.ctx, a.known.Started.Add(c.timeout))
	}
	ctx, progress := a.limited, (*writeProgress)(nil)
	if !isRead(c.request.method) {
		progress = new(writeProgress)
		ctx = progress.watch(ctx)
	}
	r := template.WithContext(ctx)
	r.Header = header
	resp, err := a.send(c.core, r)
	if err != nil {
		a.release()
		return nil, roundTrip{err: err, unsent: progress.neverSent(err)}
	}
	trip := roundTrip{status: resp.StatusCode, header: resp.Header,
		requestID: a.key.secret.ScrubString(headers.Value(resp.Header, "X-Request-Id"))}
	trip.limit, trip.throttled = a.learn(trip.status, trip.header, a.known.Started, time.Now())
	a.known.Status, a.known.RequestID, a.known.RateLimit = trip.status, trip.requestID, trip.limit
	a.release() // A slow body must not hold up other attempts.
	if headers.Value(resp.Header, "Location") != "" {
		// http.Client fails on some redirects before it calls CheckRedirect.
		resp.Header = resp.Header.Clone()
		resp.Header.Del("Location")
	}
	if trip.status < 200 { // What follows may never end, as after a switch of protocols.
		a.body.Close()
		return resp, trip
	}
	trip.body, trip.bodyErr = c.readBody(a, trip.status)
	return resp, trip
}

// traceAttempt describes an attempt to tracers.
func (s *subject) traceAttempt(server string) TraceAttempt {
	r := &s.request
	return TraceAttempt{Operation: r.operation, Method: r.method, Route: r.route, Server: server, Number: s.attempts}
}

// maxDrained is how much of an unwanted body is read, so that the connection can be
// used again.
const maxDrained = 64 << 10

// readBody reads and closes the body of a response. The bytes are in the buffer of a. A
// body that is still being read when the attempt's timeout expires is closed.
func (c *call) readBody(a *attempt, status int) ([]byte, error) {
	defer a.body.Close()
	defer context.AfterFunc(a.limited, a.body.CloseLate)()
	limit, whole := c.core.config.maxBytes, true
	if status >= 300 {
		limit = min(limit, 1<<20)
	} else if c.decoder == nil {
		limit, whole = min(limit, maxDrained), false
	}
	err := errorOfServer(a.buffer.Fill(a.body.Body, limit))
	read := a.buffer.Bytes()
	if err == nil && whole && int64(len(read)) > limit {
		err = tooLongError{limit}
	}
	if whole && status < 300 { // Any other body is short.
		clean, late := a.key.secret.ScrubWithin(read, &limits.Bound{Until: a.limited})
		return clean, cmp.Or(err, late)
	}
	return a.key.secret.Scrub(read), err
}

type tooLongError struct{ limit int64 }

func (e tooLongError) Error() string {
	return fmt.Sprintf("the response is longer than %d bytes", e.limit)
}

// writeProgress records how far the request of a write got.
type writeProgress struct {
	dialled   atomic.Bool // The transport asked for a connection.
	connected atomic.Bool // The transport has a connection. From here on the request may have been written.
}

func (p *writeProgress) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { p.dialled.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { p.connected.Store(true) },
	})
}

// neverSent reports whether the request was certainly not sent: the transport asked for
// a connection and got none. The error of a transport that reports no progress proves
// this only if it is an error of dialling. For a read, p is nil and nothing is proved.
func (p *writeProgress) neverSent(err error) bool {
	if p == nil || p.connected.Load() {
		return false
	}
	if p.dialled.Load() {
		return true
	}
	dial, ok := errors.AsType[*net.OpError](err)
	return ok && dial.Op == "dial"
}

var (
	jsonType      = []string{"application/json"}
	errNoResponse = errors.New("the transport returned neither a response nor an error")
)
