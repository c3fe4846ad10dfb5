package hiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// do makes a call whose response contains a T.
func do[T entity](ctx context.Context, k *core, r request) (T, error) {
	var e envelope[T]
	err := k.makeCall(ctx, r, func(body []byte, bodyErr error) (string, error) {
		err := readEnvelope(body, bodyErr, &e, readerOf[T])
		switch {
		case err != nil:
		case e.Data == nil:
			err = errNoData
		case (*e.Data).identity() == "":
			err = errNoIdentity
		}
		return "", err
	})
	if err != nil || e.Data == nil { // A retried DELETE that found nothing has no data. A Dialect may make any call one.
		return *new(T), err
	}
	return *e.Data, nil
}

// doRaw makes a call and returns its data undecoded.
func doRaw(ctx context.Context, k *core, r request) (RawValue, error) {
	var e envelope[RawValue]
	err := k.makeCall(ctx, r, func(body []byte, bodyErr error) (string, error) {
		err := readEnvelope(body, bodyErr, &e, readerOf[RawValue])
		if err == nil && e.Data == nil {
			err = errNoData
		}
		return "", err
	})
	if err != nil {
		return nil, err
	}
	return *e.Data, nil
}

// makeCall makes a call whose 2xx response d decodes, in the trace span of its operation. With nil
// for d it succeeds with any 2xx API response.
func (k *core) makeCall(ctx context.Context, r request, d decoder) error {
	return k.traced(ctx, TraceCall{r.operation, r.method, r.route}, func(ctx context.Context) error {
		if r.err != nil {
			return r.err
		}
		c := &call{core: k, ctx: ctx, request: r, address: k.base, decoder: d, key: noKey}
		c.url = &c.address
		r.extend(c.url)
		return c.run() //nolint:contextcheck // the call holds the context
	})
}

// call is one request with all its attempts. Its methods checkRetry, readResponse, backoff and
// prepareRetry are the hooks of go-retryablehttp.
type call struct {
	core    *core
	ctx     context.Context // The caller's.
	request request
	url     *url.URL // Removed from texts.
	decoder decoder  // Decodes a 2xx response. Nil: any 2xx API response is success.

	key      *credential // Of the next attempt, removed from texts; noKey before the first.
	attempts int         // Requests that were sent.
	unknown  bool        // An earlier attempt of a write may have taken effect.
	attempt  attempt     // The last one.
	failure  *Error      // Of the last attempt.
	delay    time.Duration

	// Variables of run, here because each would be allocated apart.
	next     http.RoundTripper
	client   http.Client
	loop     retryablehttp.Client
	template retryablehttp.Request
	address  url.URL
}

