package client_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

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

// socksWith answers the greeting of a SOCKS client, and its request if there is a second answer.
func socksWith(answers ...[]byte) func(net.Conn) {
	return func(conn net.Conn) {
		for _, answer := range answers {
			_, _ = conn.Read(make([]byte, 300))
			_, _ = conn.Write(answer)
		}
	}
}

// A proxy that refuses a connection is final, for reads and writes alike, and is named.
func TestRefusalsOfAProxyAreFinal(t *testing.T) {
	reply := func(code byte) []byte { return []byte{5, code, 0, 1, 0, 0, 0, 0, 0, 0} }
	for name, c := range map[string]struct {
		scheme string
		answer func(net.Conn)
		final  bool
		text   string
	}{
		"CONNECT 403":              {"http", connectWith("403 Forbidden"), true, "Forbidden"},
		"CONNECT 407":              {"http", connectWith("407 Proxy Authentication Required"), true, "Proxy Authentication Required"},
		"CONNECT 503":              {"http", connectWith("503 Service Unavailable"), false, "no response"},
		"CONNECT, closed":          {"http", func(net.Conn) {}, false, "no response"},
		"SOCKS without a method":   {"socks5", socksWith([]byte{5, 0xff}), true, "no acceptable authentication methods"},
		"SOCKS by a rule":          {"socks5", socksWith([]byte{5, 0}, reply(2)), true, "connection not allowed by ruleset"},
		"SOCKS, host unreachable":  {"socks5", socksWith([]byte{5, 0}, reply(4)), false, "no response"},
		"SOCKS, closed after that": {"socks5", socksWith([]byte{5, 0}), false, "no response"},
	} {
		address, connections := proxyServer(t, c.answer)
		proxy := &url.URL{Scheme: c.scheme, User: url.UserPassword("ada", "swordfish"), Host: address}
		if c.scheme == "socks5" {
			proxy.User = nil
		}
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
				assert.Equal(t, "the proxy is set by HTTPS_PROXY or by the Proxy of the transport", failure.Hint, name)
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
			if method != "GET" {
				assert.Equal(t, hiring.OutcomeNotDone, failure.Outcome, method)
			}
		}
	}
}
