package hiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/internal/headers"
	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/limits"
	"github.com/hiring-assessment/hiring-go/internal/neterr"
	"github.com/hiring-assessment/hiring-go/internal/provenance"
)

// readReply reads the body, decodes a 2xx and builds the error of anything else.
func (a *attempt) readReply(resp *http.Response) {
	if a.status < 200 {
		a.noFinal(resp)
		return
	}
	body, cause := a.readBody(resp)
	a.reply.body, a.reply.within = body, a.within(body)
	if a.reply.leniency = a.request.leniency; a.reply.leniency != nil {
		a.reply.leniency.begin()
	}
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
	a.advise(a.failure, a.reply.body)
	a.failure.RetryAfter = headers.RetryAfter(a.header, time.Now())
	a.failure.throttled, a.permanent = a.throttled, a.throttled
	a.failure.Outcome = a.writeOutcome(OutcomeNotDone)
	if a.status >= 500 {
		a.failure.Outcome = a.writeOutcome(OutcomeUnknown)
	}
	own = a.failure.Code != "" || provenance.Signed(a.header)
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
	foreign, stranger := a.core.family.origin.Foreign(a.header, a.reply.body, a.request.envelope(), a.timed)
	outcome := OutcomeDone
	switch {
	case foreign != "":
		outcome = OutcomeUnknown
		if stranger = stranger || cause == nil; stranger { // Else it broke off before it showed whose it is.
			cause = replyError(foreign)
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
	a.failure.garbled = foreign == "" && !a.cut && !a.timeout
	if stranger {
		a.failure.Hints = append(a.failure.Hints, pageHint)
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
		a.failure.Hints = []string{bytesHint}
	case errors.Is(cause, limits.ErrMemory):
		a.failure = a.fail("the reply would take more memory than four times its limit of bytes", nil)
		a.failure.Hints = []string{bytesHint}
	case a.status == http.StatusNoContent:
		a.failure = a.fail(string(noData), nil)
	case errors.As(cause, &semantic), errors.As(cause, &syntactic):
		// Its own text may hold candidates' data, so it is not kept.
		a.failure = a.fail("the reply cannot be read"+jsoncodec.Where(cause), nil)
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

// envelope returns the members of which the service's reply has one at least.
func (r request) envelope() []string {
	if r.route == "/openapi.json" { // The one document that is documented bare.
		return []string{"openapi", "data", "meta"}
	}
	return []string{"data", "meta"}
}

// maxDrained is how much of a body that nobody wants is read, so that the
// connection can serve again.
const maxDrained = 64 << 10

// readBody reads a reply's body and closes it. What it returns lies in a shared
// buffer until release. A body that does not stop by itself is closed when the
// attempt's time is over.
func (a *attempt) readBody(resp *http.Response) ([]byte, error) {
	a.body.Body, resp.Body = resp.Body, http.NoBody // Not every body can be closed twice, and retryablehttp would.
	defer a.body.Close()
	defer context.AfterFunc(a.timed, a.body.CloseLate)()
	limit, whole := a.core.config.maxBytes, true
	if a.status >= 300 {
		limit = min(limit, 1<<20)
	} else if a.read == nil {
		limit, whole = min(limit, maxDrained), false
	}
	err := neterr.Usable(a.buffer.Fill(a.body.Body, limit))
	read := a.buffer.Bytes()
	if err == nil && whole && int64(len(read)) > limit {
		err = tooLongError{limit}
	}
	if whole && a.status < 300 { // Else it is short.
		clean, late := a.credential.secret.ScrubWithin(read, &limits.Bound{Until: a.timed})
		return clean, cmp.Or(err, late)
	}
	return a.credential.secret.Scrub(read), err
}

// within is what the reply may still take, so that all of it together stays
// within four times what its body may have.
func (a *attempt) within(body []byte) limits.Bound {
	limit := min(max(a.core.config.maxBytes, minLimit), math.MaxInt64/4)
	left := 4*limit - a.buffer.Grown
	if responseOf(a.ctx) != nil {
		left -= int64(len(body))
	}
	if read := a.buffer.Bytes(); len(read) > 0 && len(body) > 0 && &body[0] != &read[0] { // The key was taken out.
		left -= int64(cap(body))
	}
	return limits.Bound{Left: left, Until: a.timed}
}

// bytesHint goes with every response that is too large.
const bytesHint = "see WithMaxResponseBytes"

// minLimit is for limits so small that what every call takes is more.
const minLimit = 16 << 10

type tooLongError struct{ limit int64 }

func (e tooLongError) Error() string {
	return fmt.Sprintf("the reply is longer than %d bytes", e.limit)
}
