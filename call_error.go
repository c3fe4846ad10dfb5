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
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/internal/bound"
	"github.com/hiring-assessment/hiring-go/internal/lenient"
	"github.com/hiring-assessment/hiring-go/internal/texts"
)

// noReply builds the error of an attempt that no status came back for.
func (a *attempt) noReply() {
	a.failed = true
	a.unsent = a.neverSent()
	a.timeout = a.timedOut(a.transport)
	a.cut = !a.timeout
	a.permanent = isPermanent(a.transport)
	a.failure = a.broken("no reply", a.transport)
	a.failure.Outcome = a.writeOutcome(OutcomeUnknown)
	if a.unsent {
		a.failure.Outcome = a.writeOutcome(OutcomeNotDone)
	}
}

// neverSent is true only on proof: the transport asked for a connection and got
// none. A transport that tells nothing proves nothing, unless its error is that
// of dialling.
func (a *attempt) neverSent() bool {
	if isRead(a.request.method) || a.connected.Load() {
		return false
	}
	if a.dialled.Load() {
		return true
	}
	dial, ok := errors.AsType[*net.OpError](a.transport)
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

func (a *attempt) timedOut(err error) bool {
	if a.timed.Err() != nil {
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

// outcome is that of the whole call: one attempt that may have taken effect
// makes it unknown, unless a later one certainly did.
func (c *call) outcome(last Outcome) Outcome {
	if c.unknown && last != OutcomeDone {
		return OutcomeUnknown
	}
	return last
}

// readReply reads the body, decodes a 2xx and builds the error of anything else.
func (a *attempt) readReply(resp *http.Response) {
	if a.status < 200 {
		a.noFinal(resp)
		return
	}
	body, cause := a.readBody(resp)
	a.reply.body, a.reply.within = body, a.within(body)
	var own bool
	if a.status < 300 {
		own = a.success(cause)
	} else {
		own = a.rejected(cause)
	}
	if own {
		wrongKey := a.status == http.StatusUnauthorized && a.failure.Code == ErrInvalidToken
		a.core.family.quotas.Judge(a.credential.id, wrongKey, time.Now())
	}
}

// noFinal builds the error of a status that ends no exchange, as that of a
// server that would speak another protocol from here on. What follows may never
// end, so it is not read.
func (a *attempt) noFinal(resp *http.Response) {
	_ = resp.Body.Close()
	resp.Body = http.NoBody
	a.failed = true
	a.failure = a.fail(fmt.Sprintf("the reply is not the service's own: its status %03d ends no request", a.status), nil)
	a.failure.Outcome = a.writeOutcome(OutcomeUnknown)
}

// rejected builds the error of any reply from 300 on, and tells whether it is the
// service's own.
func (a *attempt) rejected(cause error) (own bool) {
	a.failed = true
	a.failure = a.fail("", cause)
	a.failure.refusal(a.reply.body)
	a.failure.clean()
	a.failure.hints = a.hints(a.failure, a.reply.body)
	a.failure.RetryAfter = retryAfterOf(a.header, time.Now())
	a.failure.throttled, a.permanent = a.throttled, a.throttled
	a.failure.Outcome = a.writeOutcome(OutcomeNotDone)
	if a.status >= 500 {
		a.failure.Outcome = a.writeOutcome(OutcomeUnknown)
	}
	own = a.failure.Code != "" || signed(a.header)
	if own && a.request.method == http.MethodDelete && a.status == http.StatusNotFound && a.unknown {
		// The attempt before it did the work.
		a.failed, a.failure = false, nil
	}
	return own
}

// success hands a 2xx reply to its reader, and tells whether it is the service's
// own. One that is not may stand for anything, so it says nothing of a write.
func (a *attempt) success(cause error) (own bool) {
	a.failure = nil
	foreign, stranger := a.foreign(a.reply.body)
	outcome := OutcomeDone
	switch {
	case foreign != "":
		outcome = OutcomeUnknown
		if stranger = stranger || cause == nil; stranger { // Else it broke off before it showed whose it is.
			cause = foreign
		}
	case a.read == nil:
		return true
	case cause == nil || a.request.bodyless:
		if cause = a.read(&a.reply); cause == nil {
			return true
		}
	}
	a.unusable(cause)
	a.failed = true
	a.failure.Outcome = a.writeOutcome(outcome)
	if stranger {
		a.failure.hints = []string{pageHint}
	}
	return foreign == ""
}

// unusable builds the error of a 2xx reply that broke off or is not what was
// promised.
func (a *attempt) unusable(cause error) {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	text, stated := errors.AsType[replyError](cause)
	tooLong, limited := errors.AsType[tooLongError](cause)
	switch {
	case stated:
		a.failure = a.fail(string(text), nil)
	case limited:
		a.failure = a.fail(tooLong.Error(), nil)
	case errors.Is(cause, bound.ErrMemory):
		a.failure = a.fail("the reply would take more memory than four times what WithMaxResponseBytes allows", nil)
	case a.status == http.StatusNoContent:
		a.failure = a.fail(string(noData), nil)
	case errors.As(cause, &semantic), errors.As(cause, &syntactic):
		// Its own text may hold candidates' data, so it is not kept.
		a.failure = a.fail("the reply cannot be read"+lenient.Where(cause), nil)
		if errors.Is(cause, io.ErrUnexpectedEOF) {
			a.cut = true
			a.failure.causedBy(io.ErrUnexpectedEOF)
		}
	default:
		a.timeout = a.timedOut(cause)
		a.cut = !a.timeout
		a.failure = a.broken("the reply broke off", cause)
	}
}

// broken is the error of an exchange that the connection, the time or the
// caller ended.
func (a *attempt) broken(what string, cause error) *Error {
	if err := contextError(a.ctx); err != nil {
		return a.fail(what+": "+a.ctx.Err().Error(), err)
	}
	if a.timed.Err() != nil {
		return a.fail(fmt.Sprintf("%s within %s: see WithTimeout", what, a.core.config.timeout), context.DeadlineExceeded)
	}
	return a.fail(what+": "+a.plain(cause), cause)
}

// plain is an error's text without the addresses that net/http puts into it.
func (a *attempt) plain(err error) string {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	u := a.url
	text := strings.ReplaceAll(err.Error(), u.String(), "the service")
	return texts.Quote([]byte(a.credential.secret.ScrubString(strings.ReplaceAll(text, u.RequestURI(), a.request.route))))
}

// fail starts an error with what is known of the call.
func (a *attempt) fail(message string, cause error) *Error {
	e := &Error{
		Message:   message,
		Status:    a.status,
		RequestID: a.requestID,
		Method:    a.request.method,
		Route:     a.request.route,
		Attempts:  a.attempts,
		Outcome:   a.outcome(a.writeOutcome(OutcomeNotDone)),
		RateLimit: a.limit,
		operation: a.request.operation,
		scrub:     a.credential.secret.ScrubString,
	}
	e.causedBy(a.credential.secret.Clean(cause))
	return e
}

type tooLongError struct{ limit int64 }

func (e tooLongError) Error() string {
	return fmt.Sprintf("the reply is longer than %d bytes: see WithMaxResponseBytes", e.limit)
}
