package hiring

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

// call is one operation with all its attempts. go-retryablehttp runs the loop: it
// calls RoundTrip for each attempt, then checkRetry, and before a retry backoff. What the attempts show is in the fields below; of what the library
// returns, only the error of a call without any attempt counts.
type call struct {
	core    *core
	ctx     context.Context // The caller's.
	request request
	decoder decoder // Decodes a 2xx response. Nil: any 2xx API response is success.
	url     url.URL

	client   http.Client
	retry    retryablehttp.Client
	template retryablehttp.Request // Copied for each attempt.

	history history
	next    decision // What follows the last attempt.
	blocked error    // Why the last attempt was not sent.
}

// history is what the attempts of a call have shown so far.
type history struct {
	attempts int         // Requests that were sent.
	key      *credential // The key that was obtained last; noKey before the first.
	failure  *Error      // Of the last attempt; nil if it succeeded.
	unknown  bool        // An attempt of a write may have taken effect.
}

// do makes a call whose response contains a T.
func do[T entity](ctx context.Context, k *core, r request) (T, error) {
	var d resourceDecoder[T]
	if err := k.send(ctx, r, &d); err != nil || d.envelope.Data == nil { // A repeated DELETE that found nothing has no data.
		return *new(T), err
	}
	return *d.envelope.Data, nil
}

// do makes a call that succeeds with any 2xx API response.
func (k *core) do(ctx context.Context, r request) error { return k.send(ctx, r, nil) }

// send makes a call whose 2xx response d decodes.
func (k *core) send(ctx context.Context, r request, d decoder) error {
	if ctx == nil {
		panic(nilContext)
	}
	if !k.tracing {
		return k.call(ctx, r, d)
	}
	return k.traced(ctx, TraceCall{r.operation, r.method, r.route}, func(ctx context.Context) error { return k.call(ctx, r, d) })
}

// call makes attempts until one succeeds or no retry can help.
func (k *core) call(ctx context.Context, r request, d decoder) error {
	if r.err != nil {
		return r.err
	}
	c := &call{core: k, ctx: ctx, request: r, decoder: d, url: k.base, history: history{key: noKey}}
	if err := contextError(ctx); err != nil {
		return c.ended(err)
	}
	r.extend(&c.url)
	c.client = k.http
	c.client.Transport = c
	c.retry = retryablehttp.Client{
		HTTPClient: &c.client,
		RetryMax:   k.config.retry.MaxAttempts, // One more than decide grants: its error would replace the call's.
		CheckRetry: c.checkRetry,
		Backoff:    c.backoff,
	}
	if err := c.build(); err != nil {
		return c.subject().fail(&result{}, "the request could not be built", err)
	}
	_, err := c.retry.Do(&c.template) //nolint:bodyclose // RoundTrip reads and closes every body
	switch {
	case c.blocked != nil && c.history.failure != nil:
		return fmt.Errorf("%w; before that: %w", c.blocked, c.history.failure)
	case c.blocked != nil:
		return c.blocked
	case c.history.failure != nil:
		return join(ctx, c.history.failure)
	case c.history.attempts == 0: // http.Client did not call RoundTrip.
		s := c.subject()
		return s.fail(&result{}, s.text(err), err)
	}
	return nil
}

// noHeader is the header of a request without cookies. It stays empty, and is not nil
// because http.Client would allocate one.
var noHeader = make(http.Header)

// build makes the request that each attempt copies.
func (c *call) build() error {
	header := noHeader
	if c.core.http.Jar != nil {
		header = make(http.Header) // http.Client adds the cookies.
	}
	c.template.Request = (&http.Request{
		Method:     c.request.method,
		URL:        &c.url,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     header,
	}).WithContext(c.ctx)
	if c.request.body == nil {
		return nil
	}
	return c.template.SetBody(c.request.body)
}

