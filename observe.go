package hiring

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"syscall"
	"time"
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
	RateLimit     RateLimit     // Zero when the response had none.
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
// before it returns, also when it fails. Use the context for one call at a time, as with
// httptrace.WithClientTrace. Methods that poll, EnsureAll and DownloadArchive capture nothing.
// Ensure captures the response to its POST.
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
// the goroutine of the call and must return soon. They must not invite an address whose
// invitation is in flight: such a call waits for itself. Each beginning has exactly one
// end, also after a panic. A panic in such a function reaches the caller.
//
// Trace functions never receive the key. Only errors can name people or resources:
// the error that ends a call, and Exchange.Err. See [Exchange].
type Trace struct {
	// Call is called at the beginning of a method with all its requests and waits, such
	// as Account.Get, a range over a list, WaitReports or EnsureAll. They use the returned
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
	Operation string // The Go name of the call.
	Reason    PauseReason
	Until     time.Time // By the local clock.
}

// PauseReason is the reason why a call waits: one of the Pause constants. Its text is for
// logs.
type PauseReason string

// Reasons for waits of more than a second.
const (
	PauseQuota PauseReason = "quota" // For the next rate-limit window, or to leave a part of this one to others.
	PauseRetry PauseReason = "retry" // Before the next attempt.
	PausePoll  PauseReason = "poll"  // Before the next poll.
	// Before a lookup of an invitation whose outcome is unknown, or for another call that invites
	// the same address.
	PauseLookup PauseReason = "lookup"
)

// traces are the traces and observers of a client, with those of its logger.
type traces struct {
	hooks     []Trace
	observers []func(context.Context, Exchange) // Called before the ends of attempts, with the context that the traces returned.

	seesOperations bool // A trace has a function Call.
}

// allTraces returns the traces and observers of a client, with those of its logger.
func (c config) allTraces() *traces {
	t := &traces{hooks: c.traces, observers: c.observers}
	if c.logger != nil {
		t.hooks = append(t.hooks, Trace{Pause: logPauses(c.logger)})
		t.observers = append(t.observers, logTo(c.logger))
	}
	t.seesOperations = slices.ContainsFunc(t.hooks, func(t Trace) bool { return t.Call != nil })
	return t
}

// errUnreturned is the error of an operation or an attempt that a panic or a
// runtime.Goexit ended.
var errUnreturned = errors.New("hiring: the call did not return")

const nilContext = "hiring: nil context: use context.Background or context.TODO"

// span is the operation that a context belongs to.
type span struct {
	traces   *traces
	name     string
	progress func(TracePause) // Is called with each wait too. Nil: not called.
}

type spanKey struct{}

// composed is traced for methods that make several calls: it also removes the caller's
// WithResponse from the context.
func (t *traces) composed(ctx context.Context, name string, run func(context.Context) error) error {
	return t.traced(ctx, TraceCall{Operation: name}, func(ctx context.Context) error {
		if responseOf(ctx) != nil {
			ctx = WithResponse(ctx, nil)
		}
		return run(ctx)
	})
}

// traced runs an operation in its trace span. An operation that is part of another has no span of
// its own. A single call whose beginning no trace sees gets one only before it waits, because a
// context allocates.
func (t *traces) traced(ctx context.Context, described TraceCall, run func(context.Context) error) error {
	if ctx == nil {
		panic(nilContext)
	}
	outer, hasSpan := ctx.Value(spanKey{}).(span)
	isPart := hasSpan && outer.traces == t
	needsNone := !hasSpan && len(t.hooks) == 0
	isUnseenCall := described.Method != "" && !t.seesOperations
	if isPart || needsNone || isUnseenCall {
		return run(ctx)
	}
	var ends []func(error)
	err := errUnreturned
	defer func() {
		for _, end := range ends {
			defer end(err) // A defer for each: the last begins first, and one that panics does not prevent the others.
		}
	}()
	for _, trace := range t.hooks {
		if trace.Call == nil {
			continue
		}
		inner, end := trace.Call(ctx, described)
		if inner != nil {
			ctx = inner //nolint:fatcontext // as many as there are traces
		}
		if end != nil {
			ends = append(ends, end)
		}
	}
	err = run(t.withProgress(ctx, described.Operation, nil))
	return err
}

