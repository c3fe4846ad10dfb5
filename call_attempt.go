package hiring

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/limits"
	"github.com/hiring-assessment/hiring-go/internal/neterr"
	"github.com/hiring-assessment/hiring-go/internal/retry"
)

// attempt is one try of a call.
type attempt struct {
	*call

	credential *credential // The key of the moment.
	begun      uint64      // When, by the gate's count.

	trial     trial
	started   time.Time
	timed     context.Context
	cancel    context.CancelFunc
	inFlight  bool        // The gate counts it.
	sent      bool        // It reached the transport.
	dialled   atomic.Bool // A connection was asked for,
	connected atomic.Bool // and one was had: from here on, the request may have been written.

	transport error // Instead of a reply.
	status    int   // 0 when there was no reply.
	header    http.Header
	requestID string
	limit     RateLimit
	open      io.Closer // The body, until somebody reads it.
	body      limits.Once
	buffer    limits.Buffer
	reply     reply

	failure *Error        // Nil when it succeeded.
	wait    time.Duration // The pause before the next one.
	again   bool          // There is a next one.

	failed    bool // There is no usable reply, whatever the status.
	throttled bool // The address is, and not the key.
	unsent    bool // It is certain that the service never saw the request.
	timeout   bool // No reply, or not all of it, within the attempt's time.
	cut       bool // The reply broke off, or never came.
	permanent bool // The same again would fail the same way.
}

// send makes the attempt, as far as the head of its reply.
func (a *attempt) send(r *http.Request) (*http.Response, error) {
	h := a.headers(r.Header)
	a.attempts++
	a.started = time.Now()
	a.trial.begin(a.ctx, &a.core.watchers, TraceAttempt{
		Operation: a.request.operation, Method: a.request.method, Route: a.request.route, Server: a.core.server, Number: int(a.attempts),
	}, h, func(line string) bool { return a.credential.secret.ScrubString(line) == line })
	a.timed, a.cancel = a.core.attemptContext(a.trial.ctx)
	ctx := a.timed
	if !isRead(a.request.method) {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			GetConn: func(string) { a.dialled.Store(true) },
			GotConn: func(httptrace.GotConnInfo) { a.connected.Store(true) },
		})
	}
	r = r.WithContext(ctx)
	r.Header = h
	a.sent = true
	resp, err := a.core.roundTrip(r)
	if err != nil {
		a.transport = err
		return nil, err
	}
	a.arrived(resp)
	return resp, nil
}

// roundTrip sends a request, whatever the transport makes of its promises: there
// is a reply with a body, or an error.
func (k *core) roundTrip(r *http.Request) (*http.Response, error) {
	transport := k.http.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	resp, err := transport.RoundTrip(r)
	switch {
	case err != nil:
		return nil, neterr.Usable(err)
	case resp == nil:
		return nil, errNoResponse
	case resp.Body == nil:
		resp.Body = http.NoBody // What http.Client makes of it, unless it complains.
	}
	return resp, nil
}

// headers returns those of one attempt. Of common, which all attempts share, it
// takes the cookies that http.Client adds from its jar once an attempt.
func (a *attempt) headers(common http.Header) http.Header {
	h := http.Header{"Authorization": a.credential.header, "User-Agent": a.core.agent, "Accept": jsonType}
	if a.request.body != nil {
		h["Content-Type"] = jsonType
	}
	if cookies := common["Cookie"]; cookies != nil {
		h["Cookie"] = cookies
		delete(common, "Cookie")
	}
	return h
}

// arrived keeps what the head of a reply says.
func (a *attempt) arrived(resp *http.Response) {
	a.status, a.header = resp.StatusCode, resp.Header
	a.open = resp.Body
	a.requestID = a.credential.secret.ScrubString(resp.Header.Get("X-Request-Id"))
	a.learn(resp.Header, time.Now())
	if resp.Header.Get("Location") != "" {
		// http.Client fails on some redirects before it asks whether to follow.
		resp.Header = resp.Header.Clone()
		resp.Header.Del("Location")
	}
}

func (k *core) attemptContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if k.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, k.timeout)
}

