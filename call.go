package hiring

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/quota"
	"github.com/hiring-assessment/hiring-go/internal/urls"
)

// maxBody is the API's limit of a request body: 512 KB.
const maxBody = 512 << 10

// request is what one call sends, before any key or attempt.
type request struct {
	operation     string // The Go name.
	errorName     string // The Go name in errors, if it is another one, as for FindByEmail.
	method, route string // Route is the template.
	path, rawPath string // Below the API prefix; rawPath is empty when it equals path.
	query         url.Values
	body          []byte
	assumed       []string // The Dialect fields of the names and the route that the request uses.
	err           error    // A request with an error is not sent.

	// background waits for windows regardless of MaxWait, and leaves a tenth of each to others.
	background bool

	// beforeAttempt is called right before each attempt, after all waits. An error prevents the
	// attempt. Nil: not called.
	beforeAttempt func() error
}

// pathID fills a placeholder of a route: what the Go method calls it, and its value.
type pathID = urls.ID

// newRequest fills the ids into a route such as "GET /assessments/{id}", each
// as one escaped path segment.
func newRequest(operation, methodAndTemplate string, ids ...pathID) request {
	r := request{operation: operation}
	r.method, r.route, _ = strings.Cut(methodAndTemplate, " ")
	path, unfit := urls.Fill(r.route, ids)
	r.path, r.rawPath = path.Plain, path.Raw
	for _, id := range unfit {
		r = r.refuseField(id.Name, id.Placeholder, `must be an id: it is empty, "." or ".."`)
	}
	return r
}

// newAssumedRequest is like newRequest for an assumed route, which a field of the Dialect
// sets.
func newAssumedRequest(field, operation, methodAndTemplate string, ids ...pathID) request {
	return newRequest(operation, methodAndTemplate, ids...).assume(field)
}

// errorOperation returns the operation that errors name.
func (r *request) errorOperation() string { return cmp.Or(r.errorName, r.operation) }

// refuse marks the request as one that must not be sent, for one more reason.
func (r request) refuse(param, problem string) request { return r.refuseField(param, "", problem) }

// refuseField is like refuse. wire is the name of the input in the API.
func (r request) refuseField(param, wire, problem string) request {
	r.err = joinParams(r.err, &ParamError{param, problem, wire})
	return r
}

// assume records that the request has a name that a field of the Dialect sets.
func (r request) assume(field string) request {
	r.assumed = append(slices.Clip(r.assumed), field)
	return r
}

// bodyOptions encode equal inputs as equal bytes, and a json.Number as a
// number. By default json/v2 encodes it as a string.
var bodyOptions = jsonv2.JoinOptions(
	jsonv2.Deterministic(true),
	jsonv2.WithMarshalers(jsonv2.MarshalFunc(func(n json.Number) ([]byte, error) { return []byte(n), nil })),
)

// withBody makes v the JSON body.
func (r request) withBody(v any) request {
	body, err := jsonv2.Marshal(v, bodyOptions)
	switch {
	case err != nil:
		return r.refuse("body", bodyProblem(v, err))
	case len(body) > maxBody:
		return r.refuse("body", fmt.Sprintf("is %d bytes of JSON, above the API's limit of %d", len(body), maxBody))
	}
	r.body = body
	return r
}

// bodyProblem returns why v cannot be written as JSON.
func bodyProblem(v any, err error) string {
	if _, invalid := jsonv2.Marshal(v, bodyOptions, jsontext.AllowInvalidUTF8(true)); invalid == nil {
		return "has text that is not UTF-8" + jsoncodec.In(err)
	}
	return "cannot be written as JSON" + jsoncodec.Where(err)
}

// withMembers makes the documented body members and the caller's additional ones the JSON body.
func (r request) withMembers(known, extra map[string]any) request {
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if _, taken := known[name]; taken {
			r = r.refuseField("Extra", name, "holds the member "+name+", which the input itself sets: set it there only")
		}
		known[name] = extra[name]
	}
	return r.withBody(known)
}

