package sandbox

import (
	"net/http"

	hiring "github.com/hiring-assessment/hiring-go"
)

// statusByCode are the documented codes and their status. No two have the same, so that a status has one usual code.
var statusByCode = map[hiring.ErrorCode]int{
	hiring.ErrInvalidInput:      http.StatusBadRequest,
	hiring.ErrInvalidToken:      http.StatusUnauthorized,
	hiring.ErrPlanLimitReached:  http.StatusPaymentRequired,
	hiring.ErrInsufficientScope: http.StatusForbidden,
	hiring.ErrNotFound:          http.StatusNotFound,
	hiring.ErrConflict:          http.StatusConflict,
	hiring.ErrRateLimited:       http.StatusTooManyRequests,
	hiring.ErrInternal:          http.StatusInternalServerError,
}

// codeOf returns the usual error code of a status.
func codeOf(status int) hiring.ErrorCode {
	for code, documented := range statusByCode {
		if documented == status {
			return code
		}
	}
	switch {
	case status == http.StatusMethodNotAllowed:
		return hiring.ErrNotFound
	case status < 500:
		return hiring.ErrInvalidInput
	}
	return hiring.ErrInternal
}
