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

// way is what was seen of the way to the service: by watching the first request
// that travels, not by requests of its own.
type way struct {
	base   *url.URL
	proxy  string // Host of the proxy that requests go through; empty: none.
	server string // Host and port that was asked.

	mu        sync.Mutex // The transport tells from goroutines of its own.
	looked    bool       // The transport tells at all: one in memory does not.
	addresses []string   // Of the server, or of the proxy.
	lookupErr error
	dialed    string // The address that a connection was made to.
	dialErr   error
	shook     bool // Hands, for TLS.
	tls       tls.ConnectionState
	tlsErr    error
}

func newWay(c Config) *way {
	base, err := url.Parse(c.BaseURL)
	if err != nil {
		base = new(url.URL) // The client refuses it with better words.
	}
	return &way{base: base, proxy: proxyOf(c.HTTP, base)}
}

// proxyOf asks the transport what it would ask itself. Of a transport of another
// make nothing is known.
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
	return proxy.Host // Never its user info.
}

// watch lets the transport tell the way how it travels.
func (w *way) watch(ctx context.Context) context.Context {
	note := func(do func()) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.looked = true
		do()
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSDone: func(info httptrace.DNSDoneInfo) {
			note(func() {
				w.lookupErr, w.addresses = info.Err, nil
				for _, address := range info.Addrs {
					w.addresses = append(w.addresses, address.String())
				}
			})
		},
		ConnectDone: func(_, address string, err error) {
			note(func() {
				if err == nil {
					w.dialed, w.dialErr = address, nil
				} else if w.dialed == "" {
					w.dialErr = err
				}
			})
		},
		TLSHandshakeDone: func(state tls.ConnectionState, err error) {
			note(func() { w.shook, w.tls, w.tlsErr = true, state, err })
		},
	})
}

// closed tells that there is a proxy, and that it is as far as requests come.
func (w *way) closed(a answer) bool {
	return a.status == 0 && w.proxy != "" && w.dialed != "" && !w.shook
}

// secure tells whether the service is asked over TLS.
func (w *way) secure() bool { return strings.EqualFold(w.base.Scheme, "https") }
