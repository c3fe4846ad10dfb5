package sandbox_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// download requests an archive without a key, as a client does.
func (d transport) download(t *testing.T, method, path string) outcome {
	t.Helper()
	d.client.CloseIdleConnections() // net/http may retry a reset of a reused connection.
	r, err := http.NewRequestWithContext(t.Context(), method, d.base+path, http.NoBody)
	require.NoError(t, err)
	res, err := d.client.Do(r)
	if err != nil {
		return outcome{err: err}
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	return outcome{res.StatusCode, string(raw), err, res.Header}
}

func TestFaultsOfArchives(t *testing.T) {
	l := liveWorld()
	t.Cleanup(l.s.Close)
	s, id := l.s, l.handedIn(t)
	link, err := url.Parse(l.link(t, id))
	require.NoError(t, err)
	path := link.RequestURI()
	for _, d := range transports(t, s) {
		whole := d.download(t, http.MethodGet, path)
		require.NoError(t, whole.err)
		require.Equal(t, 200, whole.status)
		for _, c := range []struct {
			fault  sandbox.Fault
			status int
			err    error
			body   string
		}{
			{sandbox.Fault{Status: 503, RetryAfter: time.Second}, 503, nil, "Service Unavailable\n"},
			{sandbox.Fault{Code: hiring.ErrNotFound}, 404, nil, "Not Found\n"},
			{sandbox.Fault{Status: 403, Body: "<Error/>", ContentType: "application/xml"}, 403, nil, "<Error/>"},
			{sandbox.Fault{Status: 302}, 302, nil, ""},
			{sandbox.Fault{Reset: true}, 0, syscall.ECONNRESET, ""},
			{sandbox.Fault{After: true}, 0, syscall.ECONNRESET, ""},
			{sandbox.Fault{CutAfter: 40_000}, 200, io.ErrUnexpectedEOF, whole.body[:40_000]},
			{sandbox.Fault{CutAfter: 1 << 30}, 200, io.ErrUnexpectedEOF, whole.body[:len(whole.body)-1]},
			{sandbox.Fault{CutAfter: -1}, 200, io.ErrUnexpectedEOF, ""},
			{sandbox.Fault{Delay: time.Millisecond}, 200, nil, whole.body},
		} {
			c.fault.Route = "GET /_archive/{id}"
			s.Inject(c.fault)
			got := d.download(t, http.MethodGet, path)
			assert.Equal(t, c.status, got.status, "%s: %v", d.name, c.fault)
			require.ErrorIs(t, got.err, c.err, "%s: %v", d.name, c.fault)
			assert.Equal(t, c.body, got.body, "%s: %v", d.name, c.fault)
			entry, err := s.Journal().Find("GET", "/_archive/{id}")
			require.NoError(t, err)
			assert.Equal(t, []any{c.status, "/_archive/" + id, ""}, []any{entry.Status, entry.Path, entry.Key})
		}
		s.Inject(sandbox.Fault{Route: "GET /_archive/{id}", CutAfter: 5})
		require.ErrorIs(t, d.download(t, http.MethodHead, path).err, syscall.ECONNRESET, d.name)
		assert.Equal(t, 403, d.download(t, http.MethodGet, strings.Replace(path, "signature=", "signature=x", 1)).status)
		assert.Equal(t, 403, s.Journal()[len(s.Journal())-1].Status)
	}
}
