package hiring

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// noResponse returns the error of an attempt that got no response.
func (c *call) noResponse(err error) *Error {
	sent, alert := !c.attempt.neverSent(err), c.attempt.handshakeAlert(err, c.request.class() == quota.Read)
	if isSchemeMismatch(err) {
		err = http.ErrSchemeMismatch // As http.Client returns it.
	}
	e := c.cutOff(nil, "no response", err)
	if sent && alert == "" {
		e.Outcome = c.outcome(OutcomeUnknown)
	}
	if e.kind != broken {
		return e
	}
	proxy := c.proxy()
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		e.Message = c.url.Host + " speaks plain http, not https"
		e.kind, e.Hint = final, "correct the scheme or the port of the base URL"
	case alert != "":
		e.Message = "the server refused the TLS handshake: remote error: " + alert
		e.kind, e.Hint = noHandshake, "check which client certificate and which versions of TLS "+c.url.Host+" requires"
	case isTLSError(err):
		e.kind = final
		e.Hint = "check the base URL and the certificate of " + c.url.Host
		if proxy != "" {
			e.Hint = "the proxy " + proxy + " may have replaced the certificate: " + c.proxySource()
		}
	case !sent && proxy != "" && isProxyRefusal(err):
		e.Message = "the proxy " + proxy + " refused the connection: " + c.text(err)
		e.kind, e.Hint = final, c.proxySource()
	case !sent:
		e.kind = unsent
	}
	if lookup, ok := errors.AsType[*net.DNSError](err); ok && lookup.IsNotFound {
		e.Hint = "check the base URL"
		if proxy != "" {
			e.Message = "the name of the proxy " + excerpt(proxy) + " cannot be resolved: " + c.text(lookup)
			e.Hint = c.proxySource() + ", where a user and a password must be percent-encoded"
		}
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

// handshakeAlert returns the alert by which the server refused the TLS handshake, or "". With TLS
// 1.3 it arrives after the request was written, which the server has not read. On a connection that
// was used before, and for a write with a transport that reports no connection, it is a lost
// connection.
func (a *attempt) handshakeAlert(err error, read bool) string {
	if a.reused.Load() || !a.connected.Load() && !a.dialled.Load() && !read {
		return ""
	}
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

// proxySource returns a hint that names what sets the proxy of the call.
func (c *call) proxySource() string {
	from, err := http.ProxyFromEnvironment(&http.Request{URL: &c.url})
	if err != nil || from == nil || from.Host != c.proxy() {
		return "the proxy is set by the Proxy of the transport"
	}
	return "the proxy is set by " + strings.ToUpper(c.url.Scheme) + "_PROXY"
}

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
