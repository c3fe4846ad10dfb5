package otelhiring

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"syscall"

	hiring "github.com/hiring-assessment/hiring-go"
)

// errorType returns the value of error.type for a failed call or attempt: a
// documented error code, "timeout", "canceled", "connection" or "_OTHER". The
// value is never text from a response: a code that is not documented is "_OTHER".
func errorType(err error) string {
	failure, ok := errors.AsType[*hiring.Error](err)
	if ok && slices.Contains(documentedCodes, failure.Code) {
		return string(failure.Code)
	}
	if _, rejected := errors.AsType[*hiring.ParamError](err); rejected {
		return string(hiring.ErrInvalidInput)
	}
	sentWithoutResponse := ok && failure.Attempts > 0 && failure.Status == 0
	switch {
	case isTimeout(err):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case sentWithoutResponse, isConnectionError(err):
		return "connection"
	}
	return "_OTHER"
}

var documentedCodes = []hiring.ErrorCode{
	hiring.ErrInvalidInput, hiring.ErrInvalidToken, hiring.ErrPlanLimitReached, hiring.ErrInsufficientScope,
	hiring.ErrNotFound, hiring.ErrConflict, hiring.ErrRateLimited, hiring.ErrInternal,
}

func isTimeout(err error) bool {
	failure, ok := errors.AsType[net.Error](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && failure.Timeout()
}

// isConnectionError reports whether a connection ended, also in the middle of a
// response.
func isConnectionError(err error) bool {
	_, network := errors.AsType[*net.OpError](err)
	return network || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
}
