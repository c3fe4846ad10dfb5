package hiring

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"sync/atomic"
	"time"
)

// attempt is one request of a call.
type attempt struct {
	cancel   context.CancelFunc
	exchange Exchange         // What observers get.
	observed context.Context  // The context that observers get; nil after the end.
	ends     []func(Exchange) // The functions that the traces returned; nil after the end.

	dialled   atomic.Bool // The transport asked for a connection.
	connected atomic.Bool // The transport has a connection. From here on the request may have been written.
	reused    atomic.Bool // The connection was used before, or has brought a response.
	trace     httptrace.ClientTrace
}

// begin calls the traces, and returns the context of an attempt with a timeout, unless that is 0, and
// the headers that the traces add.
func (a *attempt) begin(ctx context.Context, traces *traces, at TraceAttempt, timeout time.Duration) (context.Context, http.Header) {
	*a = attempt{exchange: Exchange{
		Operation: at.Operation, Method: at.Method, Route: at.Route, Attempt: at.Number, Server: at.Server, Started: time.Now(),
	}}
	for _, trace := range traces.all {
		if trace.Attempt == nil {
			continue
		}
		if at.Header == nil {
			at.Header = make(http.Header)
		}
		inner, end := trace.Attempt(ctx, at)
		if inner != nil {
			ctx = inner //nolint:fatcontext // as many as there are traces
		}
		if end != nil {
			a.ends = append(a.ends, end)
		}
	}
	a.observed = ctx
	if timeout > 0 {
		ctx, a.cancel = context.WithDeadline(ctx, a.exchange.Started.Add(timeout))
	} else {
		ctx, a.cancel = context.WithCancel(ctx)
	}
	a.trace.GetConn = func(string) { a.dialled.Store(true) }
	a.trace.GotConn = func(c httptrace.GotConnInfo) {
		a.connected.Store(true)
		a.reused.Store(c.Reused)
	}
	a.trace.GotFirstResponseByte = func() { a.reused.Store(true) }
	return httptrace.WithClientTrace(ctx, &a.trace), at.Header
}

// end calls the observers, and the functions that the traces returned in reverse order. One that
// panics does not prevent the others. After the first time, end has no effect. It also ends an
// attempt whose beginning panicked.
func (a *attempt) end(t *traces, warning string, err error, wait time.Duration) {
	ends, ctx := a.ends, a.observed
	a.ends, a.observed = nil, nil
	e := &a.exchange
	e.Warning, e.Err, e.Wait, e.Duration = warning, err, wait, time.Since(e.Started)
	for _, end := range ends {
		defer end(*e)
	}
	if ctx == nil { // The attempt has not begun, or has ended.
		return
	}
	a.cancel()
	for _, observe := range t.observers {
		observe(ctx, *e)
	}
}

// copyAdded copies the headers that traces add, except those that they cannot set.
func copyAdded(to, added http.Header) {
	for name, values := range added {
		if name = textproto.CanonicalMIMEHeaderKey(name); !slices.Contains(fixedHeaders, name) {
			to[name] = append(to[name], values...)
		}
	}
}

// fixedHeaders are the headers that a trace function cannot set: those that the client sets, those
// that control how a request is transferred, and those that make net/http retry a POST.
var fixedHeaders = []string{
	"Accept", "Accept-Encoding", "Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Cookie",
	"Expect", "Host", "Idempotency-Key", "If-Range", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Range", "Te",
	"Trailer", "Transfer-Encoding", "Upgrade", "User-Agent", "X-Idempotency-Key",
}
