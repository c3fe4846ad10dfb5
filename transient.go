package hiring

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/hiring-assessment/hiring-go/internal/poll"
)

// IsTransient reports whether err is temporary, so that the same call may succeed
// later: a 429, a 408, a 5xx, a connection error, a response that was cut short or a
// timeout. A call that was refused locally because of a rate limit counts as a
// 429. For a failed write, check Error.Outcome first: a write whose outcome is
// [OutcomeUnknown] may have happened.
//
// IsTransient returns false for nil, a cancelled context, a server whose
// certificate cannot be verified, a 2xx that is not from the API, a write that was done, and
// any other 3xx or 4xx, also when its body was cut short.
func IsTransient(err error) bool {
	failure, _ := errors.AsType[*Error](err)
	switch {
	case errors.Is(err, context.Canceled):
		return false
	case failure == nil:
		return errors.Is(err, context.DeadlineExceeded)
	}
	return failure.isTransient()
}

// failureIn returns the [*Error] in err. For any other error it returns one that is not transient.
func failureIn(err error) *Error {
	failure, _ := errors.AsType[*Error](err)
	return cmp.Or(failure, &Error{kind: kindFinal})
}

// consequence is what follows from a failure.
type consequence struct {
	retried retries  // By the call itself.
	later   prospect // Of the same request later.
}

// retries is which requests a call sends again after a failure. Each value includes those before it.
type retries int

const (
	retriesNone       retries = iota
	retriesGET                // A write may still be running.
	retriesRepeatable         // GET, DELETE and PATCH: the request may have been done, and doing it twice does no harm.
	retriesAll                // The request was certainly not done.
)

// prospect is how the same request may end later.
type prospect int

const (
	prospectNone prospect = iota // In the same way.
	// With success if a poll has succeeded before, because a proxy answers while the service restarts.
	// Otherwise the base URL is probably wrong.
	prospectAfterSuccess
	prospectOfPoll    // With success if it is a poll, whose next response may be readable.
	prospectTransient // With success.
)

// consequence returns what follows from a failure. It is the one rule for that. A call, IsTransient,
// the loop of polls and inviting ask the other functions of this file, which ask it.
func (e *Error) consequence() consequence {
	switch {
	case e.Outcome == OutcomeDone && e.Status < 300:
		return consequence{retriesNone, prospectNone}
	case e.kind == kindUnsent:
		return consequence{retriesAll, prospectTransient}
	case e.kind == kindBroken && e.Status == 0:
		return consequence{retriesRepeatable, prospectTransient}
	case e.kind == kindBroken, e.kind == kindTimedOut:
		return consequence{retriesGET, prospectTransient}
	case e.kind == kindInvalidBody:
		return consequence{retriesNone, prospectOfPoll}
	case e.kind == kindNotFromAPI:
		return consequence{retriesNone, prospectAfterSuccess}
	case e.kind == kindFinal:
		return consequence{retriesNone, prospectNone}
	}
	// Otherwise the status decides, also when the body was cut short.
	switch {
	case isRateLimit(e.Status, e.Code):
		return consequence{retriesAll, prospectTransient}
	case slices.Contains(overloadStatuses, e.Status):
		return consequence{retriesRepeatable, prospectTransient}
	case e.Status == http.StatusRequestTimeout, e.Status >= 500 && e.Status < 600:
		return consequence{retriesNone, prospectTransient}
	case e.Status == 0 && (e.Code == "" || e.Code == ErrInternal): // A test of a user built the error, or the context ended.
		return consequence{retriesNone, prospectTransient}
	case e.Code != "", e.Status == 0, e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		return consequence{retriesNone, prospectNone}
	}
	return consequence{retriesNone, prospectAfterSuccess} // An intermediary answered.
}

// isRateLimit reports whether a request was refused because of the rate limit: by the API, or with
// status 0 by the client.
func isRateLimit(status int, code ErrorCode) bool {
	return status == http.StatusTooManyRequests || status == 0 && code == ErrRateLimited
}

// overloadStatuses are the statuses of a server, or of a gateway in front of it, that may respond again soon.
var overloadStatuses = []int{500, 502, 503, 504}

// isTransient is IsTransient for a failure that the context has not caused.
func (e *Error) isTransient() bool { return e.consequence().later == prospectTransient }

// isTransientStatus reports whether a request that got the status may succeed later.
func isTransientStatus(status int) bool { return (&Error{Status: status}).isTransient() }

// isRetriable reports whether the call retries the failure.
func (e *Error) isRetriable() bool {
	switch retried := e.consequence().retried; e.Method {
	case http.MethodGet:
		return retried >= retriesGET
	case http.MethodDelete, http.MethodPatch:
		return retried >= retriesRepeatable
	default:
		return retried == retriesAll
	}
}

// isDeferred reports whether the API rejected the request for now, or the client because of the
// rate limit: nothing was done, and the same request may be sent later.
func (e *Error) isDeferred() bool {
	return e.consequence().retried == retriesAll && e.kind != kindUnsent
}

// mayRepeatPoll reports whether a poll that failed with err is repeated. polled reports that a poll has
// succeeded before.
func mayRepeatPoll(err error, polled bool) bool {
	later := failureIn(err).consequence().later
	return IsTransient(err) || later == prospectOfPoll || later == prospectAfterSuccess && polled
}

// replyKindOf returns what the end of a request of a poll with err means to the machine: besides its
// consequence, the API may have failed in one listing or one submission only. answered reports
// whether the API answered at all.
func replyKindOf(request poll.Request, err error) (kind poll.ReplyKind, answered bool) {
	failure := failureIn(err)
	refused := failure.Status == http.StatusBadRequest && (failure.hasAPICode() || failure.cause != nil) // Also one that was cut short.
	switch {
	case err == nil:
		return poll.Answered, true
	case request.ID != "" && isMissing(err):
		return poll.Missing, true
	case refused && request.Cursor != "":
		return poll.CursorExpired, true
	case refused && request.Status != "" && request.Status != poll.Finished:
		return poll.UnknownStatus, true
	}
	return poll.Failed, failure.hasAPICode() && failure.Status >= 500 || failure.kind == kindInvalidBody
}

// rejects reports whether a response with the status rejects a request, which then was not processed.
func rejects(status int) bool {
	return status >= 300 && status < 500 && status != http.StatusRequestTimeout && status != statusClientClosed
}

// rejectsCandidate reports whether the API rejected the candidate of a POST, so that others can be
// invited. Without a code the response is from an intermediary.
func (e *Error) rejectsCandidate() bool {
	return (e.Status == http.StatusBadRequest || e.Status == http.StatusConflict) && e.Code != "" && !IsTransient(e)
}

// hasAPICode reports whether the API has sent the error.
func (e *Error) hasAPICode() bool { return e.Status > 0 && e.Code != "" }

// isMissing reports whether the API does not know what was requested.
func isMissing(err error) bool {
	failure := failureIn(err)
	return failure.hasAPICode() && failure.Status == http.StatusNotFound
}
