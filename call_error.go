package hiring

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/hiring-assessment/hiring-go/internal/dialecthint"
	"github.com/hiring-assessment/hiring-go/internal/neterr"
	"github.com/hiring-assessment/hiring-go/internal/text"
)

// noReply builds the error of an attempt that no status came back for.
func (a *attempt) noReply() {
	a.failed = true
	a.unsent = a.neverSent()
	a.timeout = a.timedOut(a.transport)
	a.cut = !a.timeout
	a.permanent = neterr.Permanent(a.transport)
	a.failure = a.broken("no reply", a.transport)
	a.failure.Hints = append(a.failure.Hints, neterr.Advice(a.transport)...)
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

// broken is the error of an exchange that the connection, the time or the
// caller ended.
func (a *attempt) broken(what string, cause error) *Error {
	if err := contextError(a.ctx); err != nil {
		return a.fail(what+": "+a.ctx.Err().Error(), err)
	}
	if a.timed.Err() != nil {
		hint := "see WithTimeout"
		if a.core.timeout != a.core.config.timeout {
			hint = "see http.Client.Timeout"
		}
		e := a.fail(fmt.Sprintf("%s within %s", what, a.core.timeout), context.DeadlineExceeded)
		e.Hints = []string{hint}
		return e
	}
	return a.fail(what+": "+a.plain(cause), cause)
}

// plain is an error's text without the addresses that net/http puts into it.
func (a *attempt) plain(err error) string {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	u := a.url
	message := strings.ReplaceAll(err.Error(), u.String(), "the service")
	return text.Quote([]byte(a.credential.secret.ScrubString(strings.ReplaceAll(message, u.RequestURI(), a.request.route))))
}

// fail starts an error with what is known of the call.
func (a *attempt) fail(message string, cause error) *Error {
	e := &Error{
		Message:   message,
		Status:    a.status,
		RequestID: a.requestID,
		Method:    a.request.method,
		Route:     a.request.route,
		Attempts:  int(a.attempts),
		Outcome:   a.outcome(a.writeOutcome(OutcomeNotDone)),
		RateLimit: a.limit,
		Operation: a.request.operation,
		scrub:     a.credential.secret.ScrubString,
	}
	e.causedBy(a.credential.secret.Clean(cause))
	return e
}

// advise adds to a refusal what else may be wrong, and what to check.
func (a *attempt) advise(e *Error, body []byte) {
	r := a.request
	page := isPage(e, body)
	switch e.Status {
	case http.StatusBadRequest:
		e.mayBeWrong(r.dialectFields(e)...)
	case http.StatusUnauthorized:
		e.Hints = append(e.Hints, a.core.base.Host+" refused "+a.credential.redacted()+
			": check it for expiry and revocation, or make another in the dashboard")
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		if r.guessedRoute != "" {
			e.mayBeWrong(r.guessedRoute)
		}
		if e.Status == http.StatusNotFound && !strings.Contains(r.route, "{") && !page {
			e.Hints = append(e.Hints, "the path has no id: check the base URL")
		}
	}
	if page {
		e.Hints = append(e.Hints, pageHint)
	}
}

// pageHint goes with every page, and with every 2xx that is not the service's.
const pageHint = "a proxy answered, or the base URL is wrong"

// isPage tells a web page, or other text, from what the service would say.
func isPage(e *Error, body []byte) bool {
	redirect := e.Status >= 300 && e.Status < 400
	return e.Code == "" && !redirect && len(body) > 0 && !text.LooksLikeJSON(body)
}

// mayBeWrong names fields of the Dialect as another possible cause of a refusal.
func (e *Error) mayBeWrong(fields ...string) {
	for _, field := range fields {
		e.DialectFields = append(e.DialectFields, field)
		e.Hints = append(e.Hints, "or Dialect."+field+" is wrong")
	}
}

// probablyWrong names a field of the Dialect as the probable cause.
func (e *Error) probablyWrong(field string) {
	e.DialectFields = append(e.DialectFields, field)
	e.Hints = append(e.Hints, "Dialect."+field+" is probably wrong")
}

// dialectFields returns the assumed names that a 400 may be about.
func (r request) dialectFields(e *Error) []string {
	form, fields := e.Fields()
	wrong := dialecthint.Complaints{Whole: append(form, e.Message), Fields: fields}.Of(r.assumed, r.sent)
	var suspects []string
	for field := range reflect.TypeFor[Dialect]().Fields() {
		if wrong[field.Name] {
			suspects = append(suspects, field.Name)
		}
	}
	return suspects
}

// sent tells whether the request held a name, as a parameter, a placeholder or a
// member of its body.
func (r request) sent(name string) bool {
	if r.query.Has(name) || strings.Contains(r.route, "{"+name+"}") {
		return true
	}
	var members map[string]RawValue
	if len(r.body) == 0 || decode(r.body, &members) != nil {
		return false
	}
	_, sent := members[name]
	return sent
}
