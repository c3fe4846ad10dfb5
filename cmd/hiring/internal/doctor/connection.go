package doctor

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// checkConnection sets the findings about the connection and the key. A later reply that
// ended the run counts more than the first, which is that of the account.
func (e *examination) checkConnection(account, description reply) {
	last := account
	if e.stop.label != "" {
		last = e.stop
	}
	if account.timedOut() {
		for _, row := range rows() {
			if row.group == "connection" {
				e.set(row.name, undecided(account.summary(), "run it again with a longer --timeout"))
			}
		}
		return
	}
	reached := e.checkReached(last)
	e.set("connection", reached)
	e.set("proxy", e.checkProxy(last, reached))
	e.set("key", e.checkKey(account, last))
	e.set("scope", e.checkScope(account))
	if account.notFromAPI() {
		for _, row := range []string{"base URL", "clock", "rate-limit headers", "request ids"} {
			e.set(row, notChecked("no response of the API"))
		}
		return
	}
	e.set("base URL", e.checkBaseURL(account, description))
	e.set("clock", checkClock(account))
	e.set("rate-limit headers", e.checkQuota(account))
	e.set("request ids", checkRequestIDs(account))
}

// checkReached reports whether requests reach the server.
func (e *examination) checkReached(r reply) Finding {
	const inspect = "check the base URL and this machine's clock; if this network inspects TLS, install its certificate authority on " +
		"this machine; otherwise do not send a key to this server"
	var lookup *net.DNSError
	var dial *net.OpError
	var unknown x509.UnknownAuthorityError
	var invalid *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case r.StatusCode != 0:
		return ok("", "responses arrive")
	case errors.As(r.err, &lookup):
		return wrong("name not found", "the name "+lookup.Name+" cannot be looked up", "check the base URL and the DNS server of this network")
	case errors.As(r.err, &dial) && (dial.Op == "dial" || dial.Op == "proxyconnect"):
		return wrong("no connection", r.summary(), "allow connections from this machine to "+cmp.Or(e.proxy, e.server)+", or set HTTPS_PROXY")
	case errors.As(r.err, &unknown):
		why := "this machine does not trust the authority that signed the certificate"
		if unknown.Cert != nil {
			why += ", " + unknown.Cert.Issuer.String()
		}
		return wrong("unknown authority", why, inspect)
	case errors.As(r.err, &invalid):
		return wrong("certificate not valid", r.summary(), inspect)
	case errors.As(r.err, &record):
		return wrong("no TLS", "the server does not speak TLS", "check the scheme and the port of the base URL")
	case e.proxy != "":
		return ok("", "the proxy accepts connections")
	}
	return wrong("no response", e.server+" accepts connections: "+r.summary(), "check the port, and whether a firewall ends the connection")
}

// proxyOf returns the host of the proxy that the transport will use, or "". Only an
// *http.Transport has a known proxy.
func proxyOf(c Config) string {
	transport := http.DefaultTransport
	if c.HTTP != nil && c.HTTP.Transport != nil {
		transport = c.HTTP.Transport
	}
	known, isKnown := transport.(*http.Transport)
	base, err := url.Parse(c.BaseURL)
	if !isKnown || known.Proxy == nil || err != nil {
		return ""
	}
	proxy, err := known.Proxy(&http.Request{URL: base, Header: http.Header{}})
	if err != nil || proxy == nil {
		return ""
	}
	return proxy.Host // Without user info.
}

func (e *examination) checkProxy(r reply, reached Finding) Finding {
	answered := r.label + ": " + http.StatusText(r.StatusCode)
	switch location := r.Header.Get("Location"); {
	case r.StatusCode == 0 && reached.Verdict == Holds:
		return wrong("requests are blocked", e.proxy+": "+r.summary(),
			"allow the server in the proxy, or set HTTPS_PROXY with the proxy's user and password")
	case r.StatusCode == 0:
		return notChecked("no response arrived")
	case r.StatusCode == http.StatusProxyAuthRequired || r.StatusCode == http.StatusNetworkAuthenticationRequired:
		return wrong("sign-in required", answered, "sign in to this network, or set HTTPS_PROXY with the proxy's user and password")
	case r.StatusCode/100 == 3 && location != "":
		return wrong("redirect", answered+", to "+hostOf(location), "sign in to this network, or check the base URL")
	case r.isPage():
		return wrong("a web page", r.summary(), "sign in to this network, allow the server in its proxy, or check the base URL")
	}
	return ok(cmp.Or(e.proxy, "none"), "the responses come from the API")
}

// hostOf returns the host of a redirect. The rest may contain a token.
func hostOf(location string) string {
	target, err := url.Parse(location)
	switch {
	case err != nil:
		return "an invalid address"
	case target.Host == "":
		return "another path"
	}
	return target.Host
}

