// Package neterr tells the causes apart that end an exchange without a reply, in
// words that name nobody.
package neterr

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"syscall"
)

// Usable returns err, or for a nil pointer, which may panic when it is asked for
// anything, an error that says what it is.
func Usable(err error) error {
	if v := reflect.ValueOf(err); v.Kind() == reflect.Pointer && v.IsNil() {
		return fmt.Errorf("the error is a nil %T", err)
	}
	return err
}

// Permanent tells a server that cannot prove its identity from one that cannot be
// reached for a moment.
func Permanent(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	return certificate || authority || record
}

// Advice is what may help, if anything is known that does: where there is no such
// host, or no TLS although the scheme says so, the base URL is probably wrong.
func Advice(err error) []string {
	lookup, ok := errors.AsType[*net.DNSError](err)
	if _, record := errors.AsType[tls.RecordHeaderError](err); record || ok && lookup.IsNotFound {
		return []string{"check the base URL"}
	}
	return nil
}

// Word names the kind of a cause, for a log; "other" when it is none of those
// that are known.
func Word(err error) string {
	if Permanent(err) {
		return "tls"
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok { // One that took too long is one of these still.
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
