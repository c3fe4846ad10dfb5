package sandbox

import (
	"net/http"

	hiring "github.com/hiring-assessment/hiring-go"
)

// The status of each code; what has none of its own is a failure of the server.
var codes = map[hiring.ErrorCode]int{
	hiring.ErrInvalidInput:      http.StatusBadRequest,
	hiring.ErrInvalidToken:      http.StatusUnauthorized,
	hiring.ErrPlanLimitReached:  http.StatusPaymentRequired,
	hiring.ErrInsufficientScope: http.StatusForbidden,
	hiring.ErrNotFound:          http.StatusNotFound,
	hiring.ErrConflict:          http.StatusConflict,
	hiring.ErrRateLimited:       http.StatusTooManyRequests,
	hiring.ErrInternal:          http.StatusInternalServerError,
}

func codeOf(status int) hiring.ErrorCode {
	for code, of := range codes {
		if of == status {
			return code
		}
	}
	if status == http.StatusMethodNotAllowed {
		return hiring.ErrNotFound
	}
	if status < 500 {
		return hiring.ErrInvalidInput
	}
	return hiring.ErrInternal
}
