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
	Status        int    // 0 when there was no reply.
	RequestID     string
	Attempt       int           // 1 for the first.
	Duration      time.Duration // Until the body was read.
	RateLimit     RateLimit     // Zero when the reply did not say.
	Err           error         // Nil when the attempt succeeded. Its message may name people.
	Wait          time.Duration // The pause before the next attempt; 0 when there is none.
	Warning       string        // An assumption that looks wrong, such as a Dialect field, though the result is right.
	Started       time.Time     // When the request was handed to the transport, by the local clock.
	Server        string        // Host and port of who was asked, as in "hiring.example.com:443".
}

// Response is the raw reply of the last attempt made under a context of
// [WithResponse].
type Response struct {
	StatusCode int // 0 when there was no reply.
	Header     http.Header
	RequestID  string
	RateLimit  RateLimit
	Attempts   int
	Body       []byte // As far as it was read.
}

type responseKey struct{}

// WithResponse returns a context under which a call writes its raw reply to r
// before it returns, also when it fails. It serves one call at a time. Calls
// that read ahead or wait capture nothing.
func WithResponse(ctx context.Context, r *Response) context.Context {
	return context.WithValue(ctx, responseKey{}, r)
}

func responseOf(ctx context.Context) *Response {
	r, _ := ctx.Value(responseKey{}).(*Response)
	return r
}

// Trace sees calls from their beginning to their end, as tracers must. Any field
// may be nil, and so may what it returns: a nil context means the one given. All
// are called in the goroutine of the call, or with [Pager.Prefetch] partly in one
// of its own, and must return soon. What has begun ends exactly once, also when
// something panics meanwhile. A panic in a probe is the caller's.
//
// Trace functions never receive the key. Only errors can name people or resources:
// the error that ends a call, and Exchange.Err. See [Exchange].
type Trace struct {
	// Call is told of one method with all that it sends and waits: Account.Get, a
	// range over a list, WaitReports, SendAll. All of it sees the context returned,
	// which must be made from the one given. The function returned is called with
	// the method's error, nil when it succeeded or a range was left. What was
	// refused before anything was sent is a call, too.
	Call func(context.Context, TraceCall) (context.Context, func(error))

	// Attempt is told of one request, just before it is sent. The context
	// returned goes to the transport and to observers.
	Attempt func(context.Context, TraceAttempt) (context.Context, func(Exchange))

	// Pause is told before a wait of more than a second begins, which may end
	// sooner with the context.
	Pause func(context.Context, TracePause)
}

// TraceCall is one method that was called.
type TraceCall struct {
	Operation     string // The Go name, as in "Submissions.Report".
	Method, Route string // Empty for an operation made of several requests, such as a range over a list.
}

// TraceAttempt is one request that is about to be sent.
type TraceAttempt struct {
	Operation     string // As in Exchange, whatever call it is part of.
	Method, Route string
	Server        string // Host and port, as in "hiring.example.com:443".
	Number        int    // 1 for the first.

	// Header is empty, and what is added to it, such as a traceparent, is sent.
	// The client's own headers, and those that would change how a request
	// travels, cannot be set by it.
	Header http.Header
}

// TracePause is a wait that is about to begin.
type TracePause struct {
	Operation string // That of the call.
	Reason    PauseReason
	Until     time.Time // By the local clock.
}

// PauseReason is why a call waits.
type PauseReason string

// The reasons.
const (
	PauseQuota    PauseReason = "quota"    // For the quota's next window, or to leave some of this one to others.
	PauseThrottle PauseReason = "throttle" // The address is held back after too many failed authentications.
	PauseRetry    PauseReason = "retry"    // Before the next attempt.
	PausePoll     PauseReason = "poll"     // Before the next round of a wait or a watch.
	PauseSettle   PauseReason = "settle"   // Before looking what became of a write whose reply was lost.
)

// probe is one of a client's. An observer is one that sees the ends of attempts
// alone, which costs it nothing at their beginning.
type probe struct {
	Trace

	observe func(context.Context, Exchange)
}

// errUnreturned is how a call or an attempt ends that something panicked in.
var errUnreturned = errors.New("hiring: the call did not return")

const nilContext = "hiring: nil context: use context.Background or context.TODO"

// watchers are those of one client.
type watchers struct {
	probes  []probe // Observers among them.
	probing bool    // Some are more than observers.
	logging bool    // One of them is a logger, which also reports waits.
}

// ongoing is the call that a context is of.
type ongoing struct {
	of        *watchers
	operation string
}

type ongoingKey struct{}

