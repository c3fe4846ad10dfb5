package client_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// proxyServer accepts connections, passes each to answer, and counts them.
func proxyServer(t *testing.T, answer func(net.Conn)) (address string, connections *atomic.Int32) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	connections = new(atomic.Int32)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			answer(conn)
			_ = conn.Close()
		}
	}()
	return listener.Addr().String(), connections
}

// connectWith answers a CONNECT with a status line.
func connectWith(status string) func(net.Conn) {
	return func(conn net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			_, _ = io.WriteString(conn, "HTTP/1.1 "+status+"\r\nContent-Length: 0\r\n\r\n")
		}
	}
}

// A proxy that refuses a connection is final, for reads and writes alike, and is named.
func TestRefusalsOfAProxyAreFinal(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(net.Conn)
		final  bool
		text   string
	}{
		"CONNECT 403":     {connectWith("403 Forbidden"), true, "Forbidden"},
		"CONNECT 407":     {connectWith("407 Proxy Authentication Required"), true, "Proxy Authentication Required"},
		"CONNECT 503":     {connectWith("503 Service Unavailable"), false, "no response"},
		"CONNECT, closed": {func(net.Conn) {}, false, "no response"},
	} {
		address, connections := proxyServer(t, c.answer)
		proxy := &url.URL{Scheme: "http", User: url.UserPassword("ada", "swordfish"), Host: address}
		client, err := hiring.New("https://hiring.example.com", apitest.Key,
			hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 2, BaseBackoff: 1, MaxBackoff: 1}),
			hiring.WithHTTPClient(&http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}))
		require.NoError(t, err)
		for method, call := range methodCalls {
			connections.Store(0)
			err := call(t.Context(), client)
			failure := apitest.RequireError(t, name, err)
			require.ErrorContains(t, err, c.text, "%s: %s", name, method)
			assert.NotContains(t, err.Error(), "swordfish", name)
			assert.Equal(t, !c.final, hiring.IsTransient(err), "%s: %s: %v", name, method, err)
			if method != "GET" {
				assert.Equal(t, hiring.OutcomeNotDone, failure.Outcome, "%s: %s", name, method)
			}
			want := 2
			if c.final {
				want = 1
				require.ErrorContains(t, err, "the proxy "+address+" refused the connection", "%s: %s", name, method)
				assert.Equal(t, "the proxy is set by the Proxy of the transport", failure.Hint, name)
			}
			assert.Equal(t, want, failure.Attempts, "%s: %s: %v", name, method, err)
			assert.GreaterOrEqual(t, int(connections.Load()), want, "%s: %s", name, method)
		}
	}
}

func TestUnusableTLSIsFinal(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = quietLog()
	secure.StartTLS()
	t.Cleanup(secure.Close)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	for text, baseURL := range map[string]string{
		"the certificate of 127.0.0.1": secure.URL,
		"speaks plain http, not https: correct the scheme or the port of the base URL": strings.Replace(plain.URL, "http:", "https:", 1),
	} {
		client, err := hiring.New(baseURL, apitest.Key, hiring.WithHTTPClient(&http.Client{Transport: &http.Transport{}}))
		require.NoError(t, err)
		for method, call := range methodCalls {
			err := call(t.Context(), client)
			failure := apitest.RequireError(t, method, err)
			assert.Equal(t, 1, failure.Attempts, method)
			assert.False(t, hiring.IsTransient(err), method)
			require.ErrorContains(t, err, text, method)
			assert.Equal(t, strings.Contains(text, "plain http"), errors.Is(err, http.ErrSchemeMismatch), method)
			if method != "GET" {
				assert.Equal(t, hiring.OutcomeNotDone, failure.Outcome, method)
			}
		}
	}
}

// A password that is not percent-encoded makes another host of the proxy. The variables are read once in a process.
func TestProxyThatCannotBeResolved(t *testing.T) {
	const password = "pa55word"
	unresolved := func(proxy func(*http.Request) (*url.URL, error)) hiring.Option {
		return hiring.WithHTTPClient(&http.Client{Transport: &http.Transport{Proxy: proxy, DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
			host, _, _ := net.SplitHostPort(address)
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
		}}})
	}
	if os.Getenv("HTTPS_PROXY") != "" && strings.Contains(os.Getenv("HTTPS_PROXY"), password) { // In the process below.
		client, err := hiring.New("https://hiring.example.com", apitest.Key, apitest.NoRetry, unresolved(http.ProxyFromEnvironment))
		require.NoError(t, err)
		_, err = client.Account.Get(t.Context())
		fmt.Println(err)
		return
	}
	for _, after := range []string{"#", "/", "?"} {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestProxyThatCannotBeResolved$")
		again.Env = append(os.Environ(), "HTTPS_PROXY=http://user:"+password+after+"ss@proxy.example.com:3128", "NO_PROXY=")
		out, err := again.CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Contains(t, string(out), `the name of the proxy http: cannot be resolved`)
		assert.Contains(t, string(out), "the proxy is set by HTTPS_PROXY, where a user and a password must be percent-encoded")
		assert.NotContains(t, string(out), password)
		assert.NotContains(t, string(out), "base URL")
	}
	proxy := &url.URL{Scheme: "http", User: url.UserPassword("user", password), Host: "proxy.invalid:3128"}
	client, err := hiring.New("https://hiring.example.com", apitest.Key, apitest.NoRetry, unresolved(http.ProxyURL(proxy)))
	require.NoError(t, err)
	_, err = client.Account.Get(t.Context())
	require.ErrorContains(t, err, "the name of the proxy proxy.invalid:3128 cannot be resolved")
	require.ErrorContains(t, err, "the proxy is set by the Proxy of the transport")
	assert.NotContains(t, err.Error(), password)
}

