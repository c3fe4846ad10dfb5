package client_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
)

// What go-retryablehttp does by default, and the tests that fail with it:
//
//   - repeats POST on 5xx and on broken connections: TestMatrix
//   - returns "giving up" instead of the last response: TestMatrix (status, code and text of the error)
//   - sleeps as long as Retry-After says: TestRetryAfterTooLongReturnsAtOnce, TestMatrix ("503 too late")
//   - turns a huge Retry-After into none: TestRetryAfterTooLongReturnsAtOnce ("absurd"), TestRetryAfter
//   - ignores dates of RFC 850: TestRetryAfterIsHonoured
//   - ignores Retry-After except with 429 and 503: TestRetryAfterWithEveryRetriedStatus
//   - waits without jitter, or beyond its maximum: TestBackoffIsRandomBelowADoublingBound
//   - decides in Backoff, which cannot refuse: TestDecide
//   - loses the last failure when the context ends in a pause: TestEndOfTheContextIsReportedOnce, TestCancellationAtEveryPoint
//   - closes everybody's idle connections after a failure: TestConnectionsAreReusedAcrossCallsAndFailures
//   - prints to stderr: TestNothingIsPrinted
//   - puts URLs into errors: TestNoURLInErrors, TestNothingIsPrinted
//   - shares the headers between attempts: TestRetriedRequestsAreIdentical, TestCookiesOfFailedResponsesAreKept
//   - follows redirects with a second client: TestRedirectsAreNotFollowed

func TestRetryAfterWithEveryRetriedStatus(t *testing.T) {
	for _, status := range []int{429, 500, 502, 503, 504} {
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, apitest.Respond(status, "", "Retry-After: 7"), apitest.RespondData(apitest.Resource))
			require.NoError(t, apitest.ReadAccount(t.Context(), fake.Client()), "%d", status)
			assert.InDelta(t, 7, fake.Pauses()[0].Seconds(), 0, "%d", status)
		})
	}
}

func TestNothingIsPrinted(t *testing.T) {
	out, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = out, out
	client := apitest.NewScriptedServer(t, apitest.Respond(500, ""), apitest.Fail(apitest.ErrReset), apitest.Respond(200, "{")).Client(hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: 1}))
	_, callErr := client.Account.Get(t.Context())
	os.Stdout, os.Stderr = stdout, stderr
	require.Error(t, callErr)
	assert.NotContains(t, callErr.Error(), "giving up")
	text, err := os.ReadFile(out.Name())
	require.NoError(t, err)
	assert.Empty(t, string(text))
	require.NoError(t, out.Close())
}

// killer serves one request on each connection, and closes the connection after the
// second. net/http resends the second if it may.
type killer struct {
	mu     sync.Mutex
	bodies map[string]int
}

// forget returns how often each body arrived, and resets the counts.
func (k *killer) forget() map[string]int {
	k.mu.Lock()
	defer k.mu.Unlock()
	bodies := k.bodies
	k.bodies = make(map[string]int)
	return bodies
}

func (k *killer) serve(conn *net.TCPConn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	for n := 1; ; n++ {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		k.mu.Lock()
		k.bodies[string(body)]++
		k.mu.Unlock()
		if n > 1 {
			return
		}
		reply := `{"data":{"id":"x"},"meta":{}}`
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 29\r\n\r\n"+reply)
	}
}

func TestPOSTOnAConnectionThatDiesIsNotResent(t *testing.T) {
	k := &killer{bodies: make(map[string]int)}
	baseURL, _ := apitest.Listen(t, k.serve)
	client := realClient(t, baseURL)
	unknown := 0
	for n := range 20 {
		_, err := client.Invitations.Send(t.Context(), "a", hiring.NewInvitation{Email: strings.Repeat("e", n+1), Name: "n"})
		if err != nil {
			require.ErrorIs(t, err, hiring.ErrOutcomeUnknown, "call %d", n)
			assert.Equal(t, 1, apitest.RequireError(t, "Send", err).Attempts)
			unknown++
		}
	}
	bodies := k.forget()
	assert.Len(t, bodies, 20)
	for body, times := range bodies {
		assert.Equal(t, 1, times, "%s", body)
	}
	assert.GreaterOrEqual(t, unknown, 5, "unknown outcomes of 20: too few connections died in use to show what a retry does")
}