func (e *examination) checkBaseURL(r, description reply) Finding {
	switch {
	case r.StatusCode == http.StatusNotFound && description.StatusCode == http.StatusNotFound:
		return wrong("not found", r.summary(), "check the base URL: it is given without /api/v1")
	case r.ok() || r.code() != "" || r.StatusCode/100 == 2:
		return ok(e.server, r.summary())
	}
	return wrong("not the API", r.summary(), "check the base URL")
}

// maxSkew is the difference of clocks above which relative times mislead.
const maxSkew = time.Minute

// skewTolerance is what whole seconds and a slow response can add to the difference.
const skewTolerance = 5 * time.Second

func checkClock(r reply) Finding {
	service, err := http.ParseTime(r.Header.Get("Date"))
	if err != nil {
		return undecided("the responses have no Date header", "let the proxy pass the header")
	}
	off := r.at.Sub(service).Round(time.Second)
	found := "right"
	switch {
	case off > skewTolerance:
		found = off.String() + " ahead"
	case off < -skewTolerance:
		found = (-off).String() + " behind"
	}
	if off.Abs() > maxSkew {
		return wrong(found, "the server's Date header compared with this machine's clock", "set this machine's clock")
	}
	return ok(found, "the server's Date header compared with this machine's clock")
}

func (e *examination) checkKey(account, last reply) Finding {
	switch {
	case errors.Is(last.err, hiring.ErrInvalidToken):
		return wrong("rejected", last.summary(), "check whether the key has expired or was revoked, or create another in the dashboard")
	case account.StatusCode == http.StatusTooManyRequests:
		return undecided("too many requests: "+account.summary(), "run it again later")
	case account.ok() || account.forbidden():
		return ok(cmp.Or(string(e.client.Environment()), "unknown")+" key", account.summary())
	case account.notFromAPI():
		return notChecked("no response of the API")
	}
	return undecided(account.summary(), "run it again when that is solved")
}

func (e *examination) checkScope(r reply) Finding {
	switch {
	case r.forbidden():
		return wrong("no scope read", r.summary(), "create a key with the scope read or more")
	case e.stopped != "" && !r.ok():
		return notChecked(e.stopped)
	case !r.ok():
		return undecided(r.summary(), "run it again when that is solved")
	case e.readOnly:
		return ok("read only", "the API rejects writes with INSUFFICIENT_SCOPE: to invite candidates and change assessments, "+
			"use a key with the scope write")
	case e.wrote:
		return ok("read and write", r.summary()+"; a write succeeded")
	}
	return ok("read; write is not known", r.summary())
}

func (e *examination) checkQuota(r reply) Finding {
	if r.StatusCode == http.StatusTooManyRequests { // An overloaded server sends it without the headers.
		return undecided(r.summary(), "run it again later")
	}
	limit := r.RateLimit
	switch {
	case !limit.Known():
		return wrong("missing or not numbers", r.label, "let the proxy pass X-RateLimit-Limit, -Remaining and -Reset: without them the client learns "+
			"that the rate limit is reached only from a 429")
	case limit.Remaining > limit.Limit:
		return wrong("inconsistent", fmt.Sprintf("Remaining %d of Limit %d", limit.Remaining, limit.Limit), "report it to the API's support")
	}
	if last := e.client.Quota().Read; last.Known() {
		limit = last
	}
	return ok(fmt.Sprintf("%d of %d reads left", limit.Remaining, limit.Limit), "the headers of "+r.label)
}

func checkRequestIDs(r reply) Finding {
	id := r.Header.Get("X-Request-Id")
	switch {
	case id == "" && metaOf(r).RequestID == "":
		return wrong("none", r.label+" has none", "let the proxy pass X-Request-Id: support asks for it")
	case id == "":
		return wrong("in the body only", r.label+" has no X-Request-Id", "let the proxy pass the header")
	case r.ok() && metaOf(r).RequestID != id:
		return wrong("two different ids", "meta.request_id differs from X-Request-Id", "report it to the API's support")
	}
	return ok("present", r.label)
}

// isPage reports whether the body is a web page or plain text, not JSON.
func (r reply) isPage() bool {
	body := bytes.TrimLeft(r.Body, " \t\r\n\ufeff")
	return len(body) > 0 && !bytes.ContainsAny(body[:1], `{["`) && !json.Valid(body)
}

// notFromAPI reports whether no response arrived, or one of an intermediary.
func (r reply) notFromAPI() bool {
	return r.StatusCode == 0 || r.StatusCode/100 == 3 || r.isPage()
}
