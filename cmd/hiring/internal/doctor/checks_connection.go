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
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// checkConnection sets the findings about the connection and the key. A later reply that
// ended the run counts more than the first, which is that of the account.
func (e *examination) checkConnection(account, description reply) {
	e.connection.mu.Lock() // A dial that was abandoned may still call the trace.
	defer e.connection.mu.Unlock()
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
	e.set("name lookup", e.checkLookup(account))
	e.set("connection", e.checkDial(last))
	e.set("TLS", e.checkTLS(account))
	e.set("proxy", e.checkProxy(last))
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

func (e *examination) checkLookup(r reply) Finding {
	conn := e.connection
	var failed *net.DNSError
	switch {
	case net.ParseIP(conn.base.Hostname()) != nil:
		return ok("no lookup", "the base URL contains the address")
	case conn.proxy != "" && conn.lookupErr == nil:
		return ok("by the proxy", "requests go through "+conn.proxy)
	case errors.As(r.err, &failed), errors.As(conn.lookupErr, &failed):
		return wrong("not found", "the name "+failed.Name+" cannot be looked up", "check the base URL and the DNS server of this network")
	case len(conn.addresses) > 0:
		return ok(strings.Join(conn.addresses[:min(3, len(conn.addresses))], ", "), "resolved on this machine")
	}
	return ok("not reported", "the transport does not report it, and responses arrived")
}

func (e *examination) checkDial(r reply) Finding {
	conn := e.connection
	switch {
	case conn.refusedByProxy(r):
		return ok(conn.dialed, "the proxy accepted the connection")
	case r.StatusCode == 0 && conn.dialed == "" && conn.lookupErr != nil:
		return notChecked("the name was not resolved")
	case r.StatusCode == 0 && conn.dialed == "":
		return wrong("no connection", r.summary(), "allow connections from this machine to "+conn.server+", or set HTTPS_PROXY")
	case r.StatusCode == 0 && conn.tlsErr == nil:
		return wrong("no response", conn.dialed+" accepted the connection: "+r.summary(), "check the port, and whether a firewall ends the connection")
	case conn.dialed != "":
		return ok(conn.dialed, "connected from this machine")
	}
	return ok("", "responses arrived")
}

func (e *examination) checkTLS(r reply) Finding {
	conn := e.connection
	const inspect = "check the base URL and this machine's clock; if this network inspects TLS, install its certificate authority on " +
		"this machine; otherwise do not send a key to this server"
	var unknown x509.UnknownAuthorityError
	var record tls.RecordHeaderError
	switch err := errors.Join(r.err, conn.tlsErr); {
	case !conn.secure():
		return ok("plain http", "the base URL says so")
	case errors.As(err, &unknown):
		return wrong("unknown authority", "this machine does not trust the authority that signed the certificate"+issuer(unknown.Cert), inspect)
	case errors.As(err, &record):
		return wrong("no TLS", "the server does not speak TLS", "check the port of the base URL")
	case conn.tlsErr != nil:
		return wrong("not valid", r.summary(), inspect)
	case conn.handshakeDone && len(conn.tls.PeerCertificates) > 0:
		leaf := conn.tls.PeerCertificates[0]
		return ok(tls.VersionName(conn.tls.Version), "the certificate is valid until "+leaf.NotAfter.UTC().Format(time.DateOnly)+issuer(leaf))
	}
	if r.StatusCode == 0 {
		return notChecked("there was no connection")
	}
	return ok("not reported", "the transport does not report it, and responses arrived")
}

func issuer(c *x509.Certificate) string {
	if c == nil {
		return ""
	}
	return ", issued by " + c.Issuer.String()
}

func (e *examination) checkProxy(r reply) Finding {
	through, answered := cmp.Or(e.connection.proxy, "none"), r.label+": "+http.StatusText(r.StatusCode)
	switch location := r.Header.Get("Location"); {
	case e.connection.refusedByProxy(r):
		return wrong("requests are blocked", e.connection.proxy+": "+r.summary(),
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
	return ok(through, "the responses come from the API")
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
		return ok(e.connection.server, r.summary())
	}
	return wrong("not the API", r.summary(), "check the base URL")
}

// maxSkew is the difference of clocks above which relative times mislead.
const maxSkew = time.Minute

// skewTolerance is what whole seconds and a slow response can add to the difference.
const skewTolerance = 5 * time.Second

// date returns the time of the server's Date header.
func (r reply) date() (time.Time, bool) {
	at, err := http.ParseTime(r.Header.Get("Date"))
	return at, err == nil
}

func checkClock(r reply) Finding {
	service, known := r.date()
	if !known {
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
