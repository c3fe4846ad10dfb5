package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// failureText is what the page shows of a failure.
type failureText struct {
	Status     int
	Text       string
	Fields     map[string][]string // What is wrong with a field of the form, by its name there.
	RetryAfter time.Duration       // 0: waiting does not help.
	Operator   bool                // The operator must fix it: the log says how, the response does not.
}

// ours is the answer to what no browser can mend, and need not know.
var ours = failureText{Status: http.StatusInternalServerError, Text: "Something is wrong on our side. It has been noted.", Operator: true}

// soon is when to try again if the API does not say.
const soon = 30 * time.Second

// answerTo is the one place that knows what each failure of the client means to a browser.
func answerTo(err error) failureText {
	failure, _ := errors.AsType[*hiring.Error](err)
	switch {
	case unsure(failure):
		return failureText{Status: http.StatusAccepted, Text: "It is not certain yet whether the invitation was sent."}
	case errors.Is(err, hiring.ErrInvalidInput):
		return invalid(err)
	case errors.Is(err, hiring.ErrPlanLimitReached):
		return failureText{Status: http.StatusPaymentRequired, Text: "The plan has no invitations left in this period."}
	case errors.Is(err, hiring.ErrNoArchive):
		return failureText{Status: http.StatusNotFound, Text: "There is no workspace to download."}
	case errors.Is(err, hiring.ErrNotFound):
		return failureText{Status: http.StatusNotFound, Text: "The assessment or the candidate does not exist any more."}
	case errors.Is(err, hiring.ErrConflict):
		return failureText{Status: http.StatusConflict, Text: "The assessment does not allow this now. Is it closed?"}
	case errors.Is(err, hiring.ErrRateLimited):
		return failureText{Status: http.StatusTooManyRequests, Text: "Too many requests were made in this hour.", RetryAfter: later(failure)}
	case failure != nil && !hiring.IsTransient(err) && !errors.Is(err, context.Canceled): // Such as a refused key or a wrong address.
		return ours
	case errors.Is(err, context.DeadlineExceeded):
		return failureText{Status: http.StatusGatewayTimeout, Text: "The assessment service takes too long to answer.", RetryAfter: later(failure)}
	}
	return failureText{Status: http.StatusServiceUnavailable, Text: "The assessment service cannot be reached.", RetryAfter: later(failure)}
}

// unsure reports whether a write may have been done, or was done though its
// response could not be read: neither is repeated without a look.
func unsure(failure *hiring.Error) bool {
	return failure != nil && (failure.Outcome == hiring.OutcomeUnknown || failure.Outcome == hiring.OutcomeDone)
}

// invalid puts the API's complaints beside the fields of the form that they
// are about. One about anything else is no mistake of the person before the screen.
func invalid(err error) failureText {
	complaints, names := hiring.FieldErrors(err), hiring.DefaultDialect()
	fields := make(map[string][]string)
	if problems := complaints[names.InvitationEmail]; len(problems) > 0 {
		fields["email"] = problems
	}
	if problems := complaints[names.InvitationName]; len(problems) > 0 {
		fields["name"] = problems
	}
	if len(fields) == 0 {
		return ours
	}
	return failureText{Status: http.StatusBadRequest, Text: "Please correct what is marked.", Fields: fields}
}

func later(failure *hiring.Error) time.Duration {
	if failure == nil || failure.RetryAfter <= 0 {
		return soon
	}
	return failure.RetryAfter
}

// report logs a failure: all of it when it is ours to mend and no input is
// complained of, else only what holds no word of a person. The API's message
// may quote what was typed in.
func report(ctx context.Context, log *slog.Logger, what string, err error) {
	failure, ok := errors.AsType[*hiring.Error](err)
	input := hiring.FieldErrors(err)
	switch {
	case answerTo(err).Operator && input == nil:
		log.ErrorContext(ctx, what, "error", err)
	case answerTo(err).Operator:
		log.ErrorContext(ctx, what, "fields", slices.Sorted(maps.Keys(input)), "error_type", fmt.Sprintf("%T", err))
	case ok:
		log.WarnContext(ctx, what, "status", failure.Status, "code", string(failure.Code), "route", failure.Route,
			"outcome", string(failure.Outcome), "request", failure.RequestID)
	default:
		log.WarnContext(ctx, what, "answer", answerTo(err).Status)
	}
}
