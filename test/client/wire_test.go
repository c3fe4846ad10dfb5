package client_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// realClient returns a client with its own net/http.Transport and very short delays.
func realClient(t *testing.T, baseURL string, opts ...hiring.Option) *hiring.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := hiring.New(baseURL, apitest.Key, append([]hiring.Option{
		hiring.WithHTTPClient(&http.Client{Transport: transport}),
		hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: 1}),
	}, opts...)...)
	require.NoError(t, err)
	return c
}

func TestConnectionResetAfterTheRequestIsUnknown(t *testing.T) {
	for method, call := range methodCalls {
		baseURL, connections := apitest.Listen(t, func(conn *net.TCPConn) {
			if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
			}
			_ = conn.SetLinger(0) // Close sends a reset.
			_ = conn.Close()
		})
		failure := apitest.RequireError(t, method, call(t.Context(), realClient(t, baseURL)))
		want, outcome := allAttempts, hiring.OutcomeUnknown
		switch method {
		case "POST", "PUT":
			want = 1
		case "GET":
			outcome = ""
		}
		assert.Equal(t, want, failure.Attempts, "%s", method)
		assert.Equal(t, want, int(connections.Load()), "%s: requests that the server saw", method)
		assert.Equal(t, outcome, failure.Outcome, "%s", method)
	}
}

func TestTruncatedBodyOverTheWire(t *testing.T) {
	for name, reply := range map[string]string{
		"by length":  "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"data\":{\"id\":\"x",
		"by chunks":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{\"data\":{",
		"by closing": "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"data\":{",
	} {
		baseURL, connections := apitest.Listen(t, func(conn *net.TCPConn) {
			if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
			}
			_, _ = io.WriteString(conn, reply)
			_ = conn.Close()
		})
		client := realClient(t, baseURL)
		_, err := client.Account.Get(t.Context())
		failure := apitest.RequireError(t, "GET "+name, err)
		assert.Equal(t, [2]int{200, allAttempts}, [2]int{failure.Status, failure.Attempts}, "GET %s", name)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "GET %s", name)
		_, err = client.Assessments.Close(t.Context(), "a")
		failure = apitest.RequireError(t, "PATCH "+name, err)
		assert.Equal(t, hiring.OutcomeDone, failure.Outcome, "PATCH %s", name)
		assert.Equal(t, int32(5), connections.Load(), "%s: requests", name)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var travelled atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { travelled.Add(1) }))
	t.Cleanup(other.Close)
	for _, location := range []string{other.URL + "/api/v1/account", "/elsewhere", "", "http://[::1", "%zz"} {
		for _, status := range []int{300, 301, 302, 303, 304, 307, 308} {
			var served atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				served.Add(1)
				if location != "" {
					w.Header()["Location"] = []string{location}
				}
				w.WriteHeader(status)
			}))
			for method, call := range methodCalls {
				err := call(t.Context(), realClient(t, server.URL))
				failure := apitest.RequireError(t, method, err)
				assert.Equal(t, [2]int{status, 1}, [2]int{failure.Status, failure.Attempts}, "%s %d to %q", method, status, location)
				require.ErrorContains(t, err, "redirects", "%s %d to %q", method, status, location)
				assert.NotContains(t, err.Error(), "http", "%s %d to %q", method, status, location)
				if method != "GET" {
					assert.Equal(t, hiring.OutcomeNotDone, failure.Outcome, "%s %d to %q", method, status, location)
				}
			}
			assert.Equal(t, int32(len(methodCalls)), served.Load(), "%d to %q: requests", status, location)
			server.Close()
		}
	}
	assert.Zero(t, travelled.Load(), "requests at the other server")
}

func TestRedirectWithAnEnvelopeIsStillARedirect(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.Respond(307, `{"error":{"code":"NOT_FOUND","message":"moved"}}`, "Location: https://elsewhere.test"))
	_, err := fake.Client().Account.Get(t.Context())
	require.ErrorContains(t, err, "redirects")
}

func TestConnectionsAreReusedAcrossCallsAndFailures(t *testing.T) {
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = io.WriteString(w, `{"data":{"id":"x"},"meta":{}}`)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := realClient(t, server.URL, hiring.WithTimeout(time.Minute))
	variant, err := client.With(hiring.WithUserAgent("x/1"))
	require.NoError(t, err)
	for range 5 {
		_, err := client.Account.Get(t.Context())
		require.NoError(t, err)
		require.Error(t, variant.Assessments.Delete(t.Context(), "a"))
	}
	assert.Equal(t, int32(1), connections.Load())
}
