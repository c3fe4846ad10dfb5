package wire_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/wire"
)

// eachTransport runs a handler with every transport.
func eachTransport(t *testing.T, h http.HandlerFunc, test func(t *testing.T, client *http.Client, base string)) {
	t.Run("transport", func(t *testing.T) {
		test(t, &http.Client{Transport: wire.Transport{Handler: h}}, "http://sandbox.invalid")
	})
	t.Run("loopback", func(t *testing.T) {
		l, err := wire.NewLoopback(h)
		require.NoError(t, err)
		t.Cleanup(l.Close)
		test(t, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, l.URL)
	})
}

func TestDropResetsTheConnection(t *testing.T) {
	eachTransport(t, func(w http.ResponseWriter, _ *http.Request) { wire.Drop(w) }, func(t *testing.T, client *http.Client, base string) {
		_, err := client.Do(request(t, http.MethodPost, base, strings.NewReader("x")))
		require.ErrorIs(t, err, syscall.ECONNRESET)
	})
}

func TestCutBodyEndsTooEarly(t *testing.T) {
	for _, c := range []struct {
		after int
		want  string
	}{{-1, ""}, {0, ""}, {2, "ab"}, {3, "abc"}, {4, "abc"}, {9, "abc"}} {
		eachTransport(t, func(w http.ResponseWriter, _ *http.Request) {
			out := wire.Cut(w, c.after)
			out.Header().Set("Content-Length", "4")
			out.WriteHeader(http.StatusOK)
			_, _ = io.WriteString(out, "ab")
			_, _ = io.WriteString(out, "cd")
		}, func(t *testing.T, client *http.Client, base string) {
			res, err := client.Do(request(t, http.MethodGet, base, nil))
			require.NoError(t, err)
			text, err := io.ReadAll(res.Body)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			assert.Equal(t, c.want, string(text))
			require.NoError(t, res.Body.Close())
		})
	}
}

func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		assert.True(t, wire.Wait(t.Context(), time.Hour))
		assert.Equal(t, time.Hour, time.Since(start))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		assert.True(t, wire.Wait(ctx, 0))
		assert.False(t, wire.Wait(ctx, time.Hour))
		assert.Equal(t, time.Hour+time.Minute, time.Since(start))
		assert.False(t, wire.Wait(ctx, 0), "it ended before")
	})
}

func TestAClosedListenerAcceptsNoConnection(t *testing.T) {
	l, err := wire.NewLoopback(http.NotFoundHandler())
	require.NoError(t, err)
	l.Close()
	_, err = (&http.Client{Transport: &http.Transport{}}).Do(request(t, http.MethodGet, l.URL, nil))
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
}
