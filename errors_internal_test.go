package hiring

import (
	"context"
	"errors"
	"fmt"
	"io"
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
		"a response that was cut short": {of(200, 1, io.ErrUnexpectedEOF), true},
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
