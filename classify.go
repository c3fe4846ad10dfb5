package hiring

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/limits"
	"github.com/hiring-assessment/hiring-go/internal/paging"
)

// attemptEnd is the time when an attempt ended, after its response was decoded, and the
// state of its contexts then.
type attemptEnd struct {
	at          time.Time
	callerErr   error // The error of the caller's context, and
	callerPlain error // the same without the context's cause.
	expired     bool  // The attempt's timeout has passed, or the caller's context has ended.
	deadline    time.Time
	bounded     bool // The caller's context has a deadline.
}

func endOf(caller, attempt context.Context) attemptEnd {
	end := attemptEnd{at: time.Now(), callerErr: contextError(caller), callerPlain: caller.Err(), expired: attempt.Err() != nil}
	end.deadline, end.bounded = caller.Deadline()
	return end
}

// classification says how an attempt ended.
type classification struct {
	failure   *Error // Nil if the attempt succeeded.
	fromAPI   bool   // The response is from the API.
	timeout   bool   // There was no response, or not all of it, within the attempt's timeout.
	cut       bool   // The connection ended before the response did.
	permanent bool   // A retry would fail in the same way.
}

// classify returns the error of an attempt and what kind of failure it was. It is a
// pure function of its arguments.
func (c *call) classify(trip *roundTrip, dec *decoded, end *attemptEnd) classification {
	v := classification{}
	switch {
	case trip.err != nil:
		v = c.noResponse(trip, end)
	case trip.status < 200:
		v.failure = c.fail(trip, fmt.Sprintf("the response is not from the API: status %03d does not end a request", trip.status), nil)
		v.failure.Outcome = c.outcome(OutcomeUnknown)
	case trip.status >= 300:
		v = c.rejected(trip, end)
	case dec.err == nil && dec.intermediary == "":
		v.fromAPI = true
	default:
		v = c.unusable(trip, dec, end)
	}
	return v
}

// noResponse classifies an attempt that got no response.
func (c *call) noResponse(trip *roundTrip, end *attemptEnd) classification {
	v := classification{permanent: isPermanentError(trip.err)}
	v.timeout = end.timedOut(trip.err)
	v.cut = !v.timeout
	v.failure = c.broken(trip, "no response", trip.err, end)
	v.failure.Hint = networkHint(trip.err)
	v.failure.Outcome = c.outcome(OutcomeUnknown)
	if trip.unsent {
		v.failure.Outcome = c.outcome(OutcomeNotDone)
	}
	return v
}

// rejected classifies a response with a status from 300.
//
// The error is complete before the body is judged, because a body that was cut may still
// hold the API's code and message, which say more than the cut. A 401 is not retried even
// then: failed authentications throttle the address of all keys. The 404 of a DELETE becomes
// a success last, because only a response of the API proves that the resource is gone.
func (c *call) rejected(trip *roundTrip, end *attemptEnd) classification {
	e := c.fail(trip, "", trip.bodyErr)
	e.setRejection(trip.body)
	e.clean()
	c.advise(e, trip.body)
	e.RetryAfter = trip.retryAfter
	e.Outcome = c.outcome(OutcomeNotDone)
	if trip.status >= 500 {
		e.Outcome = c.outcome(OutcomeUnknown)
	}
	v := classification{failure: e}
	if _, tooLong := errors.AsType[tooLongError](trip.bodyErr); trip.bodyErr != nil && !tooLong {
		// A refused key is not tried again: failed authentications throttle the address.
		v.cut = !end.timedOut(trip.bodyErr) && trip.status != http.StatusUnauthorized
		v.timeout = !v.cut && trip.status != http.StatusUnauthorized
		if e.Code == "" && trip.status >= 400 && (len(trip.body) == 0 || limits.LooksLikeJSON(trip.body)) {
			e.Message = cutShort
		} else {
			e.Message = limits.Unended(e.Message) + "; " + cutShort
		}
	}
	v.fromAPI = e.Code != "" || isSigned(trip.header)
	if v.fromAPI && c.unknown && c.request.method == http.MethodDelete && trip.status == http.StatusNotFound {
		v.failure = nil // An earlier attempt deleted it.
	}
	return v
}

// unusable classifies a 2xx response that is incomplete, not from the API, or not what
// was promised.
//
// The outcome of a write differs: the API has done what its 2xx says, however broken the
// body is, but an intermediary's 2xx says nothing. A body that was cut before it showed
// whose it is counts as unknown, because sending the write again could do it twice.
func (c *call) unusable(trip *roundTrip, dec *decoded, end *attemptEnd) classification {
	v := classification{fromAPI: dec.intermediary == ""}
	cause := dec.err
	foreign := dec.intermediary != "" && (dec.page || cause == nil) // Otherwise it may be one of the API that was cut short.
	if foreign {
		cause = responseError(dec.intermediary)
	}
	v.failure, v.cut = c.undecodable(trip, cause)
	if v.failure == nil {
		v.timeout = end.timedOut(cause)
		v.cut = !v.timeout
		what := cutShort
		if end.expired && end.callerErr == nil {
			what = "the response was not complete"
		}
		v.failure = c.broken(trip, what, cause, end)
	}
	v.failure.Outcome = c.outcome(OutcomeDone)
	if dec.intermediary != "" {
		v.failure.Outcome = c.outcome(OutcomeUnknown)
	}
	v.failure.invalidBody = v.fromAPI && !v.cut && !v.timeout
	if foreign {
		v.failure.Hint = pageHint
	}
	return v
}

