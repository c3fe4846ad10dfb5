package hiring

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIsTransientByStatusAttemptsAndCause(t *testing.T) {
	of := func(status, attempts int, cause error) error {
		return &Error{Status: status, Attempts: attempts, cause: func() error { return cause }}
	}
	for name, c := range map[string]struct {
		err       error
		transient bool
	}{
		"500":                           {of(500, 1, nil), true},
		"503":                           {of(503, 3, nil), true},
		"429":                           {of(429, 1, nil), true},
		"499":                           {of(499, 1, nil), false},
		"404":                           {of(404, 1, nil), false},
		"302":                           {of(302, 1, nil), false},
		"no response":                   {of(0, 1, io.ErrUnexpectedEOF), true},
		"a response that was cut short": {&Error{Status: 200, Attempts: 1, kind: broken}, true},
		"a malformed response":          {of(200, 1, nil), false},
		"not sent":                      {of(0, 0, nil), false},
		"not sent, with a cause":        {of(0, 0, io.ErrUnexpectedEOF), false},
		"not sent because of the quota": {of(0, 0, ErrQuotaExhausted), true},
		"not sent after the deadline":   {of(0, 0, context.DeadlineExceeded), true},
		"cancelled after a 500":         {of(500, 1, context.Canceled), false},
		"cancelled in a wait":           {of(0, 0, errors.Join(ErrQuotaExhausted, context.Canceled)), false},
		"a refused key, between two":    {&Error{Code: ErrInvalidToken, Attempts: 1}, false},
		"wrapped":                       {fmt.Errorf("reading: %w", of(502, 1, nil)), true},
		"a wait that failed":            {&WaitError{Pending: []string{"x"}, Err: of(502, 1, nil)}, true},
		"a wait with missing ids":       {&WaitError{Missing: []string{"x"}, Err: ErrNotFound}, false},
		"a deadline":                    {context.DeadlineExceeded, true},
		"another error":                 {io.EOF, false},
		"nil":                           {nil, false},
	} {
		assert.Equal(t, c.transient, IsTransient(c.err), name)
	}
}

func TestWord(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for _, c := range []struct {
		err       error
		word      string
		permanent bool
	}{
		{dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), "connection refused", false},
		{&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, "connection reset", false},
		{syscall.EPIPE, "connection reset", false},
		{dial(&net.DNSError{Err: "no such host", IsNotFound: true}), "dns", false},
		{dial(&net.DNSError{Err: "i/o timeout", IsTimeout: true}), "dns", false},
		{dial(os.ErrDeadlineExceeded), "timeout", false},
		{fmt.Errorf("wrapped: %w", context.DeadlineExceeded), "timeout", false},
		{&url.Error{Op: "Get", Err: context.Canceled}, "canceled", false},
		{io.ErrUnexpectedEOF, "cut short", false},
		{&url.Error{Op: "Get", Err: io.EOF}, "cut short", false},
		{&tls.CertificateVerificationError{Err: errors.New("expired")}, "tls", true},
		{x509.UnknownAuthorityError{}, "tls", true},
		{tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, "tls", true},
		{errors.New("ada@example.com"), "other", false},
	} {
		assert.Equal(t, c.word, errorWord(c.err), "%v", c.err)
		assert.Equal(t, c.permanent, isTLSError(c.err), "%v", c.err)
	}
}
