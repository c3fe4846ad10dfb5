package doctor

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// connectionChecks are about the connection to the server, and the key.
var connectionChecks = []check{
	{"name lookup", "DNS resolves the server's name", checkLookup},
	{"connection", "the server accepts connections", checkConnection},
	{"TLS", "the server's certificate is valid", checkTLS},
	{"proxy", "responses come from the API, not from an intermediary", complete(checkProxy)},
	{"base URL", "the API is below /api/v1 of the base URL", fromAPI(checkBaseURL)},
	{"clock", "this machine's clock differs by less than a minute", fromAPI(checkClock)},
	{"key", "the key is valid", complete(checkKey)},
	{"scope", "the key may read", complete(checkScope)},
	{"rate-limit headers", "X-RateLimit-Limit, -Remaining and -Reset on every response", fromAPI(checkQuota)},
	{"request ids", "X-Request-Id on every response, and the same id in meta", fromAPI(checkRequestIDs)},
}

// accountCheck evaluates the response to GET /account.
type accountCheck func(e *examination, resp response) Finding

// complete returns a check that is undecided when the time limit ended the response.
func complete(evaluate accountCheck) func(*examination) Finding {
	return func(e *examination) Finding {
		if e.account.timedOut() {
			return undecided(e.account.summary())
		}
		return evaluate(e, e.account)
	}
}

// fromAPI returns a check of a complete response that the API sent, not an intermediary.
func fromAPI(evaluate accountCheck) func(*examination) Finding {
	return complete(func(e *examination, resp response) Finding {
		if resp.notFromAPI() {
			return notChecked("no response of the API")
		}
		return evaluate(e, resp)
	})
}

func checkLookup(e *examination) Finding {
	conn := e.connection
	var failed *net.DNSError
	switch {
	case e.account.limited && len(conn.addresses) == 0 && errors.As(conn.lookupErr, &failed) && failed.IsTimeout:
		return undecided(e.account.summary())
	case net.ParseIP(conn.base.Hostname()) != nil:
		return ok("no lookup", "the base URL contains the address")
	case conn.proxy != "" && conn.lookupErr == nil:
		return ok("by the proxy", "requests go through "+conn.proxy)
	case errors.As(e.account.err, &failed), errors.As(conn.lookupErr, &failed):
		return wrong("not found", "the name "+failed.Name+" cannot be looked up", "check the base URL and the DNS server of this network")
	case len(conn.addresses) > 0:
		return ok(strings.Join(conn.addresses[:min(3, len(conn.addresses))], ", "), "resolved on this machine")
	}
	return undecided("the transport does not report it")
}

func checkConnection(e *examination) Finding {
	conn := e.connection
	switch {
	case e.account.limited && e.account.status == 0:
		return undecided(e.account.summary())
	case e.account.status == 0 && conn.dialErr != nil && conn.dialed == "":
		return wrong("no connection", "the connection failed: "+plain(conn.dialErr),
			"allow connections from this machine to "+conn.server+", or set HTTPS_PROXY")
	case e.account.status == 0 && e.account.err != nil && conn.dialed == "" && conn.lookupErr == nil:
		return wrong("no connection", "no response arrived", "allow connections from this machine to "+conn.server)
	case e.account.status == 0 && conn.dialed == "":
		return notChecked("the name was not resolved")
	case conn.refusedByProxy(e.account):
		return ok(conn.dialed, "the proxy accepted the connection")
	case e.account.status == 0 && conn.tlsErr == nil:
		return wrong("no response", conn.dialed+" accepted the connection and sent no response",
			"check the port, and whether a firewall ends the connection")
	case conn.dialed != "":
		return ok(conn.dialed, "connected from this machine")
	}
	return ok("", "responses arrived")
}

// plain returns the text of a network error without the address in it.
func plain(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	return err.Error()
}

