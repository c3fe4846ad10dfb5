package hiring

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/paging"
	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// finalOutcome returns the outcome of the call when its last attempt had the outcome o: unknown if an
// earlier attempt may have taken effect. A read has none.
func (c *callState) finalOutcome(o Outcome) Outcome {
	switch {
	case c.request.class() == quota.Read:
		return ""
	case c.unknown && o != OutcomeDone:
		return OutcomeUnknown
	}
	return o
}

// newError returns an error with what is known of the call and of a response. Without one, nil, the
// request counts as not sent.
func (c *callState) newError(r *response, message string, cause error) *Error {
	e := &Error{
		Message:   c.key.redact(message),
		Method:    c.request.method,
		Route:     c.request.route,
		Attempts:  c.attempts,
		Operation: c.request.operation,
	}
	outcome := OutcomeNotDone
	if r != nil {
		e.Status, e.RequestID, e.RateLimit, outcome = r.status, r.requestID, RateLimit(r.window), r.outcome()
	}
	e.Outcome = c.finalOutcome(outcome)
	e.causedBy(c.key.clean(cause))
	return e
}

// text returns the text of an error without the URLs that net/http puts into it.
func (c *callState) text(err error) string {
	message := strings.ReplaceAll(err.Error(), c.url.String(), "the API")
	message = strings.ReplaceAll(message, c.url.RequestURI(), c.request.route)
	return excerpt(c.key.redact(message))
}

// contextEnded returns the error of an attempt that is not sent because the context has ended.
func (c *call) contextEnded() *Error {
	why := "the context was canceled"
	if errors.Is(c.ctx.Err(), context.DeadlineExceeded) {
		why = "the context's deadline had passed"
	}
	return c.newError(nil, c.notSent()+why, contextError(c.ctx))
}

// notSent begins the text of an error that prevents an attempt.
func (c *call) notSent() string {
	if c.attempts > 0 {
		return "not sent again, because "
	}
	return "not sent, because "
}

// exhausted returns the error of an attempt that the rate limit does not admit in time.
func (c *call) exhausted(barrier quota.Barrier) *Error {
	class, window := "write", barrier.Window
	if c.request.class() == quota.Read {
		class = "read"
	}
	until := window.Reset.Format(time.RFC3339) + ", by the server's clock"
	why := fmt.Sprintf("the %s quota of %d an hour is used up until %s", class, window.Limit, until)
	switch {
	case barrier.Asked && (window.Remaining > 0 || window == quota.Window{}):
		why = fmt.Sprintf("a 429 asked to send no %s request for %s", class, barrier.Wait.Round(time.Second))
	case window.Remaining > 0:
		why = fmt.Sprintf("the rest of the %s quota of %d an hour is reserved until %s", class, window.Limit, until)
	}
	e := c.newError(nil, c.notSent()+why, nil)
	e.Code, e.RetryAfter, e.RateLimit = ErrRateLimited, barrier.Wait, RateLimit(window)
	return e
}

// keyRefused returns the error of an attempt that is not sent because the API has refused its key
// several times in a row.
func (c *call) keyRefused() *Error {
	e := c.newError(nil, fmt.Sprintf("%s%s refused %s, %d times in a row, and further failures throttle the address for every key on it",
		c.notSent(), c.url.Host, c.key.described(), quota.MaxRefusals), nil)
	e.Code, e.Hint = ErrInvalidToken, "replace the key; one call a minute is still tried"
	return e
}

// notFromAPI returns the error of a 2xx response that is not from the API. One that was cut short
// before it showed where it came from may be of the API.
func (c *call) notFromAPI(r *response) *Error {
	if r.isCutJSON() {
		return c.incomplete(r)
	}
	message, hint := c.describeBody(r, "envelope")
	e := c.newError(r, message, nil)
	e.kind, e.Hint = kindNotFromAPI, cmp.Or(hint, pageHint)
	return e
}

// incomplete returns the error of a 2xx response whose body did not arrive whole.
func (c *call) incomplete(r *response) *Error {
	tooLong, limited := errors.AsType[*http.MaxBytesError](r.bodyErr)
	if !limited {
		return r.cut
	}
	e := c.newError(r, fmt.Sprintf("the response is longer than %d bytes", tooLong.Limit), nil)
	e.kind, e.Hint = kindInvalidBody, "see WithMaxResponseBytes"
	return e
}

