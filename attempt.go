package hiring

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"strings"
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
	for _, trace := range traces.hooks {
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

// neverSent reports whether the request was certainly not sent: the transport asked for a
// connection and got none. The error of a transport that reports no progress proves this only if
// it is an error of dialling.
func (a *attempt) neverSent(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return !a.connected.Load() && (a.dialled.Load() || ok && dial.Op == "dial")
}

// handshakeAlert returns the alert by which the server refused the TLS handshake, or "". With TLS
// 1.3 it arrives after the request was written, which the server has not read. On a connection that
// was used before, and for a write with a transport that reports no connection, it is a lost
// connection.
func (a *attempt) handshakeAlert(err error, read bool) string {
	if a.reused.Load() || !a.connected.Load() && !a.dialled.Load() && !read {
		return ""
	}
	return handshakeAlertIn(err)
}

// handshakeAlertIn returns the alert of a refused TLS handshake in err, or "".
func handshakeAlertIn(err error) string {
	alert := ""
	if typed, ok := errors.AsType[tls.AlertError](err); ok {
		alert = typed.Error()
	}
	for op, ok := errors.AsType[*net.OpError](err); ok && alert == ""; op, ok = errors.AsType[*net.OpError](op.Err) {
		if op.Op == "remote error" {
			alert = op.Err.Error() // Its type is not exported, but its text is that of tls.AlertError.
		}
	}
	for _, number := range handshakeAlerts {
		if alert == tls.AlertError(number).Error() {
			return alert
		}
	}
	return ""
}

// handshakeAlerts are the alerts about a certificate, or a version or cipher in common. Another
// handshake gets them too.
var handshakeAlerts = []uint8{40, 42, 43, 44, 45, 46, 48, 49, 70, 71, 112, 116, 120}

// isProxyRefusal reports whether err, which prevented a connection through a proxy, is the proxy's
// refusal. net/http returns the status text of a response to CONNECT as an error without a type.
// A gateway error is about the API, and may end.
func isProxyRefusal(err error) bool {
	_, network := errors.AsType[net.Error](err)
	if network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	for _, status := range overloadStatuses {
		if strings.HasSuffix(err.Error(), http.StatusText(status)) {
			return false
		}
	}
	return true
}

// isSchemeMismatch reports whether a server answered a TLS handshake in plain http.
func isSchemeMismatch(err error) bool {
	record, ok := errors.AsType[tls.RecordHeaderError](err)
	return ok && string(record.RecordHeader[:]) == "HTTP/"
}

// isTLSError reports whether err is a failure of TLS that a retry does not fix.
func isTLSError(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	return certificate || authority || record || errors.Is(err, http.ErrSchemeMismatch)
}