func checkTLS(e *examination) Finding {
	conn := e.connection
	var (
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
		record  tls.RecordHeaderError
	)
	const inspect = "if this network inspects TLS, install its certificate authority on this machine; otherwise do not send " +
		"a key to this server"
	switch err := errors.Join(e.account.err, conn.tlsErr); {
	case conn.secure() && e.account.limited && e.account.status == 0:
		return undecided(e.account.summary())
	case !conn.secure():
		return ok("plain http", "the base URL says so")
	case errors.As(err, &unknown):
		return wrong("unknown authority", "this machine does not trust the authority that signed the certificate"+issuer(unknown.Cert), inspect)
	case errors.As(err, &name):
		return wrong("for another name", "the certificate is not for "+name.Host, "check the base URL; "+inspect)
	case errors.As(err, &invalid):
		return wrong("invalid", "the certificate is not valid now: "+invalid.Error(), "check this machine's clock; "+inspect)
	case errors.As(err, &record):
		return wrong("no TLS", "the server does not speak TLS", "check the port of the base URL")
	case conn.tlsErr != nil:
		return wrong("no TLS", "the TLS handshake failed", inspect)
	case conn.handshakeDone && len(conn.tls.PeerCertificates) > 0:
		leaf := conn.tls.PeerCertificates[0]
		return ok(tls.VersionName(conn.tls.Version), "the certificate is valid until "+leaf.NotAfter.UTC().Format(time.DateOnly)+issuer(leaf))
	}
	if e.account.status == 0 {
		return notChecked("there was no connection")
	}
	return undecided("the transport does not report it")
}

func issuer(c *x509.Certificate) string {
	if c == nil {
		return ""
	}
	return ", issued by " + c.Issuer.String()
}

var proxyHeader = regexp.MustCompile(`(?i)^(via|x-cache|x-squid-error|proxy-.*|x-bluecoat.*|x-zscaler.*)$`)

