package doors_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRepliesOnTheirWayOut(t *testing.T) {
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
	} {
		t.Run(name, func(t *testing.T) {
			bothDoors(t, test.handle, func(t *testing.T, rt http.RoundTripper, base string) {
				res, err := rt.RoundTrip(request(t, test.method, base, nil))
				require.NoError(t, err)
				text, err := io.ReadAll(res.Body)
				require.NoError(t, err)
				require.NoError(t, res.Body.Close())
				assert.Equal(t, []any{test.status, test.length, test.body}, []any{res.StatusCode, res.ContentLength, string(text)})
				assert.NotContains(t, res.Header, "X-Late")
			})
		})
	}
}