// run makes attempts until one succeeds or no retry can help.
func (c *call) run() error {
	if err := c.admit(); err != nil {
		return err
	}
	defer c.attempt.abandon(c.core.traces)
	c.client = c.core.http
	c.next = cmp.Or(c.client.Transport, http.DefaultTransport)
	c.client.Transport = transport{c}
	c.loop = retryablehttp.Client{
		HTTPClient:   &c.client,
		RetryMax:     math.MaxInt, // decide limits the attempts.
		CheckRetry:   c.checkRetry,
		Backoff:      c.backoff,
		PrepareRetry: c.prepareRetry,
		ErrorHandler: retryablehttp.PassthroughErrorHandler, // readResponse has closed the body.
	}
	c.template.Request = (&http.Request{
		Method: c.request.method, URL: c.url, Header: c.header(), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(c.ctx)
	if c.request.body != nil {
		if err := c.template.SetBody(c.request.body); err != nil {
			return c.fail("the request could not be built", err)
		}
	}
	c.template.SetResponseHandler(c.readResponse)
	_, err := c.loop.Do(&c.template) //nolint:bodyclose // readResponse closes every body
	if err != nil && c.failure != nil {
		return join(c.ctx, c.blocked(err)) // When the context ends during the delay, err is only its error.
	}
	return err
}

// header returns the header of an attempt. A retry gets a new one, because the key may have changed
// and because http.Client adds cookies to it.
func (c *call) header() http.Header {
	h := http.Header{"Authorization": c.key.header, "User-Agent": c.core.agent, "Accept": jsonType}
	if c.request.body != nil {
		h["Content-Type"] = jsonType
	}
	return h
}

var jsonType = []string{"application/json"}

// attempt is one request of a call.
type attempt struct {
	ctx      context.Context // Ends with the attempt's timeout.
	cancel   context.CancelFunc
	exchange Exchange         // For observers.
	traced   context.Context  // For observers; nil after the end.
	ends     []func(Exchange) // Of the traces; nil after the end.
	delay    time.Duration    // That a response requests before the next attempt.

	dialled   atomic.Bool // The transport asked for a connection.
	connected atomic.Bool // The transport has a connection. From here on the request may have been written.
	trace     httptrace.ClientTrace
}

// transport is the middleware of a call: it limits the time of each attempt and calls the traces.
type transport struct{ *call }

// RoundTrip sends the request of an attempt.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	a := &t.attempt
	t.attempts++
	ctx, header := a.begin(r.Context(), t.core.traces, TraceAttempt{
		Operation: t.request.operation, Method: r.Method, Route: t.request.route, Server: t.core.server, Number: t.attempts,
	}, t.core.config.timeout)
	r = r.WithContext(ctx)
	if len(header) > 0 {
		own := r.Header
		r.Header = header
		maps.Copy(r.Header, own)
	}
	resp, err := t.next.RoundTrip(r)
	if err == nil && resp != nil && resp.StatusCode/100 == 3 {
		if _, invalid := resp.Location(); invalid != nil { // http.Client would fail instead of returning the redirect.
			delete(resp.Header, "Location")
		}
	}
	return resp, err
}

// begin calls the traces, and returns the context of an attempt with a timeout, unless that is 0, and
// the headers that the traces add.
func (a *attempt) begin(ctx context.Context, traces *traces, at TraceAttempt, timeout time.Duration) (context.Context, http.Header) {
	*a = attempt{exchange: Exchange{
		Operation: at.Operation, Method: at.Method, Route: at.Route, Attempt: at.Number, Server: at.Server, Started: time.Now(),
	}}
	ctx, header := a.beginTraces(ctx, traces, at)
	a.traced = ctx
	if timeout > 0 {
		a.ctx, a.cancel = context.WithDeadline(ctx, a.exchange.Started.Add(timeout))
	} else {
		a.ctx, a.cancel = context.WithCancel(ctx)
	}
	a.trace.GetConn = func(string) { a.dialled.Store(true) }
	a.trace.GotConn = func(httptrace.GotConnInfo) { a.connected.Store(true) }
	return httptrace.WithClientTrace(a.ctx, &a.trace), header
}

// end tells the traces that the attempt has ended.
func (a *attempt) end(traces *traces, warning string, failure *Error, wait time.Duration) {
	a.cancel()
	a.exchange.Warning, a.exchange.Wait = warning, wait
	if failure != nil {
		a.exchange.Err = failure
	}
	a.exchange.Duration = time.Since(a.exchange.Started)
	a.endTraces(traces)
}

// abandon ends an attempt that a panic or a runtime.Goexit ended. It has no effect after end.
func (a *attempt) abandon(traces *traces) {
	if a.cancel != nil {
		a.cancel()
	}
	a.exchange.Err, a.exchange.Duration = errUnreturned, time.Since(a.exchange.Started)
	a.endTraces(traces)
}

// neverSent reports whether the request was certainly not sent: the transport asked for a
// connection and got none. The error of a transport that reports no progress proves this only if
// it is an error of dialling.
func (a *attempt) neverSent(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return !a.connected.Load() && (a.dialled.Load() || ok && dial.Op == "dial")
}

// checkRetry is called with each response before its body is read, and again with the result of
// readResponse, nil or an *Error. Other errors are those of the transport.
func (c *call) checkRetry(_ context.Context, _ *http.Response, err error) (bool, error) {
	if err == nil {
		return false, nil
	}
	failure, ok := err.(*Error) //nolint:errorlint // readResponse does not wrap it
	if !ok {
		failure = c.noResponse(err)
		c.capture(nil, nil)
	}
	c.failure = failure
	c.unknown = c.unknown || failure.Outcome == OutcomeUnknown
	policy := c.core.config.retry
	if c.request.background && failure.Status == http.StatusTooManyRequests {
		policy.MaxWait = quota.Longest
	}
	wait, retry := decide(policy, failure, c.attempt.delay, timeLeft(c.ctx), jitter()) //nolint:contextcheck // of the call
	c.delay = wait
	c.attempt.end(c.core.traces, "", failure, wait)
	if !retry {
		return false, failure
	}
	return true, nil
}

// backoff announces the delay before a retry to the traces, and returns it.
func (c *call) backoff(time.Duration, time.Duration, int, *http.Response) time.Duration {
	reason := PauseRetry
	if c.failure.usedUp() {
		reason = PauseQuota
	}
	announceWait(c.core.withOperation(c.ctx, c.request.operation), c.delay, reason)
	return c.delay
}

// prepareRetry admits a retry: the key may have changed, and a window may have ended.
func (c *call) prepareRetry(r *http.Request) error {
	c.attempt = attempt{} // An error that prevents the retry has no response.
	if err := c.admit(); err != nil {
		return fmt.Errorf("%w; before that: %w", err, c.failure)
	}
	r.Header = c.header()
	return nil
}

// blocked returns the last failure, unless err is what prevented a retry.
func (c *call) blocked(err error) error {
	if errors.Is(err, c.failure) {
		return err
	}
	return c.failure
}

// admit waits until an attempt may be sent. It returns the error that prevents the attempt.
//
// Each pass begins again with the context and the key, because both may change during a wait.
func (c *call) admit() error {
	for {
		if err := contextError(c.ctx); err != nil {
			return c.ended(err)
		}
		key, err := c.core.keys.current(c.ctx)
		if err != nil {
			return join(c.ctx, c.fail(c.text(err), err))
		}
		c.key = key
		if err := contextError(c.ctx); err != nil { // A key source may take as long as it wants.
			return c.ended(err)
		}
		switch admitted, err := c.awaitWindow(); {
		case err != nil:
			return err
		case admitted && c.request.beforeAttempt == nil:
			return nil
		case admitted:
			if err := c.request.beforeAttempt(); err != nil {
				return err
			}
			if err := contextError(c.ctx); err != nil {
				return c.ended(err)
			}
			return nil
		}
	}
}

// ended returns the error of an attempt that is not sent because the context has
// ended.
func (c *call) ended(cause error) *Error {
	why := "the context was canceled"
	if errors.Is(c.ctx.Err(), context.DeadlineExceeded) {
		why = "the context's deadline had passed"
	}
	return c.fail(c.notSent()+why, cause)
}

// notSent begins the text of an error that prevents an attempt.
func (c *call) notSent() string {
	if c.attempts > 0 {
		return "not sent again, because "
	}
	return "not sent, because "
}