func checkProxy(e *examination, resp response) Finding {
	through := cmp.Or(e.connection.proxy, "none")
	page := "the response is a web page"
	if title := resp.title(); title != "" {
		page += " with the title " + quoted(title)
	}
	switch location := resp.header.Get("Location"); {
	case e.connection.refusedByProxy(resp):
		return wrong("requests are blocked", e.connection.proxy+": "+resp.apiError.message,
			"allow the server in the proxy, or set HTTPS_PROXY with the proxy's user and password")
	case resp.status == 0:
		return notChecked("no response arrived")
	case resp.status == http.StatusProxyAuthRequired || resp.status == http.StatusNetworkAuthenticationRequired:
		return wrong("sign-in required", resp.summary(), "sign in to this network, or set HTTPS_PROXY with the proxy's user and password")
	case resp.status/100 == 3 && location != "":
		return wrong("redirect", resp.summary()+", to "+hostOf(location), "sign in to this network, or check the base URL")
	case resp.isPage() && resp.status/100 == 2:
		return wrong("a web page", resp.summary()+": "+page, "sign in to this network, allow the server in its proxy, or check the base URL")
	case resp.isPage():
		return wrong("a web page", resp.summary()+": "+page, "check the proxy and the base URL")
	}
	var marks []string
	for name := range resp.header {
		if proxyHeader.MatchString(name) {
			marks = append(marks, name)
		}
	}
	if len(marks) > 0 {
		return ok(through, "the responses come from the API; "+strings.Join(marks, ", ")+" show an intermediary")
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

func checkBaseURL(e *examination, resp response) Finding {
	switch {
	case resp.status == http.StatusNotFound && e.description.status == http.StatusNotFound:
		return wrong("not found", resp.summary(), "check the base URL: it is given without /api/v1")
	case resp.ok() || resp.apiError.code != "":
		return ok(e.connection.server, resp.summary())
	}
	return wrong("not the API", resp.summary()+" without the API's envelope", "check the base URL")
}

const (
	// maxSkew is the difference of clocks above which relative times mislead.
	maxSkew = time.Minute
	// skewTolerance is what whole seconds and a slow response can add to the difference.
	skewTolerance = 5 * time.Second
)

// date returns the time of the server's Date header.
func (resp response) date() (time.Time, bool) {
	at, err := http.ParseTime(resp.header.Get("Date"))
	return at, err == nil
}

func checkClock(_ *examination, resp response) Finding {
	service, known := resp.date()
	if !known {
		return undecided("the responses have no Date header")
	}
	off := resp.at.Sub(service).Round(time.Second)
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

func checkKey(e *examination, resp response) Finding {
	switch {
	case errors.Is(resp.err, hiring.ErrInvalidToken):
		return wrong("rejected", resp.summary(), "check whether the key has expired or was revoked, or create another in the dashboard")
	case errors.Is(resp.err, hiring.ErrRateLimited):
		return undecided("too many requests: " + resp.summary())
	case resp.ok() || resp.status == http.StatusForbidden && resp.apiError.code != "":
		return ok(environment(e), resp.summary())
	case resp.status == 0 || e.stopped != "":
		return notChecked(e.stopped)
	}
	return undecided(resp.summary())
}

func environment(e *examination) string {
	switch e.client.Environment() {
	case hiring.EnvironmentLive:
		return "a live key"
	case hiring.EnvironmentTest:
		return "a test key"
	}
	return "a key of an unknown kind"
}

// readOnlyFound is what the scope check finds for a key without the scope write.
const readOnlyFound = "read only"

func checkScope(e *examination, resp response) Finding {
	writes := []response{e.updated, e.sent, e.resent, e.revoked, e.made}
	switch {
	case errors.Is(resp.err, hiring.ErrInsufficientScope):
		return wrong("no scope read", resp.summary(), "create a key with the scope read or more")
	case !resp.ok():
		return notChecked("the key was rejected or not checked")
	case slices.ContainsFunc(writes, response.ok):
		return ok("read and write", resp.summary()+"; a write succeeded")
	case slices.ContainsFunc(writes, func(write response) bool { return write.status == http.StatusForbidden }):
		return ok(readOnlyFound, "the API rejects writes with INSUFFICIENT_SCOPE: to invite candidates and change assessments, "+
			"use a key with the scope write")
	}
	return ok("read; write is not known", resp.summary())
}

// longestWindow is the longest rate-limit window that the client assumes.
const longestWindow = 2 * time.Hour

func checkQuota(e *examination, resp response) Finding {
	var values [3]int64
	for i, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		value, err := strconv.ParseInt(resp.header.Get(name), 10, 64)
		values[i] = value
		if err != nil || value < 0 {
			return wrong("missing or not a number", name+" is "+quoted(resp.header.Get(name)),
				"let the proxy pass the headers: without them the client learns that the rate limit is reached only from a 429")
		}
	}
	limit, remaining := values[0], values[1]
	if remaining > limit || limit == 0 {
		return wrong("inconsistent", fmt.Sprintf("Remaining %d of Limit %d", remaining, limit), "report it to the API's support")
	}
	return ok(fmt.Sprintf("%d of %d reads left", e.left(remaining), limit), "the headers of "+resp.label)
}

// left returns the remaining reads at the end of the run.
func (e *examination) left(first int64) int64 {
	if read := e.client.Quota().Read; read.Known() {
		return int64(read.Remaining)
	}
	return first
}

func checkRequestIDs(_ *examination, resp response) Finding {
	id := resp.header.Get("X-Request-Id")
	switch {
	case id == "" && resp.meta.RequestID == "":
		return wrong("none", resp.label+" has none", "let the proxy pass X-Request-Id: support asks for it")
	case id == "":
		return wrong("in the body only", resp.label+" has no X-Request-Id", "let the proxy pass the header")
	case resp.ok() && resp.meta.RequestID != id:
		return wrong("two different ids", "meta.request_id differs from X-Request-Id", "report it to the API's support")
	}
	return ok("present", resp.label)
}
