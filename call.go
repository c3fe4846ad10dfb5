package hiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// do makes a call whose response contains a T. That of a GET is the resource whose id is the last
// in the path.
func do[T entity](ctx context.Context, k *core, r request) (data T, err error) {
	var e envelope[T]
	wanted := ""
	if r.method == http.MethodGet {
		wanted = r.id
	}
	err = k.makeCall(ctx, r, func(body []byte) (string, error) {
		err := readEnvelope(body, &e)
		switch {
		case err != nil:
		case e.Data == nil:
			err = errNoData
		default:
			err = (*e.Data).check(wanted)
		}
		return "", err
	})
	if err != nil || e.Data == nil { // Nil after a DELETE that an earlier attempt had done.
		return data, err
	}
	return *e.Data, nil
}

// makeCall makes a call whose 2xx response d decodes, in the trace span of its operation. With nil
// for d it succeeds with any 2xx API response.
func (k *core) makeCall(ctx context.Context, r request, d decoder) error {
	return k.traces.traced(ctx, TraceCall{r.operation, r.method, r.route}, func(ctx context.Context) error {
		if to := responseOf(ctx); to != nil {
			*to = Response{} // Otherwise a call that is not sent would leave the Response of an earlier call.
		}
		if r.err != nil {
			return r.err
		}
		c := &call{callState: callState{core: k, ctx: ctx, request: r, url: k.base, key: noKey}, decoder: d}
		r.addTo(&c.url)
		return c.run() //nolint:contextcheck // the call holds the context
	})
}

// call is one request with all its attempts. run admits an attempt and starts the loop of
// go-retryablehttp, which calls RoundTrip for each attempt, and admit again before each retry.
type call struct {
	callState

	decoder decoder // Decodes a 2xx response. Nil: any 2xx API response is success.

	// What RoundTrip has decided about the last attempt. It is zero from prepareRetry until the next
	// RoundTrip, so that an error of http.Client between them ends the loop.
	verdict verdict

	// The variables of run, here because each would be allocated apart.
	client  http.Client
	loop    retryablehttp.Client
	message retryablehttp.Request

	response http.Response    // The response of the last attempt, without its body.
	body     io.LimitedReader // The body of that response.
}

// verdict is what follows from an attempt.
type verdict struct {
	failure *Error        // The error of the attempt, and of the call if the next attempt does not happen. Nil: success.
	again   bool          // The attempt is retried.
	wait    time.Duration // The delay before the retry.
}

// callState is what a call and a download of an archive have in common: the request and the attempts
// so far. Errors are made of both.
type callState struct {
	core    *core
	ctx     context.Context // The caller's, with the span of the operation.
	request request
	url     url.URL

	key      *credential // The key of the next attempt, or of the last one; noKey before the first. Texts are searched for it.
	attempts int         // Requests that were sent.
	unknown  bool        // An attempt of a write may have taken effect, so the outcome of a later error is unknown.
	attempt  attempt     // The last one.
}

