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

	"github.com/hiring-assessment/hiring-go/internal/blame"
	"github.com/hiring-assessment/hiring-go/internal/texts"
	"github.com/hiring-assessment/hiring-go/internal/trouble"
)

// noReply builds the error of an attempt that no status came back for.
func (a *attempt) noReply() {
	a.failed = true
	a.unsent = a.neverSent()
	a.timeout = a.timedOut(a.transport)
	a.cut = !a.timeout
	a.permanent = trouble.Permanent(a.transport)
	a.failure = a.broken("no reply", a.transport)
	a.failure.hints = trouble.Advice(a.transport)
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
		Attempts:  int(a.attempts),
		Outcome:   a.outcome(a.writeOutcome(OutcomeNotDone)),
		RateLimit: a.limit,
		operation: a.request.operation,
		scrub:     a.credential.secret.ScrubString,
	}
	e.causedBy(a.credential.secret.Clean(cause))
	return e
}

// hints are what the client can add to a refusal: what else may be wrong, and
// where to look. Each begins with the mark that joins it to what stands before.
func (a *attempt) hints(e *Error, body []byte) []string {
	var hints []string
	r := a.request
	page := isPage(e, body)
	switch e.Status {
	case http.StatusBadRequest:
		hints = r.dialectHints(e)
	case http.StatusUnauthorized:
		hints = []string{"; " + a.core.base.Host + " refused " + a.credential.redacted() +
			": check it for expiry and revocation, or make another in the dashboard"}
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		if r.guessedRoute != "" {
			hints = []string{hint(r.guessedRoute)}
		}
		if e.Status == http.StatusNotFound && !strings.Contains(r.route, "{") && !page {
			hints = append(hints, "; the path names no id: look at the base URL")
		}
	}
	if page {
		hints = append(hints, pageHint)
	}
	return hints
}

// pageHint goes with every page, and with every 2xx that is not the service's.
const pageHint = "; a proxy answered, or the base URL is wrong"

// isPage tells a web page, or other text, from what the service would say.
func isPage(e *Error, body []byte) bool {
	redirect := e.Status >= 300 && e.Status < 400
	return e.Code == "" && !redirect && len(body) > 0 && !texts.LooksLikeJSON(body)
}

func hint(field string) string { return ", or Dialect." + field + " is wrong" }

// dialectHints name the guesses that a 400 may be about.
func (r request) dialectHints(e *Error) []string {
	form, fields := e.Fields()
	wrong := blame.Complaints{Whole: append(form, e.Message), Fields: fields}.Of(r.assumed, r.sent)
	var hints []string
	for field := range reflect.TypeFor[Dialect]().Fields() {
		if wrong[field.Name] {
			hints = append(hints, hint(field.Name))
		}
	}
	return hints
}

// sent tells whether the request held a name, as a parameter, a placeholder or a
// member of its body.
func (r request) sent(name string) bool {
	if r.query.Has(name) || strings.Contains(r.route, "{"+name+"}") {
		return true
	}
	var members map[string]Value
	if len(r.body) == 0 || decode(r.body, &members) != nil {
		return false
	}
	_, sent := members[name]
	return sent
}
