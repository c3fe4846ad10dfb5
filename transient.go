package hiring

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/hiring-assessment/hiring-go/internal/paging"
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

// The functions below say what follows from a failure. A call asks isRetriable and isDeferred, a poll
// mayRepeatPoll and isDeferred, and inviting rejectsCandidate. All ask isTransient.

// isTransient reports whether the same request may succeed later. It is the one rule for that:
// IsTransient reports it, a waiting method repeats what may pass (mayRepeatPoll has the few other
// cases), and an invitation that failed so is not rejected but not sent. What a call itself retries
// is a part of it: see isRetriable. From 300 on the status decides, also when the body was cut short.
// A 2xx, and a failure without a response, are decided by the kind.
//
// TestWhatFollowsFromAFailure holds this table:
//
//	                                  a call           IsTransient   a poll
//	no connection                     retries all      true          repeats
//	a connection that was lost        retries no POST  true          repeats
//	a timeout                         retries a GET    true          repeats
//	a certificate, proxy or scheme    fails            false         ends
//	a TLS handshake that was refused  fails            false         repeats after the first success
//	2xx that is not the API's         fails            false         repeats after the first success
//	2xx that was cut short            retries a GET    true          repeats
//	2xx of a write, cut short         fails            false         repeats after the first success
//	2xx that cannot be decoded        fails            false         repeats
//	a list that does not advance      fails            false         ends
//	3xx                               fails            false         repeats after the first success
//	401, 403                          fails            false         ends
//	408                               fails            true          repeats
//	429                               retries all      true          repeats
//	another 4xx of the API            fails            false         ends
//	another 4xx of a proxy            fails            false         repeats after the first success
//	500, 502, 503, 504                retries no POST  true          repeats
//	another 5xx                       fails            true          repeats
func (e *Error) isTransient() bool {
	switch {
	case e.Status >= 300:
		return isTransientStatus(e.Status)
	case e.Outcome == OutcomeDone:
		return false
	case e.Status == 0 && e.kind == kindByStatus: // The rate limit prevented the request, or a test built the error.
		return slices.Contains([]ErrorCode{"", ErrRateLimited, ErrInternal}, e.Code)
	}
	return e.kind == kindUnsent || e.kind == kindBroken || e.kind == kindTimedOut
}

// isTransientStatus reports whether a request that got the status, from 300 on, may succeed later.
func isTransientStatus(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500 && status < 600
}

// isRetriable reports whether a failure that may pass is retried within the call. What certainly
// was not done is retried with every method, a POST and a PUT only then. After a timeout a write may
// still be running.
func (e *Error) isRetriable() bool {
	switch {
	case !e.isTransient():
		return false
	case e.kind == kindUnsent, e.isDeferred():
		return true
	}
	overloaded := slices.Contains(overloadStatuses, e.Status)
	switch e.Method {
	case http.MethodGet:
		return overloaded || e.kind == kindBroken || e.kind == kindTimedOut
	case http.MethodDelete, http.MethodPatch:
		return overloaded || e.kind == kindBroken && e.Status == 0
	}
	return false
}

// overloadStatuses are the statuses of a server, or of a gateway in front of it, that may respond again soon.
var overloadStatuses = []int{500, 502, 503, 504}

// mayRepeatPoll reports whether the error of a poll may pass: it is transient, a 2xx of the API that
// cannot be decoded, or the page of a proxy while the service restarts. Unless a poll has
// succeeded, such a page means that the base URL is wrong.
func mayRepeatPoll(err error, polled bool) bool {
	failure := failureIn(err)
	_, stuck := errors.AsType[*paging.Stuck](err)
	switch {
	case IsTransient(err), failure.kind == kindInvalidBody:
		return true
	case stuck, failure.hasAPICode(), failure.Status == http.StatusUnauthorized, failure.Status == http.StatusForbidden:
		return false
	case failure.Status == 0 && failure.kind != kindNoHandshake:
		return false
	}
	return polled
}

// replyKindOf returns what the end of a request of a poll with err means to the machine: besides what
// the table says, the API may have failed in one listing or one submission only. answered reports
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

// isDeferred reports whether the API rejected the request for now, or the client because of the
// rate limit: nothing was done, and the same request may be sent later.
func (e *Error) isDeferred() bool {
	return e.isTransient() && (rejects(e.Status) || e.Status == 0 && e.Code == ErrRateLimited)
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
