package hiring

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

// call is one request with all its attempts, to the API or, in a download, to the storage. An
// operation, which a [TraceCall] describes, makes one or more calls, and each attempt makes
// one round trip. An attempt of a download may also make a call that reads the link.
type call struct {
	core    *core
	ctx     context.Context // The caller's.
	request request
	url     url.URL // Of the API. Removed from texts.
	decoder decoder // Decodes a 2xx response. Nil: any 2xx API response is success.

	key      *credential // The key that was obtained last, removed from texts; noKey before the first.
	attempts int         // Requests that were sent, with the present one.
	unknown  bool        // An earlier attempt of a write may have taken effect.
	blocked  error       // Why the last attempt was not sent.
	failure  *Error      // Of the last attempt that was sent; nil if it succeeded.
	next     decision    // What follows the last attempt.

	// Variables of run, here because each would be allocated apart.
	client   http.Client
	loop     retryablehttp.Client
	template retryablehttp.Request
}

// do makes a call whose response contains a T.
func do[T entity](ctx context.Context, k *core, r request) (T, error) {
	var d resourceDecoder[T]
	if err := k.makeCall(ctx, r, &d); err != nil || d.envelope.Data == nil { // A repeated DELETE that found nothing has no data.
		return *new(T), err
	}
	return *d.envelope.Data, nil
}

// makeCall makes a call whose 2xx response d decodes, in the trace span of its operation. With nil
// for d it succeeds with any 2xx API response.
func (k *core) makeCall(ctx context.Context, r request, d decoder) error {
	return k.traced(ctx, TraceCall{r.operation, r.method, r.route}, func(ctx context.Context) error {
		if r.err != nil {
			return r.err
		}
		c := &call{core: k, ctx: ctx, request: r, url: k.base, decoder: d, key: noKey}
		if err := contextError(ctx); err != nil {
			return c.ended(err)
		}
		c.request.extend(&c.url)
		client := k.http
		client.Transport = apiTransport{c}
		return c.run(client)
	})
}

// apiTransport is a call as the transport of the [http.Client] with which go-retryablehttp
// sends: each request is one attempt. It returns the response or the error of the real
// transport, and not the *Error of a response, for which the client would drop the cookies.
type apiTransport struct{ *call }

// RoundTrip makes an attempt.
func (t apiTransport) RoundTrip(template *http.Request) (*http.Response, error) {
	return t.makeAttempt(template)
}

// run makes attempts, each a request to client, until one succeeds or no retry can help.
// go-retryablehttp rewinds the body before each and afterwards does what decide has decided.
// Of what it returns, only the error of a loop without any attempt counts.
func (c *call) run(client http.Client) error {
	c.client = client
	c.loop = retryablehttp.Client{
		HTTPClient: &c.client,
		RetryMax:   math.MaxInt, // decide limits the attempts.
		CheckRetry: c.takeDecision,
		Backoff:    c.announceDelay,
	}
	header := noHeader
	if client.Jar != nil {
		header = make(http.Header) // http.Client adds the cookies.
	}
	c.template.Request = newHTTPRequest(c.ctx, c.request.method, &c.url, header)
	if c.request.body != nil {
		if err := c.template.SetBody(c.request.body); err != nil {
			return c.fail(&roundTrip{}, "the request could not be built", err)
		}
	}
	_, err := c.loop.Do(&c.template) //nolint:bodyclose // makeAttempt reads and closes every body
	switch {
	case c.blocked != nil && c.failure != nil:
		return fmt.Errorf("%w; before that: %w", c.blocked, c.failure)
	case c.blocked != nil:
		return c.blocked
	case c.failure != nil:
		return join(c.ctx, c.failure)
	case c.attempts == 0: // http.Client did not call its transport.
		return c.fail(&roundTrip{}, c.text(err), err)
	}
	return nil
}

// takeDecision returns once whether the last attempt is retried: a retry that is blocked, or that
// http.Client fails before its transport, decides nothing.
func (c *call) takeDecision(context.Context, *http.Response, error) (bool, error) {
	retry := c.next.retry
	c.next.retry = false
	return retry, nil
}

// announceDelay announces the wait before a retry to the traces, and returns its length.
func (c *call) announceDelay(time.Duration, time.Duration, int, *http.Response) time.Duration {
	reason := PauseRetry
	if c.failure.usedUp() {
		reason = PauseQuota
	}
	announceWait(c.core.withOperation(c.ctx, c.request.operation), c.next.wait, reason)
	return c.next.wait
}

// noHeader is the header of a request without cookies. It stays empty, and is not nil
// because http.Client would allocate one.
var noHeader = make(http.Header)

