package hiring

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const accountBody = `{"data":{"id":"org_1"},"meta":{"request_id":"req_1"}}`

// path is a network path to a server. It can drop the connections that exist without a sign to either end.
type path struct {
	net.Listener
	server string

	mu      sync.Mutex
	dropped *atomic.Bool // Of the connections that exist.
	opened  int
}

func (p *path) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dropped.Store(true)
	p.dropped = new(atomic.Bool)
}

func (p *path) serve() {
	for {
		client, err := p.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			return
		}
		p.mu.Lock()
		p.opened++
		dropped := p.dropped
		p.mu.Unlock()
		forward := func(to, from net.Conn) {
			defer func() { _ = to.Close() }()
			buffer := make([]byte, 4<<10)
			for {
				n, err := from.Read(buffer)
				if err != nil {
					return
				}
				if !dropped.Load() {
					_, _ = to.Write(buffer[:n])
				}
			}
		}
		go forward(server, client)
		go forward(client, server)
	}
}

func TestDeadHTTP2ConnectionIsNoticed(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, 2, r.ProtoMajor)
		_, _ = io.WriteString(w, accountBody)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	to := &path{Listener: listener, server: server.Listener.Addr().String(), dropped: new(atomic.Bool)}
	go to.serve()

	transport := withPings(server.Client().Transport.(*http.Transport), 50*time.Millisecond, 50*time.Millisecond)
	defer transport.CloseIdleConnections()
	client, err := New("https://"+listener.Addr().String(), "sk_test_x", WithTimeout(0),
		WithHTTPClient(&http.Client{Transport: transport}), WithRetry(RetryPolicy{BaseBackoff: 1}))
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err = client.Account.Get(ctx)
	require.NoError(t, err)
	to.drop()
	_, err = client.Account.Get(ctx)
	require.NoError(t, err, "with a new connection")
	to.mu.Lock()
	defer to.mu.Unlock()
	assert.Equal(t, 2, to.opened)
}

func TestPingsKeepOtherSettings(t *testing.T) {
	given := &http.HTTP2Config{PingTimeout: 3 * time.Second, MaxConcurrentStreams: 7}
	own := withPings(&http.Transport{HTTP2: given}, 15*time.Second, 15*time.Second)
	assert.Equal(t, &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 3 * time.Second, MaxConcurrentStreams: 7}, own.HTTP2)
	assert.Equal(t, &http.HTTP2Config{PingTimeout: 3 * time.Second, MaxConcurrentStreams: 7}, given, "the transport of the program")
}

// Not parallel: it replaces http.DefaultTransport.
func TestDefaultTransport(t *testing.T) {
	var received atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		received.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	mock := httpmock.NewMockTransport()
	mock.RegisterResponder(http.MethodGet, server.URL+"/api/v1/account", httpmock.NewStringResponder(200, accountBody))
	replaceAfterFirst := WithObserver(func(_ context.Context, e Exchange) {
		if e.Attempt == 1 {
			http.DefaultTransport = mock
		}
	})
	original := http.DefaultTransport
	defer func() { http.DefaultTransport = original }()

	for name, option := range map[string]Option{"no client": nil, "a client without a transport": WithHTTPClient(&http.Client{})} {
		http.DefaultTransport = original
		client, err := New(server.URL, "sk_test_x", replaceAfterFirst, WithRetry(RetryPolicy{BaseBackoff: 1}), option)
		require.NoError(t, err)
		own, ok := client.core.transport().(*http.Transport)
		require.True(t, ok, name)
		assert.NotSame(t, original, own, name)
		assert.Equal(t, &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second}, own.HTTP2, name)
		other, err := New(server.URL, "sk_test_y")
		require.NoError(t, err)
		assert.Same(t, own, other.core.transport(), "%s: one transport for all clients", name)
		unchanged := original.(*http.Transport).HTTP2 // Go 1.27 sets it to the zero value.
		assert.True(t, unchanged == nil || unchanged.SendPingTimeout == 0, name)

		received.Store(0)
		_, err = client.Account.Get(t.Context())
		require.NoError(t, err, name)
		assert.Equal(t, int64(1), received.Load(), "%s: a request of before the replacement", name)
		_, err = other.Account.Get(t.Context())
		require.NoError(t, err, name)
		assert.Equal(t, int64(1), received.Load(), "%s: a mocked test sends nothing", name)

		http.DefaultTransport = original.(*http.Transport).Clone()
		assert.Same(t, http.DefaultTransport, other.core.transport(), "%s: a replacement of the same type is used as it is", name)
	}
}
