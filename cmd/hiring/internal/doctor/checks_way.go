package doctor

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// wayChecks are about the way to the service, and the key.
var wayChecks = []check{
	{"name lookup", "the service's name can be looked up", checkLookup},
	{"connection", "the service can be reached", checkConnection},
	{"TLS", "the service proves its identity", checkTLS},
	{"proxy", "what lies between lets the service answer", checkProxy},
	{"base URL", "the service is there, below /api/v1", checkBaseURL},
	{"clock", "this machine's clock is right to the minute", checkClock},
	{"key", "the key is valid", checkKey},
	{"scope", "the key may read", checkScope},
	{"quota headers", "X-RateLimit-Limit, -Remaining and -Reset on every reply", checkQuota},
	{"request ids", "X-Request-Id on every reply, and the same in meta", checkRequestIDs},
}

func checkLookup(e *examination) judgement {
	w := e.way
	var failed *net.DNSError
	switch {
	case e.account.limited && len(w.addresses) == 0 && errors.As(w.lookupErr, &failed) && failed.IsTimeout:
		return undecided(e.account.saw())
	case net.ParseIP(w.base.Hostname()) != nil:
		return ok("no lookup", "the base URL holds the address")
	case w.proxy != "" && w.lookupErr == nil:
		return ok("by the proxy", "requests go through "+w.proxy)
	case errors.As(e.account.err, &failed), errors.As(w.lookupErr, &failed):
		return wrong("not found", "the name "+failed.Name+" cannot be looked up", "correct the base URL, or the DNS server of this network")
	case len(w.addresses) > 0:
		return ok(strings.Join(w.addresses[:min(3, len(w.addresses))], ", "), "looked up from here")
	}
	return undecided("the transport does not tell")
}

func checkConnection(e *examination) judgement {
	w := e.way
	switch {
	case e.account.limited && e.account.status == 0:
		return undecided(e.account.saw())
	case e.account.status == 0 && w.dialErr != nil && w.dialed == "":
		return wrong("no connection", "connecting fails: "+plain(w.dialErr), "let this machine reach "+w.server+", or set HTTPS_PROXY")
	case e.account.status == 0 && e.account.err != nil && w.dialed == "" && w.lookupErr == nil:
		return wrong("no connection", "no reply came", "let this machine reach "+w.server)
	case e.account.status == 0 && w.dialed == "":
		return untried("the name could not be looked up")
	case w.closed(e.account):
		return ok(w.dialed, "the proxy takes the connection")
	case e.account.status == 0 && w.tlsErr == nil:
		return wrong("no reply", w.dialed+" takes the connection, and no reply comes", "look whether a firewall cuts it, and whether the port is right")
	case w.dialed != "":
		return ok(w.dialed, "connected from here")
	}
	return ok("", "replies come")
}

// plain is an error of the network without the address that it repeats.
func plain(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	return err.Error()
}

func checkTLS(e *examination) judgement {
	w := e.way
	var (
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
		record  tls.RecordHeaderError
	)
	const inspect = "when this network inspects TLS, add its authority to this machine's; else do not send a key here"
	switch err := errors.Join(e.account.err, w.tlsErr); {
	case w.secure() && e.account.limited && e.account.status == 0:
		return undecided(e.account.saw())
	case !w.secure():
		return ok("plain http", "the base URL says so")
	case errors.As(err, &unknown):
		return wrong("signed by a stranger", "the certificate is signed by an authority that this machine does not know"+issuer(unknown.Cert), inspect)
	case errors.As(err, &name):
		return wrong("for another name", "the certificate is not for "+name.Host, "correct the base URL; "+inspect)
	case errors.As(err, &invalid):
		return wrong("invalid", "the certificate is not valid now: "+invalid.Error(), "look at this machine's clock; "+inspect)
	case errors.As(err, &record):
		return wrong("no TLS", "the server does not speak TLS", "correct the port of the base URL")
	case w.tlsErr != nil:
		return wrong("no TLS", "shaking hands fails", inspect)
	case w.shook && len(w.tls.PeerCertificates) > 0:
		leaf := w.tls.PeerCertificates[0]
		return ok(tls.VersionName(w.tls.Version), "the certificate is valid until "+leaf.NotAfter.UTC().Format(time.DateOnly)+issuer(leaf))
	}
	if e.account.status == 0 {
		return untried("there was no connection")
	}
	return undecided("the transport does not tell")
}

