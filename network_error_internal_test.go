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
	"github.com/stretchr/testify/require"
)

func TestWord(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for _, c := range []struct {
		err       error
		word      string
		permanent bool
		astray    bool
	}{
		{dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), "connection refused", false, false},
		{&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, "connection reset", false, false},
		{syscall.EPIPE, "connection reset", false, false},
		{dial(&net.DNSError{Err: "no such host", IsNotFound: true}), "dns", false, true},
		{dial(&net.DNSError{Err: "i/o timeout", IsTimeout: true}), "dns", false, false},
		{dial(os.ErrDeadlineExceeded), "timeout", false, false},
		{fmt.Errorf("wrapped: %w", context.DeadlineExceeded), "timeout", false, false},
		{&url.Error{Op: "Get", Err: context.Canceled}, "canceled", false, false},
		{io.ErrUnexpectedEOF, "cut short", false, false},
		{&url.Error{Op: "Get", Err: io.EOF}, "cut short", false, false},
		{&tls.CertificateVerificationError{Err: errors.New("expired")}, "tls", true, false},
		{x509.UnknownAuthorityError{}, "tls", true, false},
		{tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, "tls", true, true},
		{errors.New("ada@example.com"), "other", false, false},
	} {
		assert.Equal(t, c.word, errorWord(c.err), "%v", c.err)
		assert.Equal(t, c.permanent, isPermanentError(c.err), "%v", c.err)
		assert.Equal(t, c.astray, networkAdvice(c.err) != nil, "%v", c.err)
	}
}

func TestUsable(t *testing.T) {
	require.NoError(t, usableError(nil))
	assert.Equal(t, io.EOF, usableError(io.EOF))
	assert.Equal(t, syscall.EPIPE, usableError(syscall.EPIPE))
	require.EqualError(t, usableError((*url.Error)(nil)), "the error is a nil *url.Error")
}