// undecodable returns the error of a 2xx response of the API whose decoding failed.
func (c *call) undecodable(r *response, cause error) *Error {
	var semantic *jsonv2.SemanticError
	var syntactic *jsontext.SyntacticError
	why, stated := errors.AsType[responseError](cause)
	stuck, isStuck := errors.AsType[*paging.Stuck](cause)
	var e *Error
	switch {
	case stated:
		e = c.newError(r, string(why), nil)
	case isStuck:
		e = c.newError(r, stuck.Error(), stuck)
		e.kind, e.Hint = kindFinal, stuck.Hint()
		return e
	case r.status == http.StatusNoContent:
		e = c.newError(r, string(errNoData), nil)
	case errors.As(cause, &syntactic) && len(bytes.TrimSpace(r.body)) == 0:
		e = c.newError(r, "the response is empty", io.ErrUnexpectedEOF)
		e.kind = kindBroken
		return e
	case errors.As(cause, &semantic), errors.As(cause, &syntactic):
		// The cause's own text may hold candidates' data, so it is dropped.
		e = c.newError(r, "the response cannot be decoded"+jsoncodec.Where(cause), nil)
		if errors.Is(cause, io.ErrUnexpectedEOF) {
			e.causedBy(io.ErrUnexpectedEOF)
			e.kind = kindBroken
			return e
		}
	default:
		e = c.newError(r, "the response cannot be decoded", nil)
	}
	e.kind = kindInvalidBody
	return e
}

// rejected returns the error of a response with a status from 300.
func (c *call) rejected(r *response) *Error {
	e := c.newError(r, "", r.bodyErr)
	e.RetryAfter = r.retryAfter
	hint := ""
	switch {
	case r.status < 400:
		e.Message = "the server redirects " + c.redirectTarget(r) +
			", which is not followed because the key would be sent there: correct the base URL"
	case r.rejection == nil:
		e.Message, hint = c.describeBody(r, "error envelope")
	default:
		e.copyRejection(r.rejection, c.key)
	}
	switch {
	case r.cut == nil:
	case e.Code == "" && r.isCutJSON() && r.status >= 400:
		e.Message = "the response was cut short"
	default:
		e.Message = trimEnd(e.Message) + "; the response was cut short"
	}
	e.Hint = c.advice(e, hint)
	return e
}

// redirectTarget returns where a response redirects to, without a path.
func (c *call) redirectTarget(r *response) string {
	to, err := c.url.Parse(r.header.Get("Location"))
	if err != nil || to.Host == c.url.Host {
		return "elsewhere"
	}
	return "elsewhere (to " + excerpt(c.key.redact(to.Host)) + ")"
}

// copyRejection copies what the API says into the error, without the key.
func (e *Error) copyRejection(r *rejection, key *credential) {
	e.Code, e.Message = ErrorCode(key.redact(string(r.Code))), key.redact(r.Message)
	if len(r.Details) > 0 && string(r.Details) != "null" {
		e.Details = []byte(key.redact(string(r.Details)))
	}
	if id, ok := r.RequestID.Text(); ok && e.RequestID == "" {
		e.RequestID = key.redact(id)
	}
}

// statusClientClosed is the status with which a gateway ends a request whose connection is lost.
const statusClientClosed = 499

// advice returns the hint for a response with a status from 300. about is that for its body.
func (c *call) advice(e *Error, about string) string {
	hint := about
	switch {
	case about != "":
	case e.Status == http.StatusUnauthorized:
		hint = c.url.Host + " refused " + c.key.described() + ": check it for expiry and revocation, or make another in the dashboard"
	case e.Status == http.StatusNotFound && !strings.Contains(c.request.route, "{"):
		hint = "the path has no id: check the base URL"
	}
	if fields := strings.Join(c.request.suspectFields(e), " or "); fields != "" && hint != "" {
		hint += ", or correct " + fields
	} else if fields != "" {
		hint = "if an assumed name is wrong, correct " + fields
	}
	return hint
}

// Hints for responses that are not from the API.
const (
	pageHint     = "a proxy answered, or the base URL is wrong"
	encodingHint = "check the proxy, and DisableCompression of the transport"
)

// describeBody returns an error text for a body that did not come from the API, and the hint for
// one that is not JSON. It does not quote JSON, which may contain candidates' data. envelope names
// the expected JSON.
func (c *call) describeBody(r *response, envelope string) (message, hint string) {
	switch encoding := encodingOf(r.header); {
	case len(r.body) == 0:
		return "the response is empty and not from the API", ""
	case looksLikeJSON(r.body):
		return "the response is JSON but not the API's " + envelope, ""
	case encoding != "":
		return fmt.Sprintf("the body is encoded as %q, which was not requested", clip(encoding, maxQuoted)), encodingHint
	}
	return "the response is not from the API: " + excerpt(c.key.redact(string(r.body[:min(len(r.body), 64<<10)]))), pageHint
}