// A server that wants a client certificate, or has no version or cipher in common, refuses each handshake. With TLS 1.3 its
// alert arrives after the request was written.
func TestRefusedHandshakesAreFinal(t *testing.T) {
	for name, c := range map[string]struct {
		server *tls.Config
		client *tls.Config
		alert  string
	}{
		"no certificate, TLS 1.3": {&tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS13}, &tls.Config{}, "certificate required"},
		"no certificate, TLS 1.2": {&tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}, &tls.Config{}, "handshake failure"},
		"no common version":       {&tls.Config{MinVersion: tls.VersionTLS13}, &tls.Config{MaxVersion: tls.VersionTLS12}, "protocol version not supported"},
		"no common cipher": {
			&tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384}},
			&tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256}}, "handshake failure",
		},
	} {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Config.ErrorLog = quietLog()
		server.TLS = c.server
		server.StartTLS()
		t.Cleanup(server.Close)
		c.client.InsecureSkipVerify = true
		for method, call := range methodCalls {
			transport := &http.Transport{TLSClientConfig: c.client.Clone()}
			client, err := hiring.New(server.URL, apitest.Key, hiring.WithHTTPClient(&http.Client{Transport: transport}))
			require.NoError(t, err)
			failure := apitest.RequireError(t, name, call(t.Context(), client))
			assert.Equal(t, 1, failure.Attempts, "%s: %s: %v", name, method, failure)
			assert.False(t, hiring.IsTransient(failure), "%s: %s", name, method)
			require.ErrorContains(t, failure, "the server refused the TLS handshake: remote error: tls: "+c.alert, "%s: %s", name, method)
			if method != "GET" {
				assert.Equal(t, hiring.OutcomeNotDone, failure.Outcome, "%s: %s", name, method)
			}
		}
	}
}

// An alert proves nothing on a connection that was used before, or with another number. A transport that reports no
// connection leaves the outcome of a write unknown.
func TestAlertsThatProveNothing(t *testing.T) {
	alert := func(number uint8) error { return &net.OpError{Op: "remote error", Err: tls.AlertError(number)} }
	on := func(reused bool, err error) apitest.Responder {
		return func(r *http.Request) (*http.Response, error) {
			trace := httptrace.ContextClientTrace(r.Context())
			trace.GetConn("")
			trace.GotConn(httptrace.GotConnInfo{Reused: reused})
			return nil, err
		}
	}
	for name, c := range map[string]struct {
		answer  apitest.Responder
		read    int // Attempts.
		outcome hiring.Outcome
	}{
		"new connection":        {on(false, alert(42)), 1, hiring.OutcomeNotDone},
		"used connection":       {on(true, alert(42)), allAttempts, hiring.OutcomeUnknown},
		"internal error":        {on(false, alert(80)), allAttempts, hiring.OutcomeUnknown},
		"reset":                 {on(false, &net.OpError{Op: "read", Err: apitest.ErrReset}), allAttempts, hiring.OutcomeUnknown},
		"not reported":          {apitest.Fail(alert(116)), 1, hiring.OutcomeUnknown},
		"not reported, untyped": {apitest.Fail(&net.OpError{Op: "remote error", Err: errors.New("tls: certificate required")}), 1, hiring.OutcomeUnknown},
		"not reported, bare":    {apitest.Fail(tls.AlertError(116)), 1, hiring.OutcomeUnknown},
	} {
		synctest.Test(t, func(t *testing.T) {
			server := apitest.NewScriptedServer(t, c.answer)
			failure := apitest.RequireError(t, name, methodCalls["POST"](t.Context(), server.Client()))
			assert.Equal(t, c.outcome, failure.Outcome, name)
			assert.Equal(t, 1, failure.Attempts, name)
			failure = apitest.RequireError(t, name, methodCalls["GET"](t.Context(), server.Client()))
			assert.Equal(t, c.read, failure.Attempts, name)
		})
	}
}

// A gateway that is set up anew does not end a wait.
func TestAlertWithinAWaitIsAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reload := apitest.Fail(tls.AlertError(48))
		server := apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"s","report":{"evaluated":false}}`), reload, reload, reload,
			apitest.RespondData(`{"id":"s","report":{"evaluated":true,"ship_score":7}}`))
		report, err := server.Client().Submissions.WaitReport(t.Context(), "s", hiring.WaitOptions{})
		require.NoError(t, err)
		assert.True(t, report.Ready())
		_, err = apitest.NewScriptedServer(t, reload).Client().Submissions.WaitReport(t.Context(), "s", hiring.WaitOptions{})
		require.ErrorContains(t, err, "unknown certificate authority")
	})
}
