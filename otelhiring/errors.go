package otelhiring

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"syscall"

	hiring "github.com/hiring-assessment/hiring-go"
)

// errorType is the kind of a failure, one of few: the service's code, or else
// what happened.
func errorType(err error) string {
	if errors.Is(err, hiring.ErrQuotaExhausted) {
		return "quota_exhausted"
	}
	if failure, ok := errors.AsType[*hiring.Error](err); ok && failure.Code != "" {
		return string(failure.Code)
	}
	if _, ok := errors.AsType[*hiring.ParamError](err); ok {
		return string(hiring.ErrInvalidInput)
	}
	if failure, ok := errors.AsType[*hiring.Error](err); ok && failure.Status >= 300 {
		return strconv.Itoa(failure.Status)
	}
	return cause(err)
}

// attemptErrorType is the status where there is one, as the conventions for HTTP
// ask.
func attemptErrorType(e hiring.Exchange) string {
	if e.Status >= 300 || e.Status > 0 && e.Status < 200 {
		return strconv.Itoa(e.Status)
	}
	return cause(e.Err)
}

func cause(err error) string {
	for _, known := range []struct {
		err  error
		name string
	}{
		{context.DeadlineExceeded, "timeout"},
		{context.Canceled, "canceled"},
		{syscall.ECONNREFUSED, "connection_refused"},
		{syscall.ECONNRESET, "connection_reset"},
		{io.ErrUnexpectedEOF, "truncated"},
	} {
		if errors.Is(err, known.err) {
			return known.name
		}
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "dns"
	}
	return "_OTHER"
}