// probed runs a call that the probes see, unless it is part of one already.
func (w *watchers) probed(ctx context.Context, call TraceCall, run func(context.Context) error) error {
	if ctx == nil {
		panic(nilContext)
	}
	if !w.probing {
		if w.logging && call.Method == "" {
			ctx = w.waiting(ctx, call.Operation)
		}
		return run(ctx)
	}
	if outer, ok := ctx.Value(ongoingKey{}).(ongoing); ok && outer.of == w {
		return run(ctx)
	}
	var ends []func(error)
	err := errUnreturned
	defer func() {
		for _, end := range ends {
			defer end(err) // The last that began ends first, and a panic in one ends the others.
		}
	}()
	for _, p := range w.probes {
		if p.Call == nil {
			continue
		}
		inner, end := p.Call(ctx, call)
		if inner != nil {
			ctx = inner //nolint:fatcontext // as many as there are probes
		}
		if end != nil {
			ends = append(ends, end)
		}
	}
	err = run(context.WithValue(ctx, ongoingKey{}, ongoing{w, call.Operation}))
	return err
}

// waiting returns a context under which waits are reported. Calls of one request
// ask for it only when they wait, because it costs an allocation.
func (w *watchers) waiting(ctx context.Context, operation string) context.Context {
	if _, ok := ctx.Value(ongoingKey{}).(ongoing); ok || !w.logging {
		return ctx
	}
	return context.WithValue(ctx, ongoingKey{}, ongoing{w, operation})
}

// trial is an attempt as the probes see it.
type trial struct {
	ctx  context.Context // For the transport and the observers.
	ends []func(Exchange)
}

// begin tells the probes of an attempt, and adds their headers to h.
func (t *trial) begin(ctx context.Context, w *watchers, attempt TraceAttempt, h http.Header, mayAdd func(line string) bool) {
	t.ctx = ctx
	if !w.probing {
		return
	}
	attempt.Header = make(http.Header)
	for _, p := range w.probes {
		if p.Attempt == nil {
			continue
		}
		inner, end := p.Attempt(t.ctx, attempt)
		if inner != nil {
			t.ctx = inner //nolint:fatcontext // as many as there are probes
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
			if headers.IsValue(value) && mayAdd(name+": "+value) {
				h[name] = append(h[name], value)
			}
		}
	}
}

// observed tells whether anybody wants an Exchange.
func (w *watchers) observed() bool { return len(w.probes) > 0 }

// end tells how the attempt ended, once.
func (t *trial) end(w *watchers, e Exchange) {
	ends := t.ends
	t.ends = nil
	for _, end := range ends {
		defer end(e)
	}
	for _, p := range w.probes {
		if p.observe != nil {
			p.observe(t.ctx, e)
		}
	}
}

// abandon ends an attempt that something panicked in.
func (t *trial) abandon(e Exchange) {
	ends := t.ends
	t.ends = nil
	e.Err = errUnreturned
	for _, end := range ends {
		defer end(e)
	}
}

// sleep waits, and reports the wait if it is long. Except when polling, a wait that
// would end after the context's deadline fails at once.
func sleep(ctx context.Context, d time.Duration, reason PauseReason) error {
	if reason != PausePoll && outlasts(ctx, d) {
		return context.DeadlineExceeded
	}
	timer := time.NewTimer(pauses(ctx, d, reason))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return contextError(ctx)
	case <-timer.C:
		return nil
	}
}

// pauseListener is called before a wait of more than a second and every minute of
// it, in the goroutine of the call.
type pauseListener func(reason PauseReason, until time.Time)

type pauseListenerKey struct{}

// pauses reports to the probes and to the listener of ctx that the call is about to
// wait, and returns how long it still has to wait. For a listener it waits here
// until less than a minute is left.
func pauses(ctx context.Context, d time.Duration, reason PauseReason) (left time.Duration) {
	if d <= time.Second || ctx.Err() != nil {
		return d
	}
	until := time.Now().Add(d)
	if call, ok := ctx.Value(ongoingKey{}).(ongoing); ok {
		for _, p := range call.of.probes {
			if p.Pause != nil {
				p.Pause(ctx, TracePause{call.operation, reason, until})
			}
		}
	}
	listen, ok := ctx.Value(pauseListenerKey{}).(pauseListener)
	if !ok {
		return d
	}
	for {
		listen(reason, until)
		if left = time.Until(until); left <= time.Minute {
			return left
		}
		timer := time.NewTimer(time.Minute)
		select {
		case <-ctx.Done():
			timer.Stop()
			return left
		case <-timer.C:
		}
	}
}

// outlasts tells whether a wait reaches beyond the context's deadline.
func outlasts(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && wait > 0 && wait >= time.Until(deadline)
}
