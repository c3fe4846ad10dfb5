package wire_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestResponsesOnTheirWayOut(t *testing.T) {
	for name, test := range map[string]struct {
		method string
		handle http.HandlerFunc
		status int
		length int64
		body   string
	}{
		"nothing": {"GET", func(http.ResponseWriter, *http.Request) {}, 200, 0, ""},
		"only a body": {"GET", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "ab")
			w.Header().Set("X-Late", "yes")
			w.WriteHeader(http.StatusTeapot)
		}, 200, 2, "ab"},
		"early hints": {"GET", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusProcessing)
			w.WriteHeader(http.StatusCreated)
		}, 201, 0, ""},
		"head": {"HEAD", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "2")
			_, _ = io.WriteString(w, "ab")
		}, 200, 2, ""},
		"no content": {"GET", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNoContent)
			_, err := io.WriteString(w, "ab")
			assert.ErrorIs(t, err, http.ErrBodyNotAllowed)
		}, 204, 0, ""},
		"more than announced": {"GET", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "2")
			_, _ = io.WriteString(w, "ab")
			_, err := io.WriteString(w, "c")
			assert.ErrorIs(t, err, http.ErrContentLength)
		}, 200, 2, "ab"},
		"more than the nothing announced": {"GET", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "0")
			_, err := io.WriteString(w, "c")
			assert.ErrorIs(t, err, http.ErrContentLength)
		}, 200, 0, ""},
		"as much as net/http holds back": {"GET", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("a", 2048))
		}, 200, 2048, strings.Repeat("a", 2048)},
		"more, in chunks": {"GET", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("a", 2049))
		}, 200, -1, strings.Repeat("a", 2049)},
		"flushed first": {"GET", func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			w.Header().Set("X-Late", "yes")
			_, _ = io.WriteString(w, "ab")
		}, 200, -1, "ab"},
	} {
		t.Run(name, func(t *testing.T) {
			bothTransports(t, test.handle, func(t *testing.T, rt http.RoundTripper, base string) {
				res, err := rt.RoundTrip(request(t, test.method, base, nil))
				require.NoError(t, err)
				text, err := io.ReadAll(res.Body)
				require.NoError(t, err)
				require.NoError(t, res.Body.Close())
				assert.Equal(t, []any{test.status, test.length, test.body}, []any{res.StatusCode, res.ContentLength, string(text)})
				assert.Equal(t, test.body == "", res.Body == http.NoBody)
				assert.Equal(t, test.length >= 0 && test.status != http.StatusNoContent, len(res.Header["Content-Length"]) == 1, "%v", res.Header)
				assert.NotContains(t, res.Header, "X-Late")
			})
		})
	}
}
