package hiring

import (
	"context"
	"errors"
	"net/http"
	"net/textproto"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/headers"
)

// Exchange is one attempt of a call, as an observer sees it. It holds nothing
// that names a candidate or a resource, so that it can feed logs and metrics.
// What was refused before it was sent is not an Exchange.
type Exchange struct {
	Operation     string // The Go name, as in "Submissions.Report".
	Method, Route string // Route is the template, as in "/submissions/{id}/report".
	Status        int    // 0 when there was no reply.
	RequestID     string
	Attempt       int           // 1 for the first.
	Duration      time.Duration // Until the body was read.
	RateLimit     RateLimit     // Zero when the reply did not say.
	Err           error         // Nil when the attempt succeeded. An *Error's message may name things: log its Code.
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

// Probe sees calls from their beginning to their end, as tracers must. Any field
// may be nil, and so may what it returns: a nil context means the one given. All
// are called in the goroutine of the call, or with [Pager.Prefetch] partly in one
// of its own, and must return soon. What has begun ends exactly once, also when
// something panics meanwhile. A panic in a probe is the caller's.
//
// It gets nothing that names a candidate or a resource, and never the key.
type Probe struct {
	// Call is told of one method with all that it sends and waits: Account.Get, a
	// range over a list, WaitReports, SendAll. All of it sees the context returned,
	// which must be made from the one given. The function returned is called with
	// the method's error, nil when it succeeded or a range was left. What was
	// refused before anything was sent is a call, too.
	Call func(context.Context, ProbeCall) (context.Context, func(error))

	// Attempt is told of one request, just before it is sent. The context
	// returned goes to the transport and to observers.
	Attempt func(context.Context, ProbeAttempt) (context.Context, func(Exchange))

	// Pause is told before a wait of more than a second begins, which may end
	// sooner with the context.
	Pause func(context.Context, ProbePause)
}

// ProbeCall is one method that was called.
type ProbeCall struct {
	Operation     string // The Go name, as in "Submissions.Report".
	Method, Route string // Empty for an operation made of several requests, such as a range over a list.
}

// ProbeAttempt is one request that is about to be sent.
type ProbeAttempt struct {
	Operation     string // As in Exchange, whatever call it is part of.
	Method, Route string
	Server        string // Host and port, as in "hiring.example.com:443".
	Number        int    // 1 for the first.

	// Header is empty, and what is added to it, such as a traceparent, is sent.
	// The client's own headers, and those that would change how a request
	// travels, cannot be set by it.
	Header http.Header
}

// ProbePause is a wait that is about to begin.
type ProbePause struct {
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
	Probe

	observe func(context.Context, Exchange)
}

// errUnreturned is how a call or an attempt ends that something panicked in.
var errUnreturned = errors.New("hiring: the call did not return")

// watchers are those of one client.
type watchers struct {
	probes  []probe // Observers among them.
	probing bool    // Some are more than observers.
}

// ongoing is the call that a context is of.
type ongoing struct {
	of        *watchers
	operation string
}

type ongoingKey struct{}

// probed runs a call that the probes see, unless it is part of one already.
func (w *watchers) probed(ctx context.Context, call ProbeCall, run func(context.Context) error) error {
	if !w.probing {
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

// trial is an attempt as the probes see it.
type trial struct {
	ctx  context.Context // For the transport and the observers.
	ends []func(Exchange)
}

// begin tells the probes of an attempt, and adds their headers to h.
func (t *trial) begin(ctx context.Context, w *watchers, attempt ProbeAttempt, h http.Header, mayAdd func(line string) bool) {
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

// sleep waits, and tells the probes if that is long. What comes after the
// context's deadline is not waited for: that fails at once. Only who polls has
// until the deadline.
func sleep(ctx context.Context, d time.Duration, reason PauseReason) error {
	if reason != PausePoll && outlasts(ctx, d) {
		return context.DeadlineExceeded
	}
	pauses(ctx, d, reason)
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return contextError(ctx)
	case <-timer.C:
		return nil
	}
}

// pauses tells the probes that the call of ctx is about to wait.
func pauses(ctx context.Context, d time.Duration, reason PauseReason) {
	if d <= time.Second || ctx.Err() != nil {
		return
	}
	call, ok := ctx.Value(ongoingKey{}).(ongoing)
	if !ok {
		return
	}
	for _, p := range call.of.probes {
		if p.Pause != nil {
			p.Pause(ctx, ProbePause{call.operation, reason, time.Now().Add(d)})
		}
	}
}

// outlasts tells whether a wait reaches beyond the context's deadline.
func outlasts(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && wait > 0 && wait >= time.Until(deadline)
}