// run makes attempts until one succeeds or no retry can help. For each attempt the loop calls RoundTrip,
// which decides, and checkRetry, which returns the decision. Before a retry it calls backoff, waits for
// the delay that backoff returns, and calls prepareRetry.
func (c *call) run() error {
	if err := c.admit(); err != nil {
		return err
	}
	c.client = c.core.http
	c.client.Transport = attemptTransport{c}
	c.loop = retryablehttp.Client{
		HTTPClient:   &c.client,
		RetryMax:     math.MaxInt, // decide limits the attempts.
		CheckRetry:   c.checkRetry,
		Backoff:      c.backoff,
		PrepareRetry: c.prepareRetry,
		ErrorHandler: retryablehttp.PassthroughErrorHandler, // The default one replaces the error.
	}
	c.message.Request = (&http.Request{
		Method: c.request.method, URL: &c.url, Header: c.header(), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(c.ctx)
	if c.request.body != nil {
		_ = c.message.SetBody(c.request.body) // SetBody fails for other types than bytes only.
	}
	resp, err := c.loop.Do(&c.message)
	if resp != nil {
		resp.Body.Close() // Ends the timer of a user's http.Client. RoundTrip has read the transport's body.
	}
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); !ok { // The context ended during a delay: the loop returns its error alone.
		err = c.verdict.failure
	}
	return join(c.ctx, err)
}

// admit waits until an attempt may be sent, and returns the error that prevents it. A wait begins
// it again, because the context and the key may have changed meanwhile.
func (c *call) admit() error {
	for {
		if err := c.nextKey(); err != nil {
			return err
		}
		waited, err := c.awaitWindow()
		if err != nil {
			return err
		}
		if !waited {
			break
		}
	}
	if c.request.beforeAttempt == nil {
		return nil
	}
	if err := c.request.beforeAttempt(c.key); err != nil {
		return err
	}
	if c.ctx.Err() != nil {
		return c.contextEnded()
	}
	return nil
}

// nextKey gets the key of the next attempt, and returns the error that prevents the attempt.
func (c *call) nextKey() error {
	if c.ctx.Err() != nil {
		return c.contextEnded()
	}
	key, err := c.request.key, error(nil)
	if key == nil {
		key, err = c.core.keys.current(c.ctx)
	}
	if err != nil {
		failed := c.newError(nil, c.text(err), err)
		failed.kind = kindFinal
		if errors.Is(err, context.DeadlineExceeded) {
			failed.kind = kindTimedOut // The source may be faster the next time.
		}
		return join(c.ctx, failed)
	}
	c.key = key
	if part := key.misplacedIn(&c.request); part != "" {
		return &ParamError{Param: part, Problem: "holds the API key, which is sent in a header only: pass what was meant instead"}
	}
	if c.ctx.Err() != nil { // The key source may have taken long.
		return c.contextEnded()
	}
	return nil
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

// attemptTransport is the middleware of a call around the user's transport. It has no method
// CloseIdleConnections, because the loop would call it after each failed call and close the
// connections of others.
type attemptTransport struct{ call *call }

// RoundTrip makes an attempt, from the beginning of the traces to the end of the observers: it
// sends the request, reads, decodes and classifies the response, and decides whether to retry. The
// hooks of the loop return what it decided. The attempt's timeout is in the context of its request
// and not in that of the loop, because the loop waits with its own.
//
// It returns a copy of the response, because a transport that is a mock may return one response to
// several calls.
func (t attemptTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	c := t.call
	c.attempts++
	defer c.attempt.end(c.core.traces, "", errUnreturned, 0) // After a panic.
	ctx, added := c.attempt.begin(r.Context(), c.core.traces, TraceAttempt{
		Operation: c.request.operation, Method: r.Method, Route: c.request.route, Server: c.core.server, Number: c.attempts,
	}, c.core.config.timeout)
	r = r.WithContext(ctx)
	if len(added) > 0 {
		r.Header = maps.Clone(r.Header)
		copyAdded(r.Header, added)
	}

	resp, err := c.core.transport().RoundTrip(r)
	if err == nil && resp == nil {
		err = errors.New("the transport returned neither a response nor an error")
	}
	var warning string
	var delay time.Duration
	var failure *Error
	if err == nil {
		c.response = *resp
		resp = &c.response
		warning, delay, failure = c.judge(resp)
		resp.Body = http.NoBody
	} else {
		failure = c.noResponse(err)
		c.capture(nil) // Otherwise the Response of an earlier attempt would stay.
	}
	if failure == nil {
		c.attempt.end(c.core.traces, warning, nil, 0)
		return resp, nil
	}
	c.unknown = c.unknown || failure.Outcome == OutcomeUnknown
	//nolint:contextcheck // The wait is the call's, whose context has no timeout of an attempt.
	wait, again := decide(c.policy(failure.isDeferred()), failure, c.attempts, delay, timeLeft(c.ctx), randomFraction())
	c.verdict = verdict{failure, again, wait}
	c.attempt.end(c.core.traces, "", failure, wait)
	return resp, err
}

// judge reads a response, passes on what its header says, and returns its error or nil. delay is
// what it requests before a retry.
func (c *call) judge(resp *http.Response) (warning string, delay time.Duration, failure *Error) {
	received := c.receive(resp)
	defer received.free()
	seen := &c.attempt.exchange
	seen.Status, seen.RequestID, seen.RateLimit = received.status, received.requestID, RateLimit(received.window)
	c.record(&received)
	c.capture(&received)
	warning, failure = c.classify(&received)
	c.recordKey(failure)
	return warning, received.delay(), failure
}

// policy returns the rules of the call's retries. Bulk calls wait for each window when the rate
// limit defers them.
func (c *call) policy(deferred bool) RetryPolicy {
	policy := c.core.config.retry
	policy.MaxAttempts = cmp.Or(c.request.maxAttempts, policy.MaxAttempts)
	if deferred && c.request.priority == priorityBulk {
		policy.MaxWait = quota.Longest
	}
	return policy
}

// checkRetry returns what the last attempt decided.
func (c *call) checkRetry(_ context.Context, _ *http.Response, err error) (bool, error) {
	switch {
	case c.verdict.failure != nil:
		return c.verdict.again, c.verdict.failure
	case err != nil: // http.Client refused the request.
		return false, c.newError(nil, c.text(err), err)
	}
	return false, nil
}

// backoff announces the delay that the last attempt decided on, and returns it.
func (c *call) backoff(time.Duration, time.Duration, int, *http.Response) time.Duration {
	reason := PauseRetry
	if e := c.verdict.failure; e.isDeferred() && e.RateLimit.Limit > 0 && e.RateLimit.Remaining == 0 {
		reason = PauseQuota // The API refused the request because a window is used up.
	}
	announceWait(c.core.traces.withSpan(c.ctx, c.request.operation), c.verdict.wait, reason)
	return c.verdict.wait
}

// prepareRetry admits a retry: the key may have changed, and a window may have ended.
func (c *call) prepareRetry(r *http.Request) error {
	if err := c.admit(); err != nil {
		return fmt.Errorf("%w; before that: %w", err, c.verdict.failure)
	}
	c.verdict = verdict{}
	r.Header = c.header()
	return nil
}
