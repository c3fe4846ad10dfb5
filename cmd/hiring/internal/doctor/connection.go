package doctor

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
)

// connection is what is known of the connection to the server. The trace of the requests
// fills it; it needs no requests of its own.
type connection struct {
	base   *url.URL
	proxy  string // Host of the proxy; empty when there is none.
	server string // Host and port of the server.

	mu            sync.Mutex // The transport calls the trace in its own goroutines.
	addresses     []string   // Of the server or the proxy.
	lookupErr     error
	dialed        string // The address of the established connection.
	dialErr       error
	handshakeDone bool // The TLS handshake has ended.
	tls           tls.ConnectionState
	tlsErr        error
}

func newConnection(c Config) *connection {
	base, err := url.Parse(c.BaseURL)
	if err != nil {
		base = new(url.URL) // hiring.New rejects it with a better text.
	}
	return &connection{base: base, proxy: proxyOf(c.HTTP, base)}
}

// proxyOf returns the proxy that the transport will use, or "". Only an *http.Transport
// has a known proxy.
func proxyOf(client *http.Client, base *url.URL) string {
	transport := http.DefaultTransport
	if client != nil && client.Transport != nil {
		transport = client.Transport
	}
	known, ok := transport.(*http.Transport)
	if !ok || known.Proxy == nil {
		return ""
	}
	proxy, err := known.Proxy(&http.Request{URL: base, Header: http.Header{}})
	if err != nil || proxy == nil {
		return ""
	}
	return proxy.Host // Without user info.
}

// withTrace returns a context whose requests record how they connect.
func (conn *connection) withTrace(ctx context.Context) context.Context {
	note := func(do func()) {
		conn.mu.Lock()
		defer conn.mu.Unlock()
		do()
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSDone: func(info httptrace.DNSDoneInfo) {
			note(func() {
				conn.lookupErr, conn.addresses = info.Err, nil
				for _, address := range info.Addrs {
					conn.addresses = append(conn.addresses, address.String())
				}
			})
		},
		ConnectDone: func(_, address string, err error) {
			note(func() {
				if err == nil {
					conn.dialed, conn.dialErr = address, nil
				} else if conn.dialed == "" {
					conn.dialErr = err
				}
			})
		},
		TLSHandshakeDone: func(state tls.ConnectionState, err error) {
			note(func() { conn.handshakeDone, conn.tls, conn.tlsErr = true, state, err })
		},
	})
}

// refusedByProxy reports whether a proxy accepted the connection but did not connect to
// the server.
func (conn *connection) refusedByProxy(r reply) bool {
	return r.StatusCode == 0 && conn.proxy != "" && conn.dialed != "" && !conn.handshakeDone
}

// secure reports whether the base URL has https.
func (conn *connection) secure() bool { return strings.EqualFold(conn.base.Scheme, "https") }