func issuer(c *x509.Certificate) string {
	if c == nil {
		return ""
	}
	return ", issued by " + c.Issuer.String()
}

var accessDevice = regexp.MustCompile(`(?i)^(via|x-cache|x-squid-error|proxy-.*|x-bluecoat.*|x-zscaler.*)$`)

func checkProxy(e *examination) judgement {
	a, through := e.account, "none"
	if e.way.proxy != "" {
		through = e.way.proxy
	}
	page := "a page answers"
	if title := a.title(); title != "" {
		page += ", with the title " + quoted(title)
	}
	switch location := a.header.Get("Location"); {
	case a.timedOut():
		return undecided(a.saw())
	case e.way.closed(a):
		return wrong("it lets nothing through", e.way.proxy+": "+a.refusal.message, "have it let the service through, or give HTTPS_PROXY its user and password")
	case a.status == 0:
		return untried("there was no reply")
	case a.status == http.StatusProxyAuthRequired || a.status == http.StatusNetworkAuthenticationRequired:
		return wrong("signing in is asked for", a.saw(), "sign in to this network, or give HTTPS_PROXY the proxy's user and password")
	case a.status/100 == 3 && location != "":
		return wrong("requests are sent elsewhere", a.saw()+", to "+hostOf(location), "sign in to this network, or correct the base URL")
	case a.isPage() && a.status/100 == 2:
		return wrong("a page instead of the service", a.saw()+": "+page, "sign in to this network, or have its proxy let the service through; else correct the base URL")
	case a.isPage():
		return wrong("a page instead of the service", a.saw()+": "+page, "look at the proxy between, and at the base URL")
	}
	var marks []string
	for name := range a.header {
		if accessDevice.MatchString(name) {
			marks = append(marks, name)
		}
	}
	if len(marks) > 0 {
		return ok(through, "the replies are the service's; "+strings.Join(marks, ", ")+" tell of something between")
	}
	return ok(through, "the replies are the service's")
}

func hostOf(location string) string {
	_, rest, found := strings.Cut(location, "://")
	if !found {
		return "another path"
	}
	host, _, _ := strings.Cut(rest, "/")
	return host
}

func checkBaseURL(e *examination) judgement {
	a := e.account
	switch {
	case a.timedOut():
		return undecided(a.saw())
	case a.elsewhere():
		return untried("the service did not answer")
	case a.status == http.StatusNotFound && e.description.status == http.StatusNotFound:
		return wrong("not there", a.saw(), "correct the base URL: it is given without /api/v1")
	case a.ok() || a.refusal.code != "":
		return ok(e.way.server, a.saw())
	}
	return wrong("something else", a.saw()+" without the service's envelope", "correct the base URL")
}

const (
	// maxSkew is as far as a clock may be off before times that people compare mislead.
	maxSkew = time.Minute
	// unnoticed is what whole seconds and a slow reply can make of a right clock.
	unnoticed = 5 * time.Second
)

// date is the service's clock when it answered.
func (a answer) date() (time.Time, bool) {
	at, err := http.ParseTime(a.header.Get("Date"))
	return at, err == nil
}