// undecodable returns the error of a 2xx response that was read in full, except that
// cut reports that its JSON ends too early. It returns nil when reading failed.
func (c *call) undecodable(trip *roundTrip, cause error) (e *Error, cut bool) {
	var semantic *jsonv2.SemanticError
	var syntactic *jsontext.SyntacticError
	why, stated := errors.AsType[responseError](cause)
	stuck, isStuck := errors.AsType[*paging.Stuck](cause)
	tooLong, limited := errors.AsType[tooLongError](cause)
	switch {
	case stated:
		e = c.fail(trip, string(why), nil)
	case isStuck:
		e = c.fail(trip, stuck.Error(), nil)
		if stuck.Field != "" {
			e.Hint = "Dialect." + stuck.Field + " is probably wrong"
		}
	case limited:
		e = c.fail(trip, tooLong.Error(), nil)
		e.Hint = bytesHint
	case trip.status == http.StatusNoContent:
		e = c.fail(trip, string(errNoData), nil)
	case errors.As(cause, &syntactic) && len(bytes.TrimSpace(trip.body)) == 0:
		e, cut = c.fail(trip, "the response is empty", io.ErrUnexpectedEOF), true
	case errors.As(cause, &semantic), errors.As(cause, &syntactic):
		// The cause's own text may hold candidates' data, so it is dropped.
		e = c.fail(trip, "the response cannot be decoded"+jsoncodec.Where(cause), nil)
		cut = errors.Is(cause, io.ErrUnexpectedEOF)
		if cut {
			e.causedBy(io.ErrUnexpectedEOF)
		}
	}
	return e, cut
}

