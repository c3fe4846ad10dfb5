package sandbox

import (
	"net/http"
	"slices"

	hiring "github.com/hiring-assessment/hiring-go"
)

// codeStatus is an error code with the status of its response.
type codeStatus struct {
	Code   hiring.ErrorCode `json:"code"`
	Status int              `json:"status"`
}

// codes are the documented codes. The first code of a status is its usual one.
var codes = []codeStatus{
	{hiring.ErrInvalidInput, http.StatusBadRequest},
	{hiring.ErrInvalidToken, http.StatusUnauthorized},
	{hiring.ErrPlanLimitReached, http.StatusPaymentRequired},
	{hiring.ErrInsufficientScope, http.StatusForbidden},
	{hiring.ErrNotFound, http.StatusNotFound},
	{hiring.ErrConflict, http.StatusConflict},
	{hiring.ErrRateLimited, http.StatusTooManyRequests},
	{hiring.ErrInternal, http.StatusInternalServerError},
}

// statusOf returns the status of a code, or 0 for a code that is not documented.
func statusOf(code hiring.ErrorCode) int {
	if i := slices.IndexFunc(codes, func(c codeStatus) bool { return c.Code == code }); i >= 0 {
		return codes[i].Status
	}
	return 0
}

// codeOf returns the usual error code of a status.
func codeOf(status int) hiring.ErrorCode {
	if i := slices.IndexFunc(codes, func(c codeStatus) bool { return c.Status == status }); i >= 0 {
		return codes[i].Code
	}
	switch {
	case status == http.StatusMethodNotAllowed:
		return hiring.ErrNotFound
	case status < 500:
		return hiring.ErrInvalidInput
	}
	return hiring.ErrInternal
}