// finish ends the attempt and tells whether another follows: what came of it is
// judged, then whoever watches is told.
func (a *attempt) finish(resp *http.Response, err error) (again bool) {
	if a.cancel != nil {
		defer a.cancel()
	}
	a.landed()
	a.open = nil // It is read and closed below, or http.Client has closed it.
	if a.transport == nil {
		a.transport = err
	}
	switch {
	case !a.sent:
		a.failure = a.fail(a.plain(a.transport), a.transport)
		return false
	case resp == nil:
		a.noReply()
	default:
		a.readReply(resp)
	}
	if a.failed {
		a.decide()
	}
	a.tell()
	return a.again
}

// decide sets the pause before the next attempt, if there is to be one.
func (a *attempt) decide() {
	if a.failure.Outcome == OutcomeUnknown {
		a.unknown = true
	}
	if a.ctx.Err() == nil {
		ending := retry.Ending{
			Number: int(a.attempts), Method: a.request.method, Status: a.status, RetryAfter: a.failure.RetryAfter,
			Unsent: a.unsent, Timeout: a.timeout, Cut: a.cut, Permanent: a.permanent,
		}
		ending.Left, ending.Bounded = timeLeft(a.ctx)
		a.wait, a.again = a.core.policy().Repeat(ending, jitter())
	}
	a.failure.Outcome = a.outcome(a.failure.Outcome)
}

// timeLeft is how long it is until a context's deadline, if it has one.
func timeLeft(ctx context.Context) (left time.Duration, bounded bool) {
	deadline, bounded := ctx.Deadline()
	return time.Until(deadline), bounded
}

func jitter() float64 { return rand.Float64() } //nolint:gosec // spreads retries; nothing secret depends on it

// tell captures the raw reply and calls the observers.
func (a *attempt) tell() {
	if response := responseOf(a.ctx); response != nil {
		a.capture(response, a.reply.body)
	}
	a.buffer.Release()
	if a.core.observed() {
		a.trial.end(&a.core.watchers, a.exchange())
	}
}

// pause tells the probes of the pause before the next attempt, and returns it.
func (a *attempt) pause() time.Duration {
	reason := PauseRetry
	if a.failure.usedUp() {
		reason = PauseQuota
	}
	return pauses(a.core.waiting(a.ctx, a.request.operation), a.wait, reason)
}

// exchange is the present attempt as observers see it.
func (a *attempt) exchange() Exchange {
	e := Exchange{
		Operation: a.request.operation,
		Method:    a.request.method,
		Route:     a.request.route,
		Status:    a.status,
		RequestID: a.requestID,
		Attempt:   int(a.attempts),
		Duration:  time.Since(a.started),
		RateLimit: a.limit,
		Warning:   a.reply.warning,
		Started:   a.started,
		Server:    a.core.server,
	}
	if a.failure != nil {
		e.Err = a.failure
	}
	if a.again {
		e.Wait = a.wait
	}
	return e
}

// landed takes the attempt off the gate's count.
func (a *attempt) landed() {
	if a.inFlight {
		a.inFlight = false
		a.core.family.quotas.Leave(a.credential.id, classOf(a.request.method))
	}
}

// leave gives back what an attempt held that a panic or a Goexit cut short. After
// any other there is nothing left to give back.
func (a *attempt) leave() {
	if len(a.trial.ends) > 0 {
		defer a.trial.abandon(a.exchange())
	}
	a.landed()
	a.buffer.Release()
	if a.cancel != nil {
		a.cancel()
	}
	if a.open != nil {
		_ = a.open.Close()
	}
}

// capture keeps a copy of the reply for the caller, because the buffer that body lies in is used again.
func (a *attempt) capture(r *Response, body []byte) {
	*r = Response{
		StatusCode: a.status,
		RequestID:  a.requestID,
		RateLimit:  a.limit,
		Attempts:   int(a.attempts),
		Body:       bytes.Clone(body),
		Header:     a.header.Clone(),
	}
	for name, values := range r.Header {
		for i := range values {
			values[i] = a.credential.secret.ScrubString(values[i])
		}
		if clean := a.credential.secret.ScrubString(name); clean != name {
			delete(r.Header, name)
			r.Header[clean] = values
		}
	}
}
