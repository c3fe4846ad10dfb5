package hiring

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

// call is one request to the API with all its attempts. An operation makes one or more
// calls, and each attempt one round trip. A [TraceCall] is an operation.
type call struct {
	retryLoop

	decoder decoder // Decodes a 2xx response. Nil: any 2xx API response is success.
}

// retryLoop is the attempts of a call or of a download. go-retryablehttp runs it: it calls
// RoundTrip of the call or download for each attempt, then checkRetry, and before a retry
// backoff. What the attempts show is in the fields below; of what the library returns, only
// the error of a loop without any attempt counts.
type retryLoop struct {
	subject

	core *core
	ctx  context.Context // The caller's.

	client   http.Client // Its Transport is the call or the download; attempts are sent by that of core.http.
	retry    retryablehttp.Client
	template retryablehttp.Request // Copied for each attempt.

	failure *Error   // Of the last attempt; nil if it succeeded.
	next    decision // What follows the last attempt.
	blocked error    // Why the last attempt was not sent.
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
	if !k.seesCalls {
		return k.call(ctx, r, d)
	}
	return k.traced(ctx, TraceCall{r.operation, r.method, r.route}, func(ctx context.Context) error { return k.call(ctx, r, d) })
}

// call makes attempts until one succeeds or no retry can help.
func (k *core) call(ctx context.Context, r request, d decoder) error {
	if r.err != nil {
		return r.err
	}
	c := &call{decoder: d}
	c.core, c.ctx = k, ctx
	c.subject = subject{request: r, url: k.base, key: noKey, timeout: k.timeout, timeoutHint: k.timeoutHint}
	if err := contextError(ctx); err != nil {
		return c.ended(err)
	}
	c.request.extend(&c.url)
	c.client = k.http
	return c.run(c)
}

// run makes attempts, each with RoundTrip, until one succeeds or no retry can help.
func (l *retryLoop) run(attempt http.RoundTripper) error {
	l.client.Transport = attempt
	l.retry = retryablehttp.Client{
		HTTPClient: &l.client,
		RetryMax:   math.MaxInt, // Of the retries, decide grants each.
		CheckRetry: l.checkRetry,
		Backoff:    l.backoff,
	}
	header := noHeader
	if l.client.Jar != nil {
		header = make(http.Header) // http.Client adds the cookies.
	}
	l.template.Request = (&http.Request{
		Method: l.request.method, URL: &l.url, Header: header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(l.ctx)
	if l.request.body != nil {
		if err := l.template.SetBody(l.request.body); err != nil {
			return l.fail(&roundTrip{}, "the request could not be built", err)
		}
	}
	_, err := l.retry.Do(&l.template) //nolint:bodyclose // RoundTrip reads and closes every body
	switch {
	case l.blocked != nil && l.failure != nil:
		return fmt.Errorf("%w; before that: %w", l.blocked, l.failure)
	case l.blocked != nil:
		return l.blocked
	case l.failure != nil:
		return join(l.ctx, l.failure)
	case l.attempts == 0: // http.Client did not call RoundTrip.
		return l.fail(&roundTrip{}, l.text(err), err)
	}
	return nil
}

// noHeader is the header of a request without cookies. It stays empty, and is not nil
// because http.Client would allocate one.
var noHeader = make(http.Header)

// checkRetry uses up the decision, because a retry that is blocked, or that http.Client
// fails before RoundTrip, makes none.
func (l *retryLoop) checkRetry(context.Context, *http.Response, error) (bool, error) {
	retry := l.next.retry
	l.next.retry = false
	return retry, nil
}

func (l *retryLoop) backoff(time.Duration, time.Duration, int, *http.Response) time.Duration {
	announceWait(l.core.withCall(l.ctx, l.request.operation), l.next.wait, l.failure.pauseReason())
	return l.next.wait
}

// RoundTrip makes one attempt. It returns the response, whose body has been read and
// closed, or the error of the transport or of admit. It does not return the *Error of
// a response, because http.Client would then ignore the response's cookies.
//
// The steps depend on their order. Decoding belongs to the attempt, because a response that
// is cut short must be retried. classify runs after decoding, because only then it is known
// whether the attempt's timeout has expired. unknown changes after classify, which reads
// whether an earlier attempt may have taken effect. The authentication brake learns before
// notify, because observers may make calls that a refused key must stop.
//
// call has no CloseIdleConnections, which go-retryablehttp calls after failures: the
// connections belong to all calls.
func (c *call) RoundTrip(template *http.Request) (*http.Response, error) {
	cookies := template.Header["Cookie"]
	if cookies != nil { // http.Client added them for this attempt. A retry would send them too.
		delete(template.Header, "Cookie")
	}
	a := new(attempt)
	defer a.leave()
	if c.blocked = c.admit(a); c.blocked != nil {
		return nil, c.blocked
	}
	c.attempts++
	resp, trip := c.fetch(a, template, cookies)
	dec := c.decode(a, &trip)
	end := endOf(c.ctx, a.limited)
	class := classify(&c.subject, &trip, &dec, &end)
	c.failure = class.failure
	c.unknown = c.unknown || c.failure != nil && c.failure.Outcome == OutcomeUnknown
	c.next = decide(c.core.config.retry, c.request.method, c.attempts, &trip, class, &end, jitter())
	if class.fromAPI {
		refused := trip.status == http.StatusUnauthorized && c.failure.Code == ErrInvalidToken
		c.core.shared.quotas.RecordAuthentication(a.key.id, refused, end.at)
	}
	if captured := responseOf(c.ctx); captured != nil {
		*captured = trip.response(c.attempts, a.key)
	}
	a.buffer.Release() // Observers may make calls of their own.
	a.notify(dec.warning, c.failure, c.next.wait)
	return resp, trip.err
}

// decode decodes a 2xx response within the limits of an attempt.
func (c *call) decode(a *attempt, trip *roundTrip) decoded {
	if c.request.leniency != nil {
		c.request.leniency.begin()
	}
	if trip.err != nil || trip.status < 200 || trip.status >= 300 {
		return decoded{}
	}
	members := []string{"data", "meta"}
	if c.request.route == "/openapi.json" { // The one document that has no envelope.
		members = append(members, "openapi")
	}
	var d decoded
	d.intermediary, d.page = c.core.shared.provenance.Intermediary(trip.header, trip.body, members, a.limited)
	_, anyBody := c.decoder.(lenientDecoder)
	switch {
	case d.intermediary != "":
		d.err = trip.bodyErr
	case c.decoder == nil:
	case trip.bodyErr != nil && !anyBody:
		d.err = trip.bodyErr
	default:
		a.payload = payload{body: trip.body, within: c.within(a, trip.body), leniency: c.request.leniency}
		d.warning, d.err = c.decoder.decode(&a.payload)
	}
	return d
}

// minLimit is the least response size that the memory limit of decoding is based on.
const minLimit = 16 << 10

// within returns the limits for decoding a body, so that the whole response takes at
// most four times the memory that its body may have.
func (c *call) within(a *attempt, body []byte) limits.Bound {
	limit := min(max(c.core.config.maxBytes, minLimit), math.MaxInt64/4)
	left := 4*limit - a.buffer.Grown
	if responseOf(c.ctx) != nil {
		left -= int64(len(body))
	}
	if read := a.buffer.Bytes(); len(read) > 0 && len(body) > 0 && &body[0] != &read[0] { // The key was removed.
		left -= int64(cap(body))
	}
	return limits.Bound{Left: left, Until: a.limited}
}
