package hiring

import (
	"context"
	"errors"
	"net/http"
	"net/textproto"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/headers"
)

// Exchange describes one attempt of a call to an observer. A call that is
// rejected before a request is sent produces no Exchange.
//
// Only one field can name people or resources: Err. Its message and Details quote
// the API, and its Code is text of the server when it is not one of the documented
// codes. Never log or export Err itself. All other fields can be used in logs and
// metrics, with one exception: RequestID is text of the server too, and different
// for each request, so do not use it as an attribute of metrics.
type Exchange struct {
	Operation     string // The Go name, as in "Submissions.Report".
	Method, Route string // Route is the template, as in "/submissions/{id}/report".
	Status        int    // 0 when there was no response.
	RequestID     string
	Attempt       int           // 1 for the first.
	Duration      time.Duration // From Started until the response was decoded.
	RateLimit     RateLimit     // Zero when the response did not say.
	Err           error         // Nil when the attempt succeeded. Its message may name people.
	Wait          time.Duration // The delay before the retry; 0 without one.
	Warning       string        // An assumption that looks wrong, such as a Dialect field, though the result is right.
	Started       time.Time     // When the attempt began, by the local clock.
	Server        string        // Host and port, as in "hiring.example.com:443".
}

// Response is the raw response of the last attempt made under a context of
// [WithResponse].
type Response struct {
	StatusCode int // 0 when there was no response.
	Header     http.Header
	RequestID  string
	RateLimit  RateLimit
	Attempts   int
	Body       []byte // The part that was read.
}

type responseKey struct{}

// WithResponse returns a context under which a call writes its raw response to r
// before it returns, also when it fails. It serves one call at a time. Calls
// that read ahead or wait capture nothing.
func WithResponse(ctx context.Context, r *Response) context.Context {
	return context.WithValue(ctx, responseKey{}, r)
}

func responseOf(ctx context.Context) *Response {
	r, _ := ctx.Value(responseKey{}).(*Response)
	return r
}

// Trace has functions that are called when calls, attempts and waits begin, and returns
// functions for their end, as tracers need. A field may be nil, and so may the returned
// context and function: a nil context means the given one. The functions are called in
// the goroutine of the call, or with [Pager.Prefetch] partly in another goroutine, and
// must return soon. They must not invite an address whose invitation is in flight: with the
// given context such a call is an error, and with another it waits for itself. Each beginning has exactly one end, also after a panic. A panic in
// such a function reaches the caller.
//
// Trace functions never receive the key. Only errors can name people or resources:
// the error that ends a call, and Exchange.Err. See [Exchange].
type Trace struct {
	// Call is called at the beginning of a method with all its requests and waits, such
	// as Account.Get, a range over a list, WaitReports or SendAll. They use the returned
	// context, which must be derived from the given one. The returned function is called
	// with the method's error: nil after success or when a range was left. A call that is
	// rejected before a request is sent is traced too.
	Call func(context.Context, TraceCall) (context.Context, func(error))

	// Attempt is called just before a request is sent. The returned context is passed to
	// the transport and to observers.
	Attempt func(context.Context, TraceAttempt) (context.Context, func(Exchange))

	// Pause is called before a wait of more than a second begins. The wait may end
	// earlier with the context.
	Pause func(context.Context, TracePause)
}

// TraceCall describes a method that was called.
type TraceCall struct {
	Operation     string // The Go name, as in "Submissions.Report".
	Method, Route string // Empty for an operation made of several requests, such as a range over a list.
}

// TraceAttempt describes a request that is about to be sent.
type TraceAttempt struct {
	Operation     string // As in Exchange, also within another call.
	Method, Route string
	Server        string // Host and port, as in "hiring.example.com:443".
	Number        int    // 1 for the first.

	// Header is empty. Headers that are added to it, such as traceparent, are sent, except
	// the client's own headers and hop-by-hop headers.
	Header http.Header
}

// TracePause is a wait that is about to begin.
type TracePause struct {
	Operation string // Of the call.
	Reason    PauseReason
	Until     time.Time // By the local clock.
}

// PauseReason is the reason why a call waits: one of the Pause constants. Its text is for
// logs.
type PauseReason string

// Reasons for waits of more than a second.
const (
	PauseQuota    PauseReason = "quota"    // For the next rate-limit window, or to leave a part of this one to others.
	PauseThrottle PauseReason = "throttle" // Because the API throttles the IP address after too many failed authentications.
	PauseRetry    PauseReason = "retry"    // Before the next attempt.
	PausePoll     PauseReason = "poll"     // Before the next poll.
	PauseSettle   PauseReason = "lookup"   // Before a lookup of an invitation whose outcome is unknown.
)

// hook is a tracer or an observer of a client. An observer sees only the ends of
// attempts, so that it costs nothing at their beginning.
type hook struct {
	Trace

	observe func(context.Context, Exchange)
}

// hooks are the tracers and observers of one client.
type hooks struct {
	all     []hook
	tracing bool // Some are tracers.
	logging bool // One is a logger, which also reports waits.
}