// RoundTrip makes one attempt. It returns the response, whose body has been read and
// closed, or the error of the transport or of admit. It does not return the *Error of
// a response, because http.Client would then ignore the response's cookies.
//
// call has no CloseIdleConnections, which go-retryablehttp calls after failures: the
// connections belong to all calls.
func (c *call) RoundTrip(template *http.Request) (*http.Response, error) {
	cookies := takeCookies(template.Header)
	held, err := c.admit()
	if err != nil {
		c.blocked = err
		return nil, err
	}
	c.history.attempts++
	x := &exchange{reservation: held, request: &c.request, server: c.core.server, number: c.history.attempts}
	defer x.leave()
	resp, res := c.exchange(x, template, cookies)
	dec := c.decode(x, &res)
	end, subject := endOf(c.ctx, x.ctx), c.subject()
	v := classify(subject, &res, &dec, &end)
	c.history.failure, c.history.unknown = v.failure, c.history.unknown || v.unknown()
	c.next = decide(c.core.policy(), c.request.method, c.history.attempts, &res, v, &end, jitter())
	x.recordAuthentication(&res, v, &end) // Before observers, which may make calls.
	c.report(x, &res, &dec, v)
	return resp, res.err
}

// decode decodes a 2xx response within the limits of an attempt.
func (c *call) decode(x *exchange, res *result) decoded {
	if c.request.leniency != nil {
		c.request.leniency.begin()
	}
	if res.err != nil || res.status < 200 || res.status >= 300 {
		return decoded{}
	}
	var d decoded
	d.intermediary, d.page = c.core.shared.provenance.Intermediary(res.header, res.body, c.request.envelope(), x.ctx)
	_, anyBody := c.decoder.(lenientDecoder)
	switch {
	case d.intermediary != "":
		d.err = res.bodyErr
	case c.decoder == nil:
	case res.bodyErr != nil && !anyBody:
		d.err = res.bodyErr
	default:
		x.payload = payload{body: res.body, within: c.within(x, res.body), leniency: c.request.leniency}
		d.warning, d.err = c.decoder.decode(&x.payload)
	}
	return d
}

// minLimit is the least response size that the memory limit of decoding is based on.
const minLimit = 16 << 10

// within returns the limits for decoding a body, so that the whole response takes at
// most four times the memory that its body may have.
func (c *call) within(x *exchange, body []byte) limits.Bound {
	limit := min(max(c.core.config.maxBytes, minLimit), math.MaxInt64/4)
	left := 4*limit - x.buffer.Grown
	if responseOf(c.ctx) != nil {
		left -= int64(len(body))
	}
	if read := x.buffer.Bytes(); len(read) > 0 && len(body) > 0 && &body[0] != &read[0] { // The key was removed.
		left -= int64(cap(body))
	}
	return limits.Bound{Left: left, Until: x.ctx}
}

// subject returns what errors say about the call at present.
func (c *call) subject() *subject {
	return &subject{
		request: &c.request, url: &c.url, key: c.history.key, attempts: c.history.attempts, unknown: c.history.unknown,
		timeout: attemptTimeout{c.core.timeout, c.core.timeoutHint},
	}
}

// report writes the caller's Response, then calls the tracers and observers. They may
// make calls of their own, so the memory of the body is released before.
func (c *call) report(x *exchange, res *result, dec *decoded, v classification) {
	if response := responseOf(c.ctx); response != nil {
		*response = captured(res, c.history.attempts, x.key)
	}
	x.buffer.Release()
	x.report(&c.core.hooks, res, dec.warning, v.failure, c.next)
}

// The hooks of go-retryablehttp.

// checkRetry uses up the decision, because a retry that is blocked, or that http.Client
// fails before RoundTrip, makes none.
func (c *call) checkRetry(context.Context, *http.Response, error) (bool, error) {
	retry := c.next.retry
	c.next.retry = false
	return retry, nil
}

func (c *call) backoff(time.Duration, time.Duration, int, *http.Response) time.Duration {
	return beginWait(c.core.withWaits(c.ctx, c.request.operation), c.next.wait, c.history.failure.pauseReason(), nil)
}