// encodingOf returns the encoding of a body that the transport has not decoded, "" for none.
func encodingOf(h http.Header) string {
	if encoding := h.Get("Content-Encoding"); encoding != "identity" {
		return encoding
	}
	return ""
}

// cutOff returns the error of an attempt that the connection, a timeout or the caller ended. r
// is the response as far as it had arrived, nil for none.
func (c *call) cutOff(r *response, what string, cause error) *Error {
	timeout := c.core.config.timeout
	switch {
	case c.ctx.Err() != nil:
		e := c.newError(r, what+": "+c.ctx.Err().Error(), contextError(c.ctx))
		e.kind = kindTimedOut
		return e
	case timeout > 0 && time.Since(c.attempt.exchange.Started) >= timeout: // The timeout of the http.Client may be shorter, and is not named then.
		e := c.newError(r, fmt.Sprintf("%s within %s", what, timeout), context.DeadlineExceeded)
		e.kind, e.Hint = kindTimedOut, "see WithTimeout"
		return e
	}
	e := c.newError(r, what+": "+c.text(cause), cause)
	e.kind = kindBroken
	if timeout, ok := errors.AsType[net.Error](cause); ok && timeout.Timeout() {
		e.kind = kindTimedOut
	}
	return e
}

// noResponse returns the error of an attempt that got no response.
func (c *call) noResponse(err error) *Error {
	sent, alert := !c.attempt.neverSent(err), c.attempt.handshakeAlert(err, c.request.class() == quota.Read)
	if isSchemeMismatch(err) {
		err = http.ErrSchemeMismatch // The error that http.Client would return.
	}
	e := c.cutOff(nil, "no response", err)
	if sent && alert == "" {
		e.Outcome = c.finalOutcome(OutcomeUnknown)
	}
	if e.kind == kindBroken {
		c.explainConnection(e, err, sent, alert)
	}
	return e
}

// explainConnection completes the error of a connection that failed with err: whether a retry may help,
// and what to check. alert is that of a refused TLS handshake, "" for none.
func (c *call) explainConnection(e *Error, err error, sent bool, alert string) {
	proxy := c.proxy()
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		e.Message = c.url.Host + " speaks plain http, not https"
		e.kind, e.Hint = kindFinal, "correct the scheme or the port of the base URL"
	case alert != "":
		e.Message = "the server refused the TLS handshake: remote error: " + alert
		e.kind, e.Hint = kindNotFromAPI, "check which client certificate and which versions of TLS "+c.url.Host+" requires"
	case isTLSError(err):
		e.kind = kindFinal
		e.Hint = "check the base URL and the certificate of " + c.url.Host
		if proxy != "" {
			e.Hint = "the proxy " + proxy + " may have replaced the certificate: " + c.proxySource()
		}
	case !sent && proxy != "" && isProxyRefusal(err):
		e.Message = "the proxy " + proxy + " refused the connection: " + c.text(err)
		e.kind, e.Hint = kindFinal, c.proxySource()
	case !sent:
		e.kind = kindUnsent
	}
	if lookup, ok := errors.AsType[*net.DNSError](err); ok && lookup.IsNotFound {
		e.Hint = "check the base URL"
		if proxy != "" {
			e.Message = "the name of the proxy " + excerpt(proxy) + " cannot be resolved: " + c.text(lookup)
			e.Hint = c.proxySource() + ", where a user and a password must be percent-encoded"
		}
	}
}

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

// maxQuoted is the number of bytes that excerpt returns at most, without the ellipsis.
const maxQuoted = 300

// looksLikeJSON reports whether body is JSON or begins like JSON. JSON that was cut short
// counts, because it may still contain candidates' data.
func looksLikeJSON(body []byte) bool {
	body = bytes.TrimLeft(body, " \t\r\n")
	return len(body) > 0 && strings.IndexByte(`{["`, body[0]) >= 0 || json.Valid(body)
}

// excerpt returns the first maxQuoted bytes of a text on one line, followed by an ellipsis if
// it is longer.
func excerpt(text string) string { return oneLine(strings.ToValidUTF8(clip(text, maxQuoted), "")) }

// clip returns s, cut after most bytes and followed by an ellipsis if s is longer.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// oneLine replaces line breaks and tabs with spaces and removes other control characters.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029':
			return -1
		}
		return r
	}, s)
}

// trimEnd returns s without trailing punctuation, so that s can be continued.
func trimEnd(s string) string { return strings.TrimRight(s, " \t\r\n.,;:") }