// timedOut reports whether err, which ended a round trip, is a timeout. The end of the
// caller's context counts as one, because nothing is retried after it.
func (end *attemptEnd) timedOut(err error) bool {
	if end.expired {
		return true
	}
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

// outcome returns the outcome of the call when that of its last attempt is o. An earlier
// attempt may have taken effect. The outcome of a read is "".
func (c *call) outcome(o Outcome) Outcome {
	switch {
	case isRead(c.request.method):
		return ""
	case c.unknown && o != OutcomeDone:
		return OutcomeUnknown
	}
	return o
}

// fail returns an error with what is known of the call and the response.
func (c *call) fail(trip *roundTrip, message string, cause error) *Error {
	e := &Error{
		Message:   message,
		Status:    trip.status,
		RequestID: trip.requestID,
		Method:    c.request.method,
		Route:     c.request.route,
		Attempts:  c.attempts,
		Outcome:   c.outcome(OutcomeNotDone),
		RateLimit: trip.rateLimit,
		Operation: c.request.errorOperation(),
		scrub:     c.key.secret.ScrubString,
	}
	e.causedBy(c.key.secret.Clean(cause))
	return e
}

// broken returns the error of a round trip that the connection, a timeout or the caller
// ended.
func (c *call) broken(trip *roundTrip, what string, cause error, end *attemptEnd) *Error {
	switch {
	case end.callerErr != nil:
		return c.fail(trip, what+": "+end.callerPlain.Error(), end.callerErr)
	case end.expired:
		e := c.fail(trip, fmt.Sprintf("%s within %s", what, c.core.timeout), context.DeadlineExceeded)
		e.Hint = c.core.timeoutHint
		return e
	}
	return c.fail(trip, what+": "+c.text(cause), cause)
}

// text returns the text of an error without the URLs that net/http puts into it.
func (c *call) text(err error) string {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	message := strings.ReplaceAll(err.Error(), c.url.String(), "the API")
	return limits.Quote([]byte(c.key.secret.ScrubString(strings.ReplaceAll(message, c.url.RequestURI(), c.request.route))))
}

// advise sets the hint of the error of a response with a status from 300.
func (c *call) advise(e *Error, body []byte) {
	var advice []string
	switch {
	case isPage(e, body):
		advice = append(advice, pageHint)
	case e.Status == http.StatusUnauthorized:
		advice = append(advice, c.url.Host+" refused "+c.key.redacted()+
			": check it for expiry and revocation, or make another in the dashboard")
	case e.Status == http.StatusNotFound && !strings.Contains(c.request.route, "{"):
		advice = append(advice, "the path has no id: check the base URL")
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		if len(c.request.assumed) > 0 {
			advice = append(advice, "the documentation does not show Dialect."+strings.Join(c.request.assumed, " and Dialect."))
		}
	}
	e.Hint = strings.Join(advice, ", and ")
}

const (
	cutShort = "the response was cut short"

	// pageHint is the hint for web pages, and for 2xx responses that are not from the
	// API.
	pageHint = "a proxy answered, or the base URL is wrong"

	// bytesHint is the hint for responses that are too large.
	bytesHint = "see WithMaxResponseBytes"
)

// isPage reports whether body is a web page or other text that is not JSON.
func isPage(e *Error, body []byte) bool {
	redirect := e.Status >= 300 && e.Status < 400
	return e.Code == "" && !redirect && len(body) > 0 && !limits.LooksLikeJSON(body)
}

// RetryPolicy configures the retries of a call. A zero field means the default, which each
// field's comment gives.
type RetryPolicy struct {
	MaxAttempts int           // Attempts of a call, including the first: 4. 1 means no retries.
	BaseBackoff time.Duration // Longest delay before the first retry: 500 ms, doubled with each retry. Delays are random.
	MaxBackoff  time.Duration // Longest delay without a Retry-After header: 30 s.
	MaxWait     time.Duration // Longest wait for a Retry-After or a rate-limit window: 1 min. If it would be longer, the call fails immediately. Below zero means never to wait.
}

// withDefaults returns the policy with defaults in place of zero fields, or a [*ParamError]
// for each other negative field.
func (p RetryPolicy) withDefaults() (RetryPolicy, error) {
	err := joinParams(
		checkNotNegative("RetryPolicy.MaxAttempts", p.MaxAttempts),
		checkNotNegative("RetryPolicy.BaseBackoff", p.BaseBackoff),
		checkNotNegative("RetryPolicy.MaxBackoff", p.MaxBackoff),
	)
	return RetryPolicy{
		MaxAttempts: cmp.Or(p.MaxAttempts, 4),
		BaseBackoff: cmp.Or(p.BaseBackoff, 500*time.Millisecond),
		MaxBackoff:  cmp.Or(p.MaxBackoff, 30*time.Second),
		MaxWait:     cmp.Or(p.MaxWait, time.Minute),
	}, err
}

func checkNotNegative[N int | time.Duration](field string, n N) error {
	if n < 0 {
		return &ParamError{Param: field, Problem: "must not be negative (0 means the default)"}
	}
	return nil
}

// decision is what follows an attempt. The zero value means that the call ends.
type decision struct {
	retry bool
	wait  time.Duration // Before the retry.
}

// decide returns whether the attempt with a number is retried. It is a pure function of its
// arguments; jitter is a random number in [0, 1).
func decide(p RetryPolicy, method string, number int, trip *roundTrip, v classification, end *attemptEnd, jitter float64) decision {
	if v.failure == nil || end.callerErr != nil || number >= p.MaxAttempts || v.permanent || !isRetriable(method, trip, v) {
		return decision{}
	}
	wait := v.failure.RetryAfter
	if wait == 0 {
		wait = max(1, time.Duration(jitter*float64(p.backoff(number)))) // Observers take 0 for no retry.
	} else if p.tooLong(wait) {
		return decision{}
	}
	if end.bounded && wait >= end.deadline.Sub(end.at) {
		return decision{}
	}
	return decision{true, wait}
}

// isRetriable reports whether a retry is safe and may succeed. A POST is retried only when
// the API certainly did not process it.
func isRetriable(method string, trip *roundTrip, v classification) bool {
	if trip.status == http.StatusTooManyRequests || trip.unsent {
		return true
	}
	switch method {
	case http.MethodGet, http.MethodHead:
		return v.timeout || v.cut || isOverload(trip.status)
	case http.MethodDelete, http.MethodPatch:
		return isOverload(trip.status) || trip.status == 0 && v.cut
	}
	return false
}

// isOverload reports whether status is a transient server error.
func isOverload(status int) bool {
	switch status {
	case 500, 502, 503, 504:
		return true
	}
	return false
}

// isBusy reports whether a server with that status may be asked again later.
func isBusy(status int) bool { return status == http.StatusTooManyRequests || isOverload(status) }

// backoff returns the longest delay after attempt n: the base, doubled with each attempt,
// at most MaxBackoff. It compares before it doubles, so that it cannot overflow.
func (p RetryPolicy) backoff(n int) time.Duration {
	d := p.BaseBackoff
	for range n - 1 {
		if d > p.MaxBackoff/2 {
			return p.MaxBackoff
		}
		d *= 2
	}
	return min(d, p.MaxBackoff)
}

// tooLong reports whether a wait exceeds MaxWait. Rate-limit windows end on a full second
// and the Date header is cut to one, so a window of an hour can seem up to a second longer.
// A MaxWait of an hour or more therefore allows that second.
func (p RetryPolicy) tooLong(wait time.Duration) bool {
	return wait > p.MaxWait && (p.MaxWait < time.Hour || wait > time.Hour+time.Second)
}

// jitter returns a random number in [0, 1).
func jitter() float64 { return rand.Float64() } //nolint:gosec // spreads retries; nothing secret depends on it