func checkClock(e *examination) judgement {
	service, known := e.account.date()
	switch {
	case e.account.timedOut():
		return undecided(e.account.saw())
	case e.account.elsewhere():
		return untried("the service did not answer")
	case !known:
		return undecided("the replies have no Date")
	}
	off := e.account.at.Sub(service).Round(time.Second)
	found := "right"
	switch {
	case off > unnoticed:
		found = off.String() + " ahead"
	case off < -unnoticed:
		found = (-off).String() + " behind"
	}
	if off.Abs() > maxSkew {
		return wrong(found, "the service's Date against this machine's clock", "set this machine's clock")
	}
	return ok(found, "the service's Date against this machine's clock")
}

func checkKey(e *examination) judgement {
	a := e.account
	switch {
	case a.timedOut():
		return undecided(a.saw())
	case errors.Is(a.err, hiring.ErrInvalidToken):
		return wrong("refused", a.saw(), "check the key for expiry and revocation, or make another in the dashboard")
	case errors.Is(a.err, hiring.ErrRateLimited):
		return undecided("too many requests: " + a.saw())
	case a.ok() || a.status == http.StatusForbidden && a.refusal.code != "":
		return ok(environment(e), a.saw())
	case a.status == 0 || e.over != "":
		return untried(e.over)
	}
	return undecided(a.saw())
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

// onlyRead is what is found of a key without the scope write.
const onlyRead = "it may read only"

func checkScope(e *examination) judgement {
	writes := []answer{e.updated, e.sent, e.resent, e.revoked, e.made}
	wrote, refused := false, false
	for _, a := range writes {
		wrote = wrote || a.ok()
		refused = refused || a.status == http.StatusForbidden
	}
	a := e.account
	switch {
	case a.timedOut():
		return undecided(a.saw())
	case errors.Is(a.err, hiring.ErrInsufficientScope):
		return wrong("it may not read", a.saw(), "make a key with the scope read, or a wider one")
	case !a.ok():
		return untried("the key was not accepted")
	case wrote:
		return ok("it may read and write", a.saw()+"; a write was done")
	case refused:
		return ok(onlyRead, "a write is answered INSUFFICIENT_SCOPE: inviting and changing takes a key with the scope write")
	}
	return ok("it may read; whether it may write is not known", a.saw())
}

// longestWindow is the longest that the client takes a quota window to be.
const longestWindow = 2 * time.Hour

func checkQuota(e *examination) judgement {
	a := e.account
	if a.timedOut() {
		return undecided(a.saw())
	}
	if a.elsewhere() {
		return untried("the service did not answer")
	}
	var values [3]int64
	for i, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		value, err := strconv.ParseInt(a.header.Get(name), 10, 64)
		if values[i] = value; err != nil || value < 0 {
			return wrong("missing or no number", name+" is "+quoted(a.header.Get(name)), "have what lies between let the headers through: without them the client finds a used-up quota by being refused")
		}
	}
	limit, remaining := values[0], values[1]
	if remaining > limit || limit == 0 {
		return wrong("makes no sense", fmt.Sprintf("Remaining %d of Limit %d", remaining, limit), "tell the service's support")
	}
	return ok(fmt.Sprintf("%d of %d reads left", e.left(remaining), limit), "the headers of "+a.asked)
}

// left is what is left of the reads at the end.
func (e *examination) left(first int64) int64 {
	if read := e.client.Quota().Read; read.Known() {
		return int64(read.Remaining)
	}
	return first
}

func checkRequestIDs(e *examination) judgement {
	a := e.account
	id := a.header.Get("X-Request-Id")
	switch {
	case a.timedOut():
		return undecided(a.saw())
	case a.elsewhere():
		return untried("the service did not answer")
	case id == "" && a.meta.RequestID == "":
		return wrong("none", a.asked+" has none", "have what lies between let X-Request-Id through: support asks for it")
	case id == "":
		return wrong("in the body only", a.asked+" has no X-Request-Id", "have what lies between let the header through")
	case a.ok() && a.meta.RequestID != id:
		return wrong("two different ones", "meta.request_id is another than X-Request-Id", "tell the service's support")
	}
	return ok("present", a.asked)
}
