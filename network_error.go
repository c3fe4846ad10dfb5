package hiring

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"strings"
	"syscall"
)

// This file classifies network errors. Its results contain no host or path, so that
// they can be logged.

// usableError returns err, or for a nil pointer an error that names its type. Methods of a nil
// pointer may panic.
func usableError(err error) error {
	if v := reflect.ValueOf(err); v.Kind() == reflect.Pointer && v.IsNil() {
		return fmt.Errorf("the error is a nil %T", err)
	}
	return err
}

// errorOfServer is like usableError for an error of reading a response. net/http quotes a line that
// it cannot read, which may be the body of an earlier response, with candidates' data. The
// quote is dropped from the text, and Unwrap does not lead to it.
func errorOfServer(err error) error {
	if err == nil {
		return nil
	}
	return withoutQuote(usableError(err))
}

func withoutQuote(err error) error {
	message := err.Error()
	for _, problem := range []string{"malformed ", "bad "} {
		begin := strings.Index(message, problem)
		if begin < 0 {
			continue
		}
		if quote := strings.IndexByte(message[begin:], '"'); quote >= 0 {
			return &unquoted{strings.TrimRight(message[:begin+quote], " :"), func(target error) bool { return errors.Is(err, target) }}
		}
	}
	return err
}

// unquoted is an error without the text that it quoted.
type unquoted struct {
	text string
	is   func(error) bool // Of the original error. A closure, because printers do not print the content of closures.
}

func (e *unquoted) Error() string { return e.text }

func (e *unquoted) Is(target error) bool { return e.is(target) }

// isPermanentError reports whether err is a TLS failure that a retry does not fix, such as an
// invalid certificate.
func isPermanentError(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	return certificate || authority || record
}

// networkAdvice returns what the user should check, or nil. A host that does not exist and a
// server without TLS suggest a wrong base URL.
func networkAdvice(err error) []string {
	lookup, ok := errors.AsType[*net.DNSError](err)
	if _, record := errors.AsType[tls.RecordHeaderError](err); record || ok && lookup.IsNotFound {
		return []string{"check the base URL"}
	}
	return nil
}

// errorWord returns one term for the kind of err, for a log, or "other".
func errorWord(err error) string {
	if isPermanentError(err) {
		return "tls"
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok { // Before "timeout": a lookup that timed out is still "dns".
		return "dns"
	}
	for _, known := range []struct {
		err  error
		word string
	}{
		{context.Canceled, "canceled"},
		{context.DeadlineExceeded, "timeout"},
		{syscall.ECONNREFUSED, "connection refused"},
		{syscall.ECONNRESET, "connection reset"},
		{syscall.EPIPE, "connection reset"},
		{io.ErrUnexpectedEOF, "cut short"},
		{io.EOF, "cut short"},
	} {
		if errors.Is(err, known.err) {
			return known.word
		}
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return "timeout"
	}
	return "other"
}
