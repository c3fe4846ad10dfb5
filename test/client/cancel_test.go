package client_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
)

// piped returns net/http's own transport over a pipe in memory. serve has the other end
// until it returns.
func piped(t *testing.T, serve func(net.Conn)) *http.Transport {
	t.Helper()
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			serve(there)
			_ = there.Close()
		}()
		return here, nil
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// responses reads one request, sends text and stays silent until the client closes the
// connection.
func replies(text string) func(net.Conn) {
	return func(conn net.Conn) {
		in := bufio.NewReader(conn)
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(conn, text)
		_, _ = in.ReadByte()
	}
}

// point is the position of a call when its context ends, 3 s after its beginning.
type point struct {
	transport func(*testing.T) http.RoundTripper
	opts      []hiring.Option
	outcome   hiring.Outcome
	attempts  int
}

func cancellationPoints() map[string]point {
	wire := func(serve func(net.Conn)) func(*testing.T) http.RoundTripper {
		return func(t *testing.T) http.RoundTripper { return piped(t, serve) }
	}
	script := func(answers ...apitest.Responder) func(*testing.T) http.RoundTripper {
		return func(t *testing.T) http.RoundTripper { return apitest.NewScriptedServer(t, answers...) }
	}
	slowSource := hiring.WithKeySource(func(ctx context.Context) (string, error) {
		<-ctx.Done()
		return "", errors.New("the vault did not answer")
	})
	deafSource := hiring.WithKeySource(func(ctx context.Context) (string, error) {
		<-ctx.Done()
		return apitest.Key, nil
	})
	closed := apitest.RateLimit{Limit: 200, Remaining: 0, Left: 50 * time.Second, Skew: 0, RetryAfter: "50"}
	return map[string]point{
		"in the key source":         {script(apitest.RespondData(apitest.Resource)), []hiring.Option{slowSource}, hiring.OutcomeNotDone, 0},
		"in a key source that ends": {script(apitest.RespondData(apitest.Resource)), []hiring.Option{deafSource}, hiring.OutcomeNotDone, 0},
		"while dialling": {func(*testing.T) http.RoundTripper {
			return &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
				<-time.After(time.Minute) // net/http continues to dial for other requests, by design.
				return nil, apitest.DialError
			}}
		}, nil, hiring.OutcomeNotDone, 1},
		"while writing":         {wire(func(conn net.Conn) { _, _ = io.ReadFull(conn, make([]byte, 10)); <-time.After(time.Hour) }), nil, hiring.OutcomeUnknown, 1},
		"waiting for headers":   {wire(replies("")), nil, hiring.OutcomeUnknown, 1},
		"within the headers":    {wire(replies("HTTP/1.1 200 OK\r\nContent-")), nil, hiring.OutcomeUnknown, 1},
		"mid-body":              {wire(replies("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"data\":{")), nil, hiring.OutcomeDone, 1},
		"mid-body of a refusal": {wire(replies("HTTP/1.1 403 Forbidden\r\nContent-Length: 99\r\n\r\n{\"error\":{")), nil, hiring.OutcomeNotDone, 1},
		"mid-body of a failure": {wire(replies("HTTP/1.1 503 Busy\r\nContent-Length: 99\r\n\r\n<html>")), nil, hiring.OutcomeUnknown, 1},
		"pause after a 503":     {script(apitest.Respond(503, "", "Retry-After: 50")), nil, hiring.OutcomeUnknown, 1},
		"pause after a 429":     {script(apitest.Respond(429, "", "Retry-After: 50")), nil, hiring.OutcomeNotDone, 1},
		"pause after a reset":   {script(apitest.Fail(apitest.ErrReset)), []hiring.Option{hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: 1e6 * time.Hour, MaxBackoff: 1e6 * time.Hour})}, hiring.OutcomeUnknown, 1},
		"pause after a quota is used up": {script(apitest.Respond(503, "", "Retry-After: 1"), closed.With(apitest.RespondRateLimited)), []hiring.Option{
			hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 3}),
		}, hiring.OutcomeUnknown, 2},
	}
}

func TestCancellationAtEveryPoint(t *testing.T) {
	reason := errors.New("shutting down")
	for name, p := range cancellationPoints() {
		synctest.Test(t, func(t *testing.T) {
			client, err := hiring.New("http://localhost", apitest.Key, append(p.opts, hiring.WithHTTPClient(&http.Client{Transport: p.transport(t)}))...)
			require.NoError(t, err)
			ctx, cancel := context.WithCancelCause(t.Context())
			begun := time.Now()
			time.AfterFunc(3*time.Second, func() { cancel(reason) })
			_, err = client.Assessments.Close(ctx, apitest.ID)
			assert.Equal(t, 3*time.Second, time.Since(begun), "%s: ends promptly", name)
			require.ErrorIs(t, err, context.Canceled, "%s", name)
			require.ErrorIs(t, err, reason, "%s", name)
			failure := apitest.RequireError(t, name, err)
			assert.Equal(t, p.outcome, failure.Outcome, "%s: Outcome", name)
			assert.Equal(t, p.attempts, failure.Attempts, "%s: Attempts", name)
			assert.NotContains(t, err.Error(), "\n", "%s", name)
			<-time.After(2 * time.Hour) // The peer and net/http's dialling end by themselves. Everything else must have ended.
		})
	}
}

// untilDone is a body without data until its context ends.
type untilDone struct {
	ctx    context.Context
	closed atomic.Int32
}

func (u *untilDone) Read([]byte) (int, error) {
	<-u.ctx.Done()
	return 0, u.ctx.Err()
}

func (u *untilDone) Close() error {
	u.closed.Add(1)
	return nil
}

// The goroutine that closes the body of an expired attempt may run late. It must not
// affect the next attempt. Only the race detector and repetition show it.
func TestEndOfAnAttemptDoesNotCancelTheNext(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			var body *untilDone
			fake := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
				body = &untilDone{ctx: r.Context()}
				return apitest.NewResponse(r, http.StatusOK, body), nil
			}, apitest.RespondData(`{"id":"a"}`))
			_, err := fake.Client(hiring.WithTimeout(time.Second)).Account.Get(t.Context())
			require.NoError(t, err)
			require.Len(t, fake.Requests(), 2)
			synctest.Wait()
			require.Positive(t, body.closed.Load())
		})
	}
}
