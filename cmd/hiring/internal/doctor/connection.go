package doctor

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"slices"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// connectionChecks are the parts of a connection, in the order in which a request passes
// them. When one fails, nothing is known of the later ones.
var connectionChecks = []string{"address", "TLS", "proxy", "key", "scope"} //nolint:gochecknoglobals // a constant

// checkConnection returns the findings about the connection and the key. A later reply that
// ended the run counts more than that of the account.
func (e *examination) checkConnection(account reply) []Finding {
	last := account
	if e.stop.label != "" {
		last = e.stop
	}
	failed, problem := e.diagnose(last)
	at := slices.Index(connectionChecks, failed)
	found := map[string]string{"address": e.server, "TLS": e.scheme, "proxy": "none in the way", "key": "valid", "scope": "read"}
	var findings []Finding
	for i, name := range connectionChecks {
		f := holds(found[name], account.summary())
		switch {
		case i == at:
			f = problem
		case at >= 0 && i > at:
			f = notChecked(cmp.Or(e.stopped, "an earlier check failed"))
		case name == "scope":
			f.Evidence += "; whether the key may write shows only in a write"
		}
		f.Name = name
		findings = append(findings, f)
	}
	environment := holds(cmp.Or(string(e.client.Environment()), "unknown"), "the prefix of the key; only a live key sends e-mail and stores changes")
	environment.Name = "environment"
	return append(findings, environment)
}

// diagnose returns the check of the connection that a reply does not pass, or "".
func (e *examination) diagnose(r reply) (failed string, problem Finding) {
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](r.err)
	switch status := r.StatusCode; {
	case r.err == nil:
		return "", Finding{}
	case r.late:
		return "address", notChecked(r.summary())
	case r.limited():
		return "key", notChecked(r.summary() + "; run it again later")
	case WithoutRoots(r.err):
		return "TLS", wrong(r.summary(), InstallRoots)
	case isCertificate:
		return "TLS", wrong(r.summary(), "check the base URL and this machine's clock; if this network inspects TLS, install "+
			"its certificate authority on this machine; otherwise do not send a key to this server")
	case errors.Is(r.err, http.ErrSchemeMismatch):
		return "TLS", wrong("the server does not speak TLS", "check the scheme and the port of the base URL")
	case status == 0 && strings.Contains(r.summary(), "the proxy "):
		return "proxy", wrong(r.summary(), "allow the server in the proxy, or set HTTPS_PROXY with the proxy's user and password")
	case status == 0:
		return "address", wrong(r.summary(), "check the base URL, allow connections from this machine to "+e.server+", or set HTTPS_PROXY")
	case status == http.StatusProxyAuthRequired || status == http.StatusNetworkAuthenticationRequired || r.foreign():
		return "proxy", wrong(r.summary(), "sign in to this network, set HTTPS_PROXY with the proxy's user and password, or check the base URL")
	case errors.Is(r.err, hiring.ErrInvalidToken):
		return "key", wrong(r.summary(), "check whether the key has expired or was revoked, or create another in the dashboard")
	case errors.Is(r.err, hiring.ErrInsufficientScope):
		return "scope", wrong(r.summary(), "create a key with the scope read or more")
	case status == http.StatusNotFound:
		return "address", wrong(r.summary(), "check the base URL: it is given without /api/v1")
	}
	return "address", wrong(r.summary(), "check the base URL, or report it to the API's support")
}

// InstallRoots says what to do on a system without CA certificates.
const InstallRoots = "This system has no CA certificates: install the package ca-certificates"

// WithoutRoots reports whether a certificate is not trusted because the system trusts none, as in a
// small container.
func WithoutRoots(err error) bool {
	_, untrusted := errors.AsType[x509.UnknownAuthorityError](err)
	roots, failed := x509.SystemCertPool()
	return untrusted && (failed != nil || roots.Equal(x509.NewCertPool()))
}