// extend makes the base URL u the address of the request.
func (r request) extend(u *url.URL) {
	if r.rawPath != "" || u.RawPath != "" {
		raw := r.rawPath
		if raw == "" {
			raw = (&url.URL{Path: r.path}).EscapedPath()
		}
		u.RawPath = u.EscapedPath() + raw
	}
	u.Path += r.path
	if len(r.query) > 0 {
		u.RawQuery = r.query.Encode()
	}
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// classOf returns the rate limit that a request counts against.
func classOf(method string) quota.Class {
	if isRead(method) {
		return quota.Read
	}
	return quota.Write
}

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

// awaitWindow waits while the rate limit admits no request. admitted is true when there was
// nothing to wait for.
func (c *call) awaitWindow() (admitted bool, err error) {
	reserve := c.core.config.reserveShare
	if c.request.background {
		reserve = max(reserve, leftToOthers)
	}
	barrier := c.core.shared.quotas.Enter(c.key.id, classOf(c.request.method), reserve, time.Now())
	switch {
	case barrier.Wait == 0:
		return true, nil
	case barrier.Refused:
		return false, join(c.ctx, c.refused())
	case !c.request.background && c.core.config.retry.tooLong(barrier.Wait):
		return false, join(c.ctx, c.exhausted(barrier))
	}
	if sleep(c.core.withOperation(c.ctx, c.request.operation), barrier.Wait, PauseQuota) != nil {
		return false, join(c.ctx, c.exhausted(barrier))
	}
	return false, nil
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

// exhausted returns the error of an attempt that the rate limit does not admit in time.
func (c *call) exhausted(barrier quota.Barrier) *Error {
	kind, window := "write", barrier.Window
	if isRead(c.request.method) {
		kind = "read"
	}
	why := fmt.Sprintf("the %s quota of %d an hour is used up until %s, by the server's clock", kind, window.Limit, window.Reset.Format(time.RFC3339))
	switch {
	case barrier.Asked && (window.Remaining > 0 || window == quota.Window{}):
		why = fmt.Sprintf("a 429 asked to send no %s request for %s", kind, barrier.Wait.Round(time.Second))
	case window.Limit == 0:
		why = "the API admits no " + kind + " request of this key"
	case window.Remaining > 0:
		why = fmt.Sprintf("the rest of the %s quota of %d an hour is reserved until %s, by the server's clock", kind, window.Limit, window.Reset.Format(time.RFC3339))
	}
	e := c.fail(c.notSent()+why, ErrQuotaExhausted)
	e.Code, e.RetryAfter, e.RateLimit = ErrRateLimited, barrier.Wait, RateLimit(window)
	return e
}

// refused returns the error of an attempt that is not sent because the API has refused its key
// several times in a row.
func (c *call) refused() *Error {
	e := c.fail(fmt.Sprintf("%s%s refused %s, %d times in a row, and further failures throttle the address for every key on it",
		c.notSent(), c.url.Host, c.key.described(), quota.MaxRefusals), nil)
	e.Code, e.Hint = ErrInvalidToken, "replace the key; one call a minute is still tried"
	return e
}

// notSent begins the text of an error that prevents an attempt.
func (c *call) notSent() string {
	if c.attempts > 0 {
		return "not sent again, because "
	}
	return "not sent, because "
}

// RetryPolicy configures the retries of a call. A zero field means the default, which each
// field's comment gives.
type RetryPolicy struct {
	MaxAttempts int           // Attempts of a call, including the first: 4. 1 means no retries.
	BaseBackoff time.Duration // Longest delay before the first retry: 500 ms, doubled with each retry. Delays are random.
	MaxBackoff  time.Duration // Longest delay without a Retry-After header: 30 s.
	MaxWait     time.Duration // Longest wait for a Retry-After or a rate-limit window: 1 min. If it would be longer, the call fails immediately. Below zero means never to wait.
}

// withDefaults returns the policy with defaults in place of zero fields, or a [*ParamError]
// for each other negative field.
func (p RetryPolicy) withDefaults() (RetryPolicy, error) {
	err := joinParams(
		checkNotNegative("RetryPolicy.MaxAttempts", p.MaxAttempts),
		checkNotNegative("RetryPolicy.BaseBackoff", p.BaseBackoff),
		checkNotNegative("RetryPolicy.MaxBackoff", p.MaxBackoff),
	)
	return RetryPolicy{
		MaxAttempts: cmp.Or(p.MaxAttempts, 4),
		BaseBackoff: cmp.Or(p.BaseBackoff, 500*time.Millisecond),
		MaxBackoff:  cmp.Or(p.MaxBackoff, 30*time.Second),
		MaxWait:     cmp.Or(p.MaxWait, time.Minute),
	}, err
}

func checkNotNegative[N int | time.Duration](field string, n N) error {
	if n < 0 {
		return &ParamError{Param: field, Problem: "must not be negative (0 means the default)"}
	}
	return nil
}

// decide returns whether the attempt that ended with e is retried, and after which delay. It is a pure
// function of its arguments: requested is the delay that the response requests, left the time until the
// end of the caller's context, and jitter a random number in [0, 1).
func decide(p RetryPolicy, e *Error, requested, left time.Duration, jitter float64) (wait time.Duration, retry bool) {
	if e.Attempts >= p.MaxAttempts || !isRetriable(e) {
		return 0, false
	}
	if wait = requested; wait == 0 {
		wait = max(1, time.Duration(jitter*float64(p.backoff(e.Attempts)))) // Observers take 0 for no retry.
	} else if p.tooLong(wait) {
		return 0, false
	}
	if wait >= left {
		return 0, false
	}
	return wait, true
}

// isRetriable reports whether a retry is safe and may succeed. A POST is retried only when
// the API certainly did not process it.
func isRetriable(e *Error) bool {
	switch {
	case e.kind == final, e.kind == invalidBody:
		return false
	case e.Status == http.StatusTooManyRequests, e.kind == unsent:
		return true
	case e.Status == http.StatusUnauthorized: // Failed authentications throttle the address, also when the body was cut short.
		return false
	}
	switch e.Method {
	case http.MethodGet, http.MethodHead:
		return e.kind == broken || e.kind == timedOut || isOverload(e.Status)
	case http.MethodDelete, http.MethodPatch:
		return isOverload(e.Status) || e.Status == 0 && e.kind == broken
	}
	return false
}

// timeLeft returns the time until a context ends.
func timeLeft(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	switch {
	case ctx.Err() != nil:
		return 0
	case !ok:
		return math.MaxInt64
	}
	return time.Until(deadline)
}

// isOverload reports whether status is a transient server error.
func isOverload(status int) bool {
	switch status {
	case 500, 502, 503, 504:
		return true
	}
	return false
}

// isBusy reports whether a server with that status may be asked again later.
func isBusy(status int) bool { return status == http.StatusTooManyRequests || isOverload(status) }

// backoff returns the longest delay after attempt n: the base, doubled with each attempt,
// at most MaxBackoff. It compares before it doubles, so that it cannot overflow.
func (p RetryPolicy) backoff(n int) time.Duration {
	d := p.BaseBackoff
	for range n - 1 {
		if d > p.MaxBackoff/2 {
			return p.MaxBackoff
		}
		d *= 2
	}
	return min(d, p.MaxBackoff)
}

// tooLong reports whether a wait exceeds MaxWait. Rate-limit windows end on a full second
// and the Date header is cut to one, so a window of an hour can seem up to a second longer.
// A MaxWait of an hour or more therefore allows that second.
func (p RetryPolicy) tooLong(wait time.Duration) bool {
	return wait > p.MaxWait && (p.MaxWait < time.Hour || wait > time.Hour+time.Second)
}

// jitter returns a random number in [0, 1).
func jitter() float64 { return rand.Float64() } //nolint:gosec // spreads retries; nothing secret depends on it

// windowOf reads the three rate-limit headers. It returns false unless all three are present
// and valid.
func windowOf(h http.Header) (window quota.Window, ok bool) {
	limit, limitErr := strconv.Atoi(headerValue(h, "X-Ratelimit-Limit"))
	remaining, remainingErr := strconv.Atoi(headerValue(h, "X-Ratelimit-Remaining"))
	reset, resetErr := strconv.ParseInt(headerValue(h, "X-Ratelimit-Reset"), 10, 64)
	if cmp.Or(limitErr, remainingErr, resetErr) != nil || min(limit, remaining) < 0 || reset <= 0 || reset > maxUnix {
		return quota.Window{}, false
	}
	return quota.Window{Limit: limit, Remaining: remaining, Reset: time.Unix(reset, 0).UTC()}, true
}

// maxUnix is the last Unix second that RFC 3339, and therefore JSON, can represent.
const maxUnix = 253402300799

// retryAfterOf returns the delay of a Retry-After header, which is a number of seconds or an
// HTTP date. A date is compared with the response's Date header, or with now without one.
// It returns 0 for a missing or invalid header.
func retryAfterOf(h http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(headerValue(h, "Retry-After"))
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil {
		return time.Duration(min(seconds, maxSeconds)) * time.Second
	}
	if strings.Trim(value, "0123456789") == "" {
		return time.Duration(maxSeconds) * time.Second // The number overflows uint64.
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(0, at.Sub(serverTimeOf(h, now)))
}

const maxSeconds = uint64((1<<63 - 1) / time.Second)

// serverTimeOf returns the response's Date header, or now if the header is missing or
// invalid.
func serverTimeOf(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(headerValue(h, "Date")); err == nil {
		return date
	}
	return now
}

// headerValue returns the first value of a header, or "". Unlike [http.Header.Get], which is slower,
// it requires the name in canonical form.
func headerValue(h http.Header, canonical string) string {
	if values := h[canonical]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// sleep waits, and announces the wait if it is long. Except between polls, a wait that would end after the context's
// deadline fails at once.
func sleep(ctx context.Context, d time.Duration, reason PauseReason) error {
	if reason != PausePoll && outlasts(ctx, d) {
		return context.DeadlineExceeded
	}
	announceWait(ctx, d, reason)
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return contextError(ctx)
	case <-timer.C:
		return nil
	}
}

// outlasts reports whether waiting that long would exceed ctx's deadline.
func outlasts(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && wait > 0 && wait >= time.Until(deadline)
}
