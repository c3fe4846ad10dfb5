package wire_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/wire"
)

type body struct {
	io.Reader
	closed atomic.Int32 // net/http may close a body after RoundTrip has returned.
}

func (b *body) Close() error {
	b.closed.Add(1)
	return nil
}

// bothTransports runs a handler with the transport and with a real server, and calls the test
// with the RoundTripper and base URL of each.
func bothTransports(t *testing.T, h http.HandlerFunc, test func(t *testing.T, rt http.RoundTripper, base string)) {
	t.Run("transport", func(t *testing.T) { test(t, wire.Transport{Handler: h}, "http://sandbox.invalid:8080") })
	t.Run("wire", func(t *testing.T) {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		wire := &http.Transport{DisableKeepAlives: true}
		test(t, wire, server.URL)
	})
}

func request(t *testing.T, method, url string, b io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, b)
	require.NoError(t, err)
	return r
}

// TestTheHandlerReceivesACopy checks the fields that a server sets, too.
func TestTheHandlerReceivesACopy(t *testing.T) {
	var got *http.Request
	var read []byte
	handler := func(w http.ResponseWriter, r *http.Request) {
		got = r
		read, _ = io.ReadAll(r.Body)
		r.Header.Set("X-Handler", "was here")
		r.URL.Path = "/changed"
		w.WriteHeader(http.StatusTeapot)
	}
	bothTransports(t, handler, func(t *testing.T, rt http.RoundTripper, base string) {
		b := &body{Reader: strings.NewReader("hello")}
		r := request(t, http.MethodPost, base+"/a%2Fb/../c?x=1#fragment", b)
		r.Header.Set("X-One", "1")
		res, err := rt.RoundTrip(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())

		assert.Equal(t, "/a%2Fb/../c?x=1", got.RequestURI)
		assert.Equal(t, []any{"", "", "x=1", ""}, []any{got.URL.Scheme, got.URL.Host, got.URL.RawQuery, got.URL.Fragment})
		assert.Equal(t, strings.TrimPrefix(base, "http://"), got.Host)
		assert.Regexp(t, `^127\.0\.0\.1:\d+$`, got.RemoteAddr)
		assert.Equal(t, []any{"HTTP/1.1", "POST", "hello", "1"}, []any{got.Proto, got.Method, string(read), got.Header.Get("X-One")})

		assert.NotContains(t, r.Header, "X-Handler")
		assert.Equal(t, "/a/b/../c", r.URL.Path)
		if _, own := rt.(wire.Transport); own {
			assert.NotZero(t, b.closed.Load())
		}
		assert.Same(t, r, res.Request)
		assert.Equal(t, "418 I'm a teapot", res.Status)

		r = request(t, "", base, nil)
		r.Host = "other.test"
		res, err = rt.RoundTrip(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, "GET other.test", got.Method+" "+got.Host)
		assert.NotNil(t, got.Body)
	})
	_, err := wire.Transport{Handler: http.HandlerFunc(handler)}.RoundTrip(request(t, http.MethodGet, "https://x", nil))
	require.NoError(t, err)
	assert.NotNil(t, got.TLS)
}

func TestRequestsThatNeverLeave(t *testing.T) {
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the handler was called") })
	for name, spoil := range map[string]func(*http.Request){
		"opaque URL":      func(r *http.Request) { r.URL = &url.URL{Scheme: "http", Host: "x", Opaque: "no-slash"} },
		"context is over": func(r *http.Request) { *r = *r.WithContext(ended(t)) },
	} {
		b := &body{Reader: strings.NewReader("x")}
		r := request(t, http.MethodPost, "http://x", b)
		spoil(r)
		_, err := wire.Transport{Handler: handler}.RoundTrip(r)
		require.Error(t, err, name)
		assert.Equal(t, int32(1), b.closed.Load(), "a RoundTripper closes the body, errors included")
	}
}

var errEnough = errors.New("enough")

func ended(t *testing.T) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errEnough)
	return ctx
}

func TestTheEndOfTheContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	r := request(t, http.MethodGet, "http://x", nil).WithContext(ctx)
	_, err := wire.Transport{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel(errEnough) })}.RoundTrip(r)
	require.ErrorIs(t, err, errEnough, "it ended while the handler worked")

	ctx, cancel = context.WithCancelCause(t.Context())
	r = r.WithContext(ctx)
	res, err := wire.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ab") })}.RoundTrip(r)
	require.NoError(t, err)
	p := make([]byte, 1)
	n, err := res.Body.Read(p)
	require.NoError(t, err)
	assert.Equal(t, "a", string(p[:n]))
	cancel(errEnough)
	_, err = res.Body.Read(p)
	require.ErrorIs(t, err, errEnough)
	require.NoError(t, res.Body.Close())
}

func TestTheEndOfTheContextFreesAStuckBody(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	pipe, sender := io.Pipe()
	r := request(t, http.MethodPost, "http://x", pipe).WithContext(ctx)
	go func() {
		_, _ = sender.Write([]byte("{"))
		cancel()
	}()
	handler := func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }
	_, err := wire.Transport{Handler: http.HandlerFunc(handler)}.RoundTrip(r)
	require.ErrorIs(t, err, context.Canceled)
}

func TestHandlersThatGiveUp(t *testing.T) {
	announced := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, text)
	}
	for name, h := range map[string]http.HandlerFunc{
		"aborts":        func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"after writing": func(w http.ResponseWriter, _ *http.Request) { announced(w, "some"); panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			bothTransports(t, h, func(t *testing.T, rt http.RoundTripper, base string) {
				_, err := rt.RoundTrip(request(t, http.MethodGet, base, nil))
				require.Error(t, err)
			})
		})
	}
	for name, h := range map[string]http.HandlerFunc{
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			announced(w, "some")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		},
		"cut without a length": func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			_, _ = io.WriteString(w, "some")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bothTransports(t, h, func(t *testing.T, rt http.RoundTripper, base string) {
				res, err := rt.RoundTrip(request(t, http.MethodGet, base, nil))
				require.NoError(t, err)
				text, err := io.ReadAll(res.Body)
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				assert.Equal(t, "some", string(text))
				require.NoError(t, res.Body.Close())
			})
		})
	}
	_, err := wire.Transport{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("oops") })}.RoundTrip(request(t, http.MethodGet, "http://x", nil))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.ErrorContains(t, err, "oops")
}