// withSpan returns a context whose waits are announced to these traces: that of the operation which
// a call is part of, or a new one. A trace function may make a call of another client under the
// context of its own.
func (t *traces) withSpan(ctx context.Context, name string) context.Context {
	if outer, isPart := ctx.Value(spanKey{}).(span); isPart && outer.traces == t {
		return ctx
	}
	return t.withProgress(ctx, name, nil)
}

// withProgress is withSpan for an operation whose waits progress receives too, unless it is nil.
func (t *traces) withProgress(ctx context.Context, name string, progress func(TracePause)) context.Context {
	return context.WithValue(ctx, spanKey{}, span{t, name, progress})
}

// announceWait tells the traces of the operation that a wait begins, if it is long.
func announceWait(ctx context.Context, d time.Duration, reason PauseReason) {
	of, ok := ctx.Value(spanKey{}).(span)
	if !ok || d <= time.Second {
		return
	}
	pause := TracePause{of.name, reason, time.Now().Add(d)}
	for _, trace := range of.traces.hooks {
		if trace.Pause != nil {
			trace.Pause(ctx, pause)
		}
	}
	if of.progress != nil {
		of.progress(pause)
	}
}

// logTo returns the observer of [WithLogger].
func logTo(logger *slog.Logger) func(context.Context, Exchange) {
	return func(ctx context.Context, e Exchange) {
		level, message := slog.LevelDebug, "hiring: call"
		switch {
		case e.Wait > 0:
			level, message = slog.LevelInfo, "hiring: call will be retried"
		case e.Err != nil:
			level, message = slog.LevelWarn, "hiring: call failed"
		case e.Warning != "":
			level, message = slog.LevelWarn, "hiring: call succeeded with a warning"
		}
		if !logger.Enabled(ctx, level) {
			return
		}
		attrs := append(make([]slog.Attr, 0, 12),
			slog.String("operation", e.Operation),
			slog.String("method", e.Method),
			slog.String("route", e.Route),
			slog.Int("status", e.Status),
			slog.String("request_id", e.RequestID),
			slog.Int("attempt", e.Attempt),
			slog.Duration("duration", e.Duration))
		if e.RateLimit.Known() {
			attrs = append(attrs, slog.Int("rate_limit", e.RateLimit.Limit), slog.Int("rate_remaining", e.RateLimit.Remaining))
		}
		if e.Wait > 0 {
			attrs = append(attrs, slog.Duration("wait", e.Wait))
		}
		if e.Warning != "" {
			attrs = append(attrs, slog.String("warning", e.Warning))
		}
		if failure, ok := errors.AsType[*Error](e.Err); ok && failure.Code.isDocumented() {
			attrs = append(attrs, slog.String("code", string(failure.Code)))
		} else if e.Err != nil && (e.Status == 0 || ok && failure.Unwrap() != nil) { // The response was cut short.
			attrs = append(attrs, slog.String("cause", errorWord(e.Err)))
		}
		logger.LogAttrs(ctx, level, message, attrs...)
	}
}

// errorWord returns one term for the kind of err, for a log, or "other".
func errorWord(err error) string {
	if isTLSError(err) || handshakeAlertIn(err) != "" {
		return "tls"
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok { // Before "timeout": a lookup that timed out is still "dns".
		return "dns"
	}
	for _, known := range []struct {
		err  error
		word string
	}{
		{context.Canceled, "canceled"},
		{context.DeadlineExceeded, "timeout"},
		{syscall.ECONNREFUSED, "connection refused"},
		{syscall.ECONNRESET, "connection reset"},
		{syscall.EPIPE, "connection reset"},
		{io.ErrUnexpectedEOF, "cut short"},
		{io.EOF, "cut short"},
	} {
		if errors.Is(err, known.err) {
			return known.word
		}
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return "timeout"
	}
	return "other"
}

// logPauses logs the waits that can be long: for the rate limit, and before a lookup
// of a write whose response was lost.
func logPauses(logger *slog.Logger) func(context.Context, TracePause) {
	return func(ctx context.Context, p TracePause) {
		if p.Reason == PauseQuota || p.Reason == PauseLookup {
			logger.LogAttrs(ctx, slog.LevelInfo, "hiring: waiting",
				slog.String("operation", p.Operation), slog.String("reason", string(p.Reason)), slog.Time("until", p.Until))
		}
	}
}
