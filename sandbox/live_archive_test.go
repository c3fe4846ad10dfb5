package sandbox_test

import (
	"archive/zip"
	"bytes"
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

// fetch requests a link unchanged.
func fetch(t *testing.T, d transport, method, link string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, link, http.NoBody)
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := d.client.Do(r)
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	for name := range res.Header {
		assert.NotContains(t, name, "Ratelimit")
		assert.NotEqual(t, "X-Request-Id", name)
	}
	return res, body
}

func (l live) link(t *testing.T, submission string) string {
	t.Helper()
	return into[object](t, l.get(t, "/submissions/"+submission))["workspace_archive_url"].(string)
}

func (l live) handedIn(t *testing.T) string {
	t.Helper()
	id := l.begin(t, l.invite(t, l.assess(t), "a@example.test"))
	require.NoError(t, l.s.Submit(id))
	return id
}

func TestArchives(t *testing.T) {
	for i, name := range []string{"transport", "url"} {
		t.Run(name, func(t *testing.T) {
			l := liveWorld(at(noon))
			t.Cleanup(l.s.Close)
			l.transport = transports(t, l.s)[i]
			id := l.handedIn(t)
			link := l.link(t, id)
			assert.True(t, strings.HasPrefix(link, l.base+"/_archive/"+id+"?expires="), link)
			res, whole := fetch(t, l.transport, http.MethodGet, link)
			assert.Equal(t, 200, res.StatusCode)
			assert.Equal(t, []string{"bytes", "application/zip", "Tue, 10 Mar 2026 12:00:00 GMT", "Tue, 10 Mar 2026 12:00:00 GMT"}, []string{
				res.Header.Get("Accept-Ranges"), res.Header.Get("Content-Type"), res.Header.Get("Last-Modified"), res.Header.Get("Date")})
			etag := res.Header.Get("ETag")
			assert.Regexp(t, `^"[0-9a-f]{32}"$`, etag)
			checkZip(t, whole, id)

			res, part := fetch(t, l.transport, http.MethodGet, link, "Range", "bytes=1000-", "If-Range", etag)
			assert.Equal(t, 206, res.StatusCode)
			assert.Equal(t, whole[1000:], part)
			res, part = fetch(t, l.transport, http.MethodGet, l.link(t, id), "Range", "bytes=10-19")
			assert.Equal(t, 206, res.StatusCode)
			assert.Equal(t, whole[10:20], part)
			res, part = fetch(t, l.transport, http.MethodGet, link, "Range", "bytes=1000-", "If-Range", `"other"`)
			assert.Equal(t, 200, res.StatusCode)
			assert.Equal(t, whole, part)
			res, _ = fetch(t, l.transport, http.MethodGet, link, "Range", "bytes=9000000-")
			assert.Equal(t, 416, res.StatusCode)
			res, _ = fetch(t, l.transport, http.MethodGet, link, "If-None-Match", etag)
			assert.Equal(t, 304, res.StatusCode)
			res, part = fetch(t, l.transport, http.MethodHead, link)
			assert.Equal(t, []any{200, int64(len(whole)), 0}, []any{res.StatusCode, res.ContentLength, len(part)})
		})
	}
}

func checkZip(t *testing.T, content []byte, id string) {
	t.Helper()
	files, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	require.Len(t, files.File, 2)
	readme, err := files.File[0].Open()
	require.NoError(t, err)
	text, err := io.ReadAll(readme)
	require.NoError(t, err)
	assert.Contains(t, string(text), id)
}

func TestArchiveLinksExpireAndCannotBeMadeUp(t *testing.T) {
	now := noon
	l := liveWorld(sandbox.WithClock(func() time.Time { return now }))
	id, other := l.handedIn(t), l.handedIn(t)
	link := l.link(t, id)
	refused := func(link string) string {
		res, body := fetch(t, l.transport, http.MethodGet, link)
		assert.Equal(t, 403, res.StatusCode, link)
		return string(body)
	}
	parsed, err := url.Parse(link)
	require.NoError(t, err)
	for _, name := range []string{"expires", "signature"} {
		query := parsed.Query()
		for _, value := range []string{"", "x", "9999999999999", query.Get(name) + "0", "0" + query.Get(name)} {
			query.Set(name, value)
			assert.Contains(t, refused(l.base+parsed.Path+"?"+query.Encode()), "signature")
		}
	}
	refused(l.base + parsed.Path)
	refused(strings.Replace(link, id, other, 1))
	refused(strings.Replace(link, id, "..", 1))
	now = now.Add(time.Hour - time.Millisecond)
	res, _ := fetch(t, l.transport, http.MethodGet, link)
	assert.Equal(t, 200, res.StatusCode)
	now = now.Add(time.Millisecond)
	assert.Contains(t, refused(link), "expired")
	res, _ = fetch(t, l.transport, http.MethodGet, l.link(t, id))
	assert.Equal(t, 200, res.StatusCode)
	elsewhere := liveWorld(at(noon))
	res, _ = fetch(t, elsewhere.transport, http.MethodGet, link)
	assert.Equal(t, 404, res.StatusCode)
}

func TestOnlySubmittedAttemptsHaveAnArchive(t *testing.T) {
	l := liveWorld()
	begun := l.begin(t, l.invite(t, l.assess(t), "a@example.test"))
	s, _ := l.submission(t, begun)
	assert.True(t, s.null("workspace_archive_url"))
	require.NoError(t, l.s.Evaluate(begun, sandbox.Result{}))
	res, whole := fetch(t, l.transport, http.MethodGet, l.link(t, begun))
	assert.Equal(t, 200, res.StatusCode)
	_, remaining, _ := limitsOf(t, l.get(t, "/account"))
	fetch(t, l.transport, http.MethodGet, l.link(t, begun))
	_, after, _ := limitsOf(t, l.get(t, "/account"))
	assert.Equal(t, remaining-2, after, "a download costs nothing")
	for _, item := range into[[]object](t, l.get(t, "/submissions")) {
		_, listed := fetch(t, l.transport, http.MethodGet, item["workspace_archive_url"].(string))
		assert.Equal(t, whole, listed)
	}
}

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
