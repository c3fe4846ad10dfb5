package jobs

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	hiring "github.com/hiring-assessment/hiring-go"
)

// storable replaces what jsonb and text of PostgreSQL cannot hold: NUL and bytes that are
// not UTF-8. A statement with such text fails, and one such error of a job would keep all
// jobs of the process from being recorded as ended.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")
}

// checkText returns a ParamError for a text that the database would change.
func checkText(param, text string) error {
	switch {
	case text == "":
		return &hiring.ParamError{Param: param, Problem: "must not be empty"}
	case storable(text) != text:
		return &hiring.ParamError{Param: param, Problem: "must be UTF-8 without NUL"}
	}
	return nil
}

// maxErrorText is the length in bytes at which the text of an error is cut. River holds the
// text in memory several times, logs it, and stores one for each attempt.
const maxErrorText = 8 << 10

// errorText returns the text of an error that the database can hold.
func errorText(err error) string {
	text := err.Error()
	if len(text) > maxErrorText {
		text = text[:maxErrorText] + " ..."
	}
	return storable(text)
}

// storableError is an error with a short text that the database can hold.
type storableError struct{ error }

// Error returns the text that River logs and stores.
func (e storableError) Error() string { return errorText(e.error) }

// Unwrap returns the error of the job.
func (e storableError) Unwrap() error { return e.error }

// causeOf returns one term for the kind of an error, for a log. The terms are those of the
// client's log, and those for panics, receivers, PostgreSQL, deleted rows and key sources.
func causeOf(err error) string {
	failure, ok := errors.AsType[*hiring.Error](err)
	_, panicked := errors.AsType[*panicError](err)
	receiver, refused := errors.AsType[*receiverError](err)
	statement, rejected := errors.AsType[*pgconn.PgError](err)
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	_, dns := errors.AsType[*net.DNSError](err)
	switch {
	case ok && failure.Status != 0:
		return "status " + strconv.Itoa(failure.Status)
	case errors.Is(err, errTxEnded):
		return "handler ended the transaction"
	case panicked:
		return "panic"
	case refused:
		return "receiver status " + strconv.Itoa(receiver.status)
	case rejected:
		return "sqlstate " + statement.Code
	case errors.Is(err, errNoState):
		return "no state"
	case certificate, alert, errors.Is(err, http.ErrSchemeMismatch):
		return "tls"
	case dns:
		return "dns"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case isTimeout(err):
		return "timeout"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection reset"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "cut short"
	case ok && failure.Attempts == 0 && failure.Code == "": // It failed, or the key is empty.
		return "key source"
	}
	return "other"
}

// originOf returns the file and line of a panic, or the type of an error whose cause has no other term, for a log.
func originOf(err error) string {
	if p, ok := errors.AsType[*panicError](err); ok {
		return p.at
	}
	if causeOf(err) != "other" {
		return ""
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return fmt.Sprintf("%T", err)
}
