package hiring

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// noReply builds the error of an attempt that no status came back for.
func (c *call) noReply(a *attempt) {
	a.failed = true
	a.unsent = c.neverSent()
	a.timeout = c.timedOut(c.transport)
	a.cut = !a.timeout
	a.permanent = isPermanent(c.transport)
	c.failure = c.broken("no reply", c.transport)
	c.failure.Outcome = c.writeOutcome(OutcomeUnknown)
	if a.unsent {
		c.failure.Outcome = c.writeOutcome(OutcomeNotDone)
	}
}

// neverSent is true only on proof: the transport asked for a connection and got
// none. A transport that tells nothing proves nothing, unless its error is that
// of dialling.
func (c *call) neverSent() bool {
	if isRead(c.request.method) || c.connected.Load() {
		return false
	}
	if c.dialled.Load() {
		return true
	}
	dial, ok := errors.AsType[*net.OpError](c.transport)
	return ok && dial.Op == "dial"
}

// isPermanent tells a server that cannot prove its identity from one that
// cannot be reached for a moment.
func isPermanent(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	return certificate || authority || record
}

func (c *call) timedOut(err error) bool {
	if c.timed.Err() != nil {
		return true // Or the caller gave up, and then nothing is repeated.
	}
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

// writeOutcome is o for a write and nothing for a read.
func (c *call) writeOutcome(o Outcome) Outcome {
	if isRead(c.request.method) {
		return ""
	}
	return o
}

// readReply reads the body, decodes a 2xx and builds the error of anything else.
func (c *call) readReply(resp *http.Response, a *attempt) {
	if c.status < 200 {
		c.noFinal(resp, a)
		return
	}
	body, cause := c.readBody(resp)
	c.reply.body, c.reply.within = body, c.within(body)
	var own bool
	if c.status < 300 {
		own = c.success(a, cause)
	} else {
		own = c.rejected(a, cause)
	}
	if own {
		wrongKey := c.status == http.StatusUnauthorized && c.failure.Code == ErrInvalidToken
		c.core.family.judged(c.credential.id, wrongKey, time.Now())
	}
}

// noFinal builds the error of a status that ends no exchange, as that of a
// server that would speak another protocol from here on. What follows may never
// end, so it is not read.
func (c *call) noFinal(resp *http.Response, a *attempt) {
	_ = resp.Body.Close()
	resp.Body = http.NoBody
	a.failed = true
	c.failure = c.fail(fmt.Sprintf("the reply is not the service's own: its status %03d ends no request", c.status), nil)
	c.failure.Outcome = c.writeOutcome(OutcomeUnknown)
}

// rejected builds the error of any reply from 300 on, and tells whether it is the
// service's own.
func (c *call) rejected(a *attempt, cause error) (own bool) {
	a.failed = true
	c.failure = c.fail("", cause)
	c.failure.refusal(c.reply.body)
	c.failure.clean()
	c.failure.hints = c.hints(c.failure, c.reply.body)
	c.failure.RetryAfter = retryAfterOf(c.header, time.Now())
	c.failure.throttled, a.permanent = c.throttled, c.throttled
	c.failure.Outcome = c.writeOutcome(OutcomeNotDone)
	if c.status >= 500 {
		c.failure.Outcome = c.writeOutcome(OutcomeUnknown)
	}
	own = c.failure.Code != "" || signed(c.header)
	if own && c.request.method == http.MethodDelete && c.status == http.StatusNotFound && c.unknown {
		// The attempt before it did the work.
		a.failed, c.failure = false, nil
	}
	return own
}

// success hands a 2xx reply to its reader, and tells whether it is the service's
// own. One that is not may stand for anything, so it says nothing of a write.
func (c *call) success(a *attempt, cause error) (own bool) {
	c.failure = nil
	foreign, stranger := c.foreign(c.reply.body)
	outcome := OutcomeDone
	switch {
	case foreign != "":
		outcome = OutcomeUnknown
		if stranger = stranger || cause == nil; stranger { // Else it broke off before it showed whose it is.
			cause = foreign
		}
	case c.read == nil:
		return true
	case cause == nil || c.request.bodyless:
		if cause = c.read(&c.reply); cause == nil {
			return true
		}
	}
	c.unusable(a, cause)
	a.failed = true
	c.failure.Outcome = c.writeOutcome(outcome)
	if stranger {
		c.failure.hints = []string{pageHint}
	}
	return foreign == ""
}

// What answers with a 2xx need not be the service: proxies show sign-in pages
// so. The service signs each reply with headers, and its bodies are JSON or
// empty. A gateway may strip headers, which shows where a reply without them
// holds the service's envelope; from then on an empty one may be its own too.

// signatures are the headers that every reply of the service carries.
var signatures = []string{"X-Request-Id", "X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset"}

func signed(h http.Header) bool {
	return slices.ContainsFunc(signatures, func(name string) bool { return h.Get(name) != "" })
}

// foreign says why a 2xx reply is not the service's, nothing when it is, and
// whether it is a page or other text that is no JSON.
func (c *call) foreign(body []byte) (why replyError, page bool) {
	text := bytes.TrimLeft(body, " \t\r\n\ufeff")
	switch {
	case len(text) > 0 && !looksLikeJSON(text):
		return replyError(notOwn(body, "")), true
	case signed(c.header):
	case len(text) == 0:
		if !c.core.family.unsigned.Load() {
			return replyError(notOwn(nil, "")), false
		}
	case !hasMember(text, c.request.envelope()):
		return replyError(notOwn(text, "envelope")), false
	default:
		c.core.family.unsigned.Store(true)
	}
	return "", false
}

// envelope returns the members of which the service's reply has one at least.
func (r request) envelope() []string {
	if r.route == "/openapi.json" { // The one document that is documented bare.
		return []string{"openapi", "data", "meta"}
	}
	return []string{"data", "meta"}
}

// hasMember tells whether body is a JSON object with a member of one of these
// names, as far as it can be read.
func hasMember(body []byte, names []string) bool {
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if d.PeekKind() != '{' {
		return false
	}
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() == '"' {
		var name jsontext.Token
		if name, err = d.ReadToken(); err == nil && slices.Contains(names, name.String()) {
			return true
		}
		if err == nil {
			err = d.SkipValue()
		}
	}
	return false
}

// unusable builds the error of a 2xx reply that broke off or is not what was
// promised.
func (c *call) unusable(a *attempt, cause error) {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	text, stated := errors.AsType[replyError](cause)
	tooLong, limited := errors.AsType[tooLongError](cause)
	switch {
	case stated:
		c.failure = c.fail(string(text), nil)
	case limited:
		c.failure = c.fail(tooLong.Error(), nil)
	case c.status == http.StatusNoContent:
		c.failure = c.fail(string(noData), nil)
	case errors.As(cause, &semantic), errors.As(cause, &syntactic):
		// Its own text may hold candidates' data, so it is not kept.
		c.failure = c.fail("the reply cannot be read"+where(cause), nil)
		if errors.Is(cause, io.ErrUnexpectedEOF) {
			a.cut = true
			c.failure.causedBy(io.ErrUnexpectedEOF)
		}
	default:
		a.timeout = c.timedOut(cause)
		a.cut = !a.timeout
		c.failure = c.broken("the reply broke off", cause)
	}
}

// broken is the error of an exchange that the connection, the time or the
// caller ended.
func (c *call) broken(what string, cause error) *Error {
	if err := contextError(c.ctx); err != nil {
		return c.fail(what+": "+c.ctx.Err().Error(), err)
	}
	if c.timed.Err() != nil {
		return c.fail(fmt.Sprintf("%s within %s: see WithTimeout", what, c.core.config.timeout), context.DeadlineExceeded)
	}
	return c.fail(what+": "+c.plain(cause), cause)
}

// plain is an error's text without the addresses that net/http puts into it.
func (c *call) plain(err error) string {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	u := c.url
	text := strings.ReplaceAll(err.Error(), u.String(), "the service")
	return quote([]byte(c.credential.secret.ScrubString(strings.ReplaceAll(text, u.RequestURI(), c.request.route))))
}

// fail starts an error with what is known of the call.
func (c *call) fail(message string, cause error) *Error {
	e := &Error{
		Message:   message,
		Status:    c.status,
		RequestID: c.requestID,
		Method:    c.request.method,
		Route:     c.request.route,
		Attempts:  c.attempts,
		Outcome:   c.outcome(c.writeOutcome(OutcomeNotDone)),
		RateLimit: c.limit,
		operation: c.request.operation,
		scrub:     c.credential.secret.ScrubString,
	}
	e.causedBy(c.credential.secret.Clean(cause))
	return e
}

// contextError is how the caller's context ended, with the caller's own reason
// beside it, or nil.
func contextError(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause // It says which of the two it is, as that of signal.NotifyContext does.
	}
	return fmt.Errorf("%w: %w", err, cause)
}

type tooLongError struct{ limit int64 }

func (e tooLongError) Error() string {
	return fmt.Sprintf("the reply is longer than %d bytes: see WithMaxResponseBytes", e.limit)
}

// replyError says in full why a 2xx reply is not what was asked for.
type replyError string

func (e replyError) Error() string { return string(e) }