// errUnreturned is the error of a call or an attempt that a panic or a runtime.Goexit
// ended.
var errUnreturned = errors.New("hiring: the call did not return")

const nilContext = "hiring: nil context: use context.Background or context.TODO"

// tracedCall is the call that a context belongs to.
type tracedCall struct {
	hooks     *hooks
	operation string
}

type tracedCallKey struct{}

// composed runs an operation of several requests: it opens the operation's trace span
// and removes the caller's WithResponse from the context.
func (h *hooks) composed(ctx context.Context, operation string, run func(context.Context) error) error {
	return h.traced(ctx, TraceCall{Operation: operation}, func(ctx context.Context) error {
		if responseOf(ctx) != nil {
			ctx = WithResponse(ctx, nil)
		}
		return run(ctx)
	})
}

// traced runs a call in its trace span. A call that is part of a traced call has no
// span of its own.
func (h *hooks) traced(ctx context.Context, call TraceCall, run func(context.Context) error) error {
	if ctx == nil {
		panic(nilContext)
	}
	if !h.tracing {
		if call.Method == "" {
			ctx = h.withWaits(ctx, call.Operation)
		}
		return run(ctx)
	}
	if outer, ok := ctx.Value(tracedCallKey{}).(tracedCall); ok && outer.hooks == h {
		return run(ctx)
	}
	var ends []func(error)
	err := errUnreturned
	defer func() {
		for _, end := range ends {
			defer end(err) // In reverse order, also when one panics.
		}
	}()
	for _, hook := range h.all {
		if hook.Call == nil {
			continue
		}
		inner, end := hook.Call(ctx, call)
		if inner != nil {
			ctx = inner //nolint:fatcontext // as many as there are tracers
		}
		if end != nil {
			ends = append(ends, end)
		}
	}
	err = run(context.WithValue(ctx, tracedCallKey{}, tracedCall{h, call.Operation}))
	return err
}

// withWaits returns a context under which waits are reported to a logger, and not to the
// client whose observer or trace function made the call. Calls of one request call it only
// before they wait, because it allocates.
func (h *hooks) withWaits(ctx context.Context, operation string) context.Context {
	outer, ok := ctx.Value(tracedCallKey{}).(tracedCall)
	if ok && outer.hooks == h || !ok && !h.logging {
		return ctx
	}
	return context.WithValue(ctx, tracedCallKey{}, tracedCall{h, operation})
}

// attemptTrace is the trace span of an attempt.
type attemptTrace struct {
	ctx   context.Context // For the transport and the observers.
	ends  []func(Exchange)
	known *Exchange // What is known of the attempt; nil without tracers.
}

// begin calls the tracers and adds their headers to h, except those that hold the key.
func (t *attemptTrace) begin(ctx context.Context, hooks *hooks, attempt TraceAttempt, h http.Header, key *credential) {
	t.ctx = ctx
	if !hooks.tracing {
		return
	}
	attempt.Header = make(http.Header)
	known := exchangeOf(attempt, time.Now())
	t.known = &known
	for _, hook := range hooks.all {
		if hook.Attempt == nil {
			continue
		}
		inner, end := hook.Attempt(t.ctx, attempt)
		if inner != nil {
			t.ctx = inner //nolint:fatcontext // as many as there are tracers
		}
		if end != nil {
			t.ends = append(t.ends, end)
		}
	}
	for name, values := range attempt.Header {
		name = textproto.CanonicalMIMEHeaderKey(name)
		if h[name] != nil || !headers.Addable(name) {
			continue
		}
		for _, value := range values {
			if line := name + ": " + value; headers.IsValue(value) && key.secret.ScrubString(line) == line {
				h[name] = append(h[name], value)
			}
		}
	}
}

// arrived records the head of a response, in case a panic ends the attempt.
func (t *attemptTrace) arrived(status int, requestID string, limit RateLimit) {
	if t.known != nil {
		t.known.Status, t.known.RequestID, t.known.RateLimit = status, requestID, limit
	}
}

// end calls the tracers and observers at the end of an attempt.
func (t *attemptTrace) end(hooks *hooks, e Exchange) {
	ends := t.ends
	t.ends = nil
	for _, end := range ends {
		defer end(e)
	}
	for _, hook := range hooks.all {
		if hook.observe != nil {
			hook.observe(t.ctx, e)
		}
	}
}

// abandon ends the span of an attempt that a panic or a runtime.Goexit ended. It has no
// effect after end.
func (t *attemptTrace) abandon() {
	if len(t.ends) == 0 {
		return
	}
	e := *t.known
	e.Err, e.Duration = errUnreturned, time.Since(e.Started)
	t.end(new(hooks), e)
}

// exchangeOf returns the Exchange of an attempt that has begun.
func exchangeOf(a TraceAttempt, started time.Time) Exchange {
	return Exchange{
		Operation: a.Operation, Method: a.Method, Route: a.Route, Attempt: a.Number, Server: a.Server,
		Started: started, Duration: time.Since(started),
	}
}