func newHTTPRequest(ctx context.Context, method string, u *url.URL, h http.Header) *http.Request {
	return (&http.Request{
		Method: method, URL: u, Header: h, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
}

// makeAttempt makes one attempt. It returns the response, whose body has been read and closed, or
// the error of the transport or of what prevents the attempt.
//
// The steps depend on their order. Decoding belongs to the attempt, because a response that
// is cut short must be retried. classify runs after decoding, because only then it is known
// whether the attempt's timeout has expired. unknown changes after classify, which reads
// whether an earlier attempt may have taken effect. The authentication brake learns before
// notify, because observers may make calls that a refused key must stop.
func (c *call) makeAttempt(template *http.Request) (*http.Response, error) {
	cookies := template.Header["Cookie"]
	if cookies != nil { // http.Client added them for this attempt. A retry would send them too.
		delete(template.Header, "Cookie")
	}
	a := new(attempt)
	defer a.leave()
	if c.blocked = c.admitAndPrepare(a); c.blocked != nil {
		return nil, c.blocked
	}
	c.attempts++
	resp, trip := c.sendAndRead(a, template, cookies)
	dec := c.decodeResponse(a, &trip)
	end := endOf(c.ctx, a.timed)
	classified := c.classify(&trip, &dec, &end)
	c.failure = classified.failure
	c.unknown = c.unknown || c.failure != nil && c.failure.Outcome == OutcomeUnknown
	c.next = decide(c.core.config.retry, c.request.method, c.attempts, &trip, classified, &end, jitter())
	if classified.fromAPI {
		refused := trip.status == http.StatusUnauthorized && c.failure.Code == ErrInvalidToken
		c.core.shared.quotas.Authenticated(c.key.id, !refused, end.at)
	}
	if captured := responseOf(c.ctx); captured != nil {
		*captured = trip.response(c.attempts, c.key)
	}
	a.buffer.Release() // Observers may make calls of their own.
	a.span.notify(dec.warning, c.failure, c.next.wait)
	return resp, trip.err
}

// admittedFor is how long an attempt stays admitted before it is sent.
const admittedFor = time.Minute

// admitAndPrepare admits an attempt and calls beforeAttempt of its request. When that took long, as it may
// wait for a window to read a listing, the attempt is admitted again: the key and the rate limit may
// have changed.
func (c *call) admitAndPrepare(a *attempt) error {
	for {
		if err := c.admit(a); err != nil || c.request.beforeAttempt == nil {
			return err
		}
		begun := time.Now()
		if err := c.request.beforeAttempt(a.waited || c.failure.usedUp()); err != nil {
			return err
		}
		if err := contextError(c.ctx); err != nil {
			return c.ended(err)
		}
		if time.Since(begun) < admittedFor {
			return nil
		}
	}
}

// attempt is what one attempt of a call or of a download holds until leave.
type attempt struct {
	waited bool // For a window of the rate limit, before it was admitted.
	span   span

	timed   context.Context // That of the span, which also ends with the attempt's timeout.
	cancel  context.CancelFunc
	body    limits.Once // The response's body. Its Body is nil before the response.
	buffer  limits.Buffer
	payload payload // Here because a local one would be allocated apart.
}

// leave releases what the attempt still holds. After a panic or a runtime.Goexit it
// also ends the span.
func (a *attempt) leave() {
	defer a.span.abandon()
	a.buffer.Release()
	if a.cancel != nil {
		a.cancel()
	}
	if a.body.Body != nil {
		a.body.CloseLate() // Closed already, unless a panic unwinds, which another must not replace.
	}
}

// roundTrip is the result of one HTTP round trip.
type roundTrip struct {
	err    error // Of the transport, which returned no response. Of a download: any failure.
	unsent bool  // With err: the server certainly did not receive the request.

	status     int
	header     http.Header
	requestID  string
	rateLimit  RateLimit
	retryAfter time.Duration // That of the header, or of a 429 without it the time until its Reset.
	body       []byte        // In memory that is used again after the attempt.
	bodyErr    error         // Why body is not all of the response's body.
}

// response returns a copy of the response without the key.
func (t *roundTrip) response(attempts int, key *credential) Response {
	r := Response{
		StatusCode: t.status,
		RequestID:  t.requestID,
		RateLimit:  t.rateLimit,
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

// sendAndRead makes the round trip of an attempt: it sends the request and reads the response.
func (c *call) sendAndRead(a *attempt, template *http.Request, cookies []string) (*http.Response, roundTrip) {
	header := http.Header{"Authorization": c.key.header, "User-Agent": c.core.agent, "Accept": jsonType}
	if c.request.body != nil {
		header["Content-Type"] = jsonType
	}
	if cookies != nil {
		header["Cookie"] = cookies
	}
	a.span.begin(c.ctx, &c.core.traces, c.traceAttempt(c.core.server), header, c.key)
	if c.core.timeout == 0 {
		a.timed, a.cancel = context.WithCancel(a.span.ctx)
	} else {
		a.timed, a.cancel = context.WithDeadline(a.span.ctx, a.span.exchange.Started.Add(c.core.timeout))
	}
	ctx, progress := a.timed, (*writeProgress)(nil)
	if !isRead(c.request.method) {
		progress = new(writeProgress)
		ctx = progress.watch(ctx)
	}
	r := template.WithContext(ctx)
	r.Header = header
	resp, err := a.transmit(c.core, r)
	if err != nil {
		return nil, roundTrip{err: err, unsent: progress.neverSent(err)}
	}
	trip := roundTrip{status: resp.StatusCode, header: resp.Header,
		requestID: c.key.secret.ScrubString(headerValue(resp.Header, "X-Request-Id"))}
	trip.rateLimit, trip.retryAfter = c.learnLimits(trip.status, trip.header, a.span.exchange.Started, time.Now())
	seen := &a.span.exchange
	seen.Status, seen.RequestID, seen.RateLimit = trip.status, trip.requestID, trip.rateLimit
	if headerValue(resp.Header, "Location") != "" {
		// http.Client fails on some redirects before it calls CheckRedirect.
		resp.Header = resp.Header.Clone()
		resp.Header.Del("Location")
	}
	if trip.status < 200 { // What follows may never end, as after a switch of protocols.
		a.body.Close()
	} else {
		trip.body, trip.bodyErr = c.readBody(a, trip.status)
	}
	return resp, trip
}

// transmit sends a request and returns the response, whose body is in a.body.
func (a *attempt) transmit(k *core, r *http.Request) (*http.Response, error) {
	resp, err := cmp.Or(k.http.Transport, http.DefaultTransport).RoundTrip(r)
	switch {
	case err != nil:
		return nil, errorOfServer(err)
	case resp == nil:
		return nil, errors.New("the transport returned neither a response nor an error")
	case resp.Body == nil:
		resp.Body = http.NoBody // http.Client does the same, but fails if Content-Length is above 0.
	}
	a.body.Body, resp.Body = resp.Body, http.NoBody // go-retryablehttp would close it again, which not every body allows.
	return resp, nil
}

// traceAttempt describes an attempt to tracers.
func (c *call) traceAttempt(server string) TraceAttempt {
	r := &c.request
	return TraceAttempt{Operation: r.operation, Method: r.method, Route: r.route, Server: server, Number: c.attempts}
}

// maxDrained is how much of an unwanted body is read, so that the connection can be
// used again.
const maxDrained = 64 << 10

// readBody reads and closes the body of a response. The bytes are in the buffer of a. A
// body that is still being read when the attempt's timeout expires is closed.
func (c *call) readBody(a *attempt, status int) ([]byte, error) {
	defer a.body.Close()
	defer context.AfterFunc(a.timed, a.body.CloseLate)()
	most, whole := c.core.config.maxBytes, true
	if status >= 300 {
		most = min(most, 1<<20)
	} else if c.decoder == nil {
		most, whole = min(most, maxDrained), false
	}
	err := errorOfServer(a.buffer.Fill(a.body.Body, most))
	read := a.buffer.Bytes()
	if err == nil && whole && int64(len(read)) > most {
		err = tooLongError{most}
	}
	if whole && status < 300 { // Any other body is short.
		clean, late := c.key.secret.ScrubWithin(read, &limits.Bound{Until: a.timed})
		return clean, cmp.Or(err, late)
	}
	return c.key.secret.Scrub(read), err
}

type tooLongError struct{ limit int64 }

func (e tooLongError) Error() string {
	return fmt.Sprintf("the response is longer than %d bytes", e.limit)
}

// decodeResponse decodes a 2xx response within the limits of an attempt.
func (c *call) decodeResponse(a *attempt, trip *roundTrip) (d decoded) {
	if c.request.leniency != nil {
		c.request.leniency.begin()
	}
	if trip.err != nil || trip.status < 200 || trip.status >= 300 {
		return d
	}
	members := []string{"data", "meta"}
	if c.request.route == "/openapi.json" { // The one document that has no envelope.
		members = append(members, "openapi")
	}
	d.intermediary, d.page = c.core.shared.provenance.Intermediary(trip.header, trip.body, members, a.timed)
	switch {
	case d.intermediary != "":
		d.err = trip.bodyErr
	case c.decoder != nil:
		a.payload = payload{body: trip.body, bodyErr: trip.bodyErr, leniency: c.request.leniency}
		d.warning, d.err = c.decoder.decode(&a.payload)
	}
	return d
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
	dial, ok := errors.AsType[*net.OpError](err)
	return p.dialled.Load() || ok && dial.Op == "dial"
}

var jsonType = []string{"application/json"}
