package doctor_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/doctor"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// slowBody sends one byte per second, without end.
type slowBody struct {
	ctx   context.Context
	begun bool
}

func (b *slowBody) Read(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		return copy(p, `{"data":`), nil
	}
	select {
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	case <-time.After(time.Second):
		return copy(p, " "), nil
	}
}

func (b *slowBody) Close() error { return nil }

type slowTransport struct{}

func (slowTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r, ContentLength: -1,
		Header: http.Header{"Content-Type": {"application/json"}, "Date": {time.Now().UTC().Format(http.TimeFormat)}},
		Body:   io.NopCloser(&slowBody{ctx: r.Context()}),
	}, nil
}

// TestSlowResponseIsNotAWrongBaseURL: a time limit that ends a response says nothing about
// the base URL, the key or the headers.
func TestSlowResponseIsNotAWrongBaseURL(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit    time.Duration
		evidence string
	}{
		"limit of the whole run": {10 * time.Second, "the time limit ended the response"},
		"limit of each request":  {3 * time.Minute, "the time limit ended the response"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), c.limit)
				defer cancel()
				r, err := doctor.Run(ctx, doctor.Config{
					BaseURL: "https://hiring.example.com", Key: sandbox.TestKey, HTTP: &http.Client{Transport: slowTransport{}},
				})
				if c.limit < time.Minute {
					require.ErrorIs(t, err, context.DeadlineExceeded)
				} else {
					require.NoError(t, err)
				}
				assert.Empty(t, wrongNames(r))
				for _, row := range []string{"proxy", "base URL", "clock", "key", "scope", "rate-limit headers", "request ids"} {
					f := finding(t, r, row)
					assert.Equal(t, doctor.Undecided, f.Verdict, row)
					assert.Contains(t, f.Evidence, c.evidence, row)
				}
				assert.LessOrEqual(t, r.Reads, 2, "the other checks need the same server")
			})
		})
	}
}

// silentTransport never responds.
type silentTransport struct{}

func (silentTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestTimeLimitIsNotAMissingConnection: with --timeout 1s nothing is
// known of a server that takes two seconds.
func TestTimeLimitIsNotAMissingConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r, err := doctor.Run(ctx, doctor.Config{
			BaseURL: "https://hiring.example.com", Key: sandbox.TestKey, HTTP: &http.Client{Transport: silentTransport{}},
		})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Empty(t, wrongNames(r))
		for _, row := range []string{"connection", "proxy", "base URL", "key", "scope"} {
			f := finding(t, r, row)
			assert.Equal(t, doctor.Undecided, f.Verdict, row)
			assert.Contains(t, f.Evidence, "no response within the time limit", row)
		}
	})
}
