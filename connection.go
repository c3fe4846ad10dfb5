package hiring

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// noResponse returns the error of an attempt that got no response.
func (c *call) noResponse(err error) *Error {
	sent := !c.attempt.neverSent(err)
	e := c.interrupted("no response", err)
	e.Outcome = c.outcome(OutcomeUnknown)
	if !sent {
		e.Outcome = c.outcome(OutcomeNotDone)
	}
	if e.kind != broken {
		return e
	}
	proxy := c.proxy()
	switch {
	case isSchemeMismatch(err):
		e.Message = c.url.Host + " speaks plain http, not https"
		e.kind, e.Hint = final, "correct the scheme or the port of the base URL"
	case isTLSError(err):
		e.kind = final
		e.Hint = "check the base URL and the certificate of " + c.url.Host
		if proxy != "" {
			e.Hint = "the proxy " + proxy + " may have replaced the certificate: " + proxyHint
		}
	case !sent && proxy != "" && isProxyRefusal(err):
		e.Message = "the proxy " + proxy + " refused the connection: " + c.text(err)
		e.kind, e.Hint = final, proxyHint
	case !sent:
		e.kind = unsent
	}
	if lookup, ok := errors.AsType[*net.DNSError](err); ok && lookup.IsNotFound {
		e.Hint = "check the base URL"
	}
	return e
}

// neverSent reports whether the request was certainly not sent: the transport asked for a
// connection and got none. The error of a transport that reports no progress proves this only if
// it is an error of dialling.
func (a *attempt) neverSent(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return !a.connected.Load() && (a.dialled.Load() || ok && dial.Op == "dial")
}

const proxyHint = "the proxy is set by HTTPS_PROXY or by the Proxy of the transport"

// proxy returns the host of the proxy for the call, "" without one.
func (c *call) proxy() string {
	from := http.ProxyFromEnvironment
	if t, ok := c.core.transport().(*http.Transport); ok {
		from = t.Proxy
	}
	if from == nil {
		return ""
	}
	u, err := from(&http.Request{Method: c.request.method, URL: &c.url})
	if err != nil || u == nil {
		return ""
	}
	return u.Host
}

// isProxyRefusal reports whether err, which prevented a connection through a proxy, is the proxy's
// refusal. net/http returns the status text of a response to CONNECT as an error without a type.
// A gateway error and an unreachable host are about the API, and may end.
func isProxyRefusal(err error) bool {
	if _, ok := errors.AsType[net.Error](err); ok {
		socks, ok := errors.AsType[*net.OpError](err)
		if !ok || !strings.HasPrefix(socks.Op, "socks") || socks.Timeout() {
			return false
		}
		err = socks.Err
	}
	if _, ok := errors.AsType[syscall.Errno](err); ok || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	for _, transient := range []string{
		http.StatusText(http.StatusBadGateway), http.StatusText(http.StatusServiceUnavailable), http.StatusText(http.StatusGatewayTimeout),
		http.StatusText(http.StatusInternalServerError), "network unreachable", "host unreachable", "connection refused", "TTL expired",
	} {
		if strings.HasSuffix(err.Error(), transient) {
			return false
		}
	}
	return true
}

// isSchemeMismatch reports whether a server answered a TLS handshake in plain http.
func isSchemeMismatch(err error) bool {
	record, ok := errors.AsType[tls.RecordHeaderError](err)
	return errors.Is(err, http.ErrSchemeMismatch) || ok && string(record.RecordHeader[:]) == "HTTP/"
}

// isTLSError reports whether err is a failure of TLS that a retry does not fix.
func isTLSError(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	return certificate || authority || record || errors.Is(err, http.ErrSchemeMismatch)
}

// interrupted returns the error of an attempt that the connection, a timeout or the caller ended.
func (c *call) interrupted(what string, cause error) *Error {
	timeout := c.core.config.timeout
	switch {
	case c.ctx.Err() != nil:
		e := c.fail(what+": "+c.ctx.Err().Error(), contextError(c.ctx))
		e.kind = timedOut
		return e
	case timeout > 0 && time.Since(c.attempt.exchange.Started) >= timeout: // Not that of the http.Client, which may be shorter.
		e := c.fail(fmt.Sprintf("%s within %s", what, timeout), context.DeadlineExceeded)
		e.kind, e.Hint = timedOut, "see WithTimeout"
		return e
	}
	e := c.fail(what+": "+c.text(cause), cause)
	e.kind = broken
	if timeout, ok := errors.AsType[net.Error](cause); c.attempt.ctx.Err() != nil || ok && timeout.Timeout() {
		e.kind = timedOut
	}
	return e
}
