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
	"testing/iotest"

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

func TestServerReceivesTheRequestAsOverAWire(t *testing.T) {
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
		r := request(t, "", base+"/a%2Fb/../c?x=1#fragment", nil)
		r.Body, r.ContentLength, r.Method = b, 5, http.MethodPost
		r.Header = http.Header{"x-lower": {" padded "}, "Host": {"ignored"}, "Content-Length": {"99"}, "X-Two": {"1", "2"}}
		res, err := rt.RoundTrip(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())

		host := strings.TrimPrefix(base, "http://")
		assert.Equal(t, "/a%2Fb/../c?x=1", got.RequestURI)
		assert.Equal(t, []any{"", "", "x=1", ""}, []any{got.URL.Scheme, got.URL.Host, got.URL.RawQuery, got.URL.Fragment})
		assert.Equal(t, host, got.Host)
		assert.Regexp(t, `^127\.0\.0\.1:\d+$`, got.RemoteAddr)
		assert.Equal(t, []any{"HTTP/1.1", 1, 1, "POST"}, []any{got.Proto, got.ProtoMajor, got.ProtoMinor, got.Method})
		assert.Equal(t, "hello", string(read))
		assert.Equal(t, int64(5), got.ContentLength)
		assert.Equal(t, []string{"padded"}, got.Header["X-Lower"])
		assert.Equal(t, []string{"1", "2"}, got.Header["X-Two"])
		assert.Equal(t, []string{"5"}, got.Header["Content-Length"])
		assert.Equal(t, "Go-http-client/1.1", got.UserAgent())
		assert.NotContains(t, got.Header, "Host")
		assert.Nil(t, got.TLS)

		assert.NotContains(t, r.Header, "X-Handler")
		assert.Equal(t, "/a/b/../c", r.URL.Path)
		if _, own := rt.(wire.Transport); own {
			assert.Equal(t, int32(1), b.closed.Load())
		}
		assert.Same(t, r, res.Request)
		assert.Equal(t, "418 I'm a teapot", res.Status)
		assert.Equal(t, []any{"HTTP/1.1", 1, 1}, []any{res.Proto, res.ProtoMajor, res.ProtoMinor})
		assert.Equal(t, int64(0), res.ContentLength)
	})
}

func TestBodiesOnTheirWayIn(t *testing.T) {
	var got *http.Request
	var read []byte
	var readErr error
	handler := func(_ http.ResponseWriter, r *http.Request) {
		got = r
		read, readErr = io.ReadAll(r.Body)
	}
	bothTransports(t, handler, func(t *testing.T, rt http.RoundTripper, base string) {
		send := func(method string, b io.Reader, length int64) error {
			r := request(t, method, base, nil)
			if b != nil {
				r.Body, r.ContentLength = io.NopCloser(b), length
			}
			r.Header.Set("User-Agent", "")
			res, err := rt.RoundTrip(r)
			if err == nil {
				err = res.Body.Close()
			}
			return err
		}
		require.NoError(t, send(http.MethodPost, strings.NewReader("chunks"), -1))
		assert.Equal(t, []any{"chunks", int64(-1), []string{"chunked"}}, []any{string(read), got.ContentLength, got.TransferEncoding})
		assert.NotContains(t, got.Header, "User-Agent", "an empty one is not sent")
		require.NoError(t, send(http.MethodGet, nil, 0))
		assert.NotNil(t, got.Body)
		assert.Empty(t, read)
		assert.Equal(t, int64(0), got.ContentLength)
	})
	rt := wire.Transport{Handler: http.HandlerFunc(handler)}
	r := request(t, http.MethodPost, "http://x", nil)
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader("much too long")), 4
	res, err := rt.RoundTrip(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, "much", string(read))
	for _, in := range []io.Reader{iotest.DataErrReader(strings.NewReader("short")), iotest.OneByteReader(strings.NewReader("short"))} {
		r.Body, r.ContentLength = io.NopCloser(in), 5
		res, err = rt.RoundTrip(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.NoError(t, readErr)
		assert.Equal(t, "short", string(read))
	}
	for _, announced := range []int64{6, 40} {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader("short")), announced
		res, err = rt.RoundTrip(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.ErrorIs(t, readErr, io.ErrUnexpectedEOF)
	}
	r.Method, r.Body, r.Host, r.URL.Scheme = "", nil, "other.test", "https"
	res, err = rt.RoundTrip(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, "GET other.test", got.Method+" "+got.Host)
	assert.NotNil(t, got.TLS)
}

func TestRequestsThatNeverLeave(t *testing.T) {
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the handler was called") })
	for name, spoil := range map[string]func(*http.Request){
		"no URL":          func(r *http.Request) { r.URL = nil },
		"scheme":          func(r *http.Request) { r.URL.Scheme = "ftp" },
		"no host":         func(r *http.Request) { r.URL.Host = "" },
		"no header":       func(r *http.Request) { r.Header = nil },
		"method":          func(r *http.Request) { r.Method = "GE T" },
		"method's end":    func(r *http.Request) { r.Method = "GET\x7f" },
		"header value":    func(r *http.Request) { r.Header.Set("Authorization", "Bearer a\r\nX: y") },
		"opaque URL":      func(r *http.Request) { r.URL = &url.URL{Scheme: "http", Host: "x", Opaque: "no-slash"} },
		"context is over": func(r *http.Request) { *r = *r.WithContext(ended(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			b := &body{Reader: strings.NewReader("x")}
			r := request(t, http.MethodPost, "http://x", nil)
			r.Body, r.ContentLength = b, 1
			spoil(r)
			_, err := wire.Transport{Handler: handler}.RoundTrip(r)
			require.Error(t, err)
			assert.Equal(t, int32(1), b.closed.Load(), "a RoundTripper closes the body, errors included")
		})
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
	_, err = res.Body.Read(p)
	require.ErrorIs(t, err, http.ErrBodyReadAfterClose)
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
		"less than announced":     func(w http.ResponseWriter, _ *http.Request) { announced(w, "some") },
		"nothing of what it said": func(w http.ResponseWriter, _ *http.Request) { announced(w, "") },
	} {
		t.Run(name, func(t *testing.T) {
			bothTransports(t, h, func(t *testing.T, rt http.RoundTripper, base string) {
				res, err := rt.RoundTrip(request(t, http.MethodGet, base, nil))
				require.NoError(t, err)
				text, err := io.ReadAll(res.Body)
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				assert.True(t, string(text) == "some" || strings.HasPrefix(name, "nothing") && len(text) == 0, "%s", text)
				require.NoError(t, res.Body.Close())
			})
		})
	}
	_, err := wire.Transport{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("oops") })}.RoundTrip(request(t, http.MethodGet, "http://x", nil))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.ErrorContains(t, err, "oops")
}
