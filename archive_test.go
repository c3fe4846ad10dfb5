package hiring_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const archiveRoute = "GET /_archive/{id}"

// handedIn returns a submission of the live world that has an archive.
func handedIn(t *testing.T, server *sandbox.Server) string {
	t.Helper()
	client := server.LiveClient()
	challenge, err := client.Challenges.List().PageSize(1).Page(t.Context())
	require.NoError(t, err)
	assessment, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: challenge.Items[0].ID, Name: "n"})
	require.NoError(t, err)
	invitation, err := client.Invitations.Send(t.Context(), assessment.ID, hiring.NewInvitation{Email: "a@example.com", Name: "A"})
	require.NoError(t, err)
	id, err := server.Begin(invitation.ID)
	require.NoError(t, err)
	require.NoError(t, server.Submit(id))
	return id
}

// exchanges of storage, without those of the service.
type exchanges struct{ seen []hiring.Exchange }

func (e *exchanges) option() hiring.Option {
	return hiring.WithObserver(func(_ context.Context, x hiring.Exchange) {
		if x.Route == "archive" {
			e.seen = append(e.seen, x)
		}
	})
}

func (e *exchanges) statuses() []int {
	var all []int
	for _, x := range e.seen {
		all = append(all, x.Status)
	}
	return all
}

func TestDownloadArchive(t *testing.T) {
	for name, faults := range map[string][]sandbox.Fault{
		"undisturbed":    nil,
		"cut once":       {{CutAfter: 5000}},
		"cut often":      {{CutAfter: 5000}, {CutAfter: 1}, {CutAfter: 40000}, {CutAfter: 1}, {CutAfter: 1}, {CutAfter: 20000}},
		"reset at first": {{Reset: true}, {Reset: true}, {CutAfter: 5000}, {Reset: true}},
		"overload":       {{Status: 503}, {CutAfter: 100}, {Status: 500}, {Status: 429, RetryAfter: 5 * time.Second}},
		"stalls":         {{Delay: time.Hour}},
	} {
		synctest.Test(t, func(t *testing.T) {
			server := sandbox.Start(t)
			id := handedIn(t, server)
			for _, f := range faults {
				f.Route = archiveRoute
				server.Inject(f)
			}
			var storage exchanges
			client := server.LiveClient(storage.option())
			var content bytes.Buffer
			n, err := client.Submissions.DownloadArchive(t.Context(), id, &content)
			require.NoError(t, err, "%s", name)
			assert.Equal(t, int64(content.Len()), n, "%s", name)
			files, err := zip.NewReader(bytes.NewReader(content.Bytes()), n)
			require.NoError(t, err, "%s: what was pieced together is whole", name)
			for _, f := range files.File {
				r, err := f.Open()
				require.NoError(t, err)
				_, err = io.Copy(io.Discard, r)
				require.NoError(t, err, "%s: %s", name, f.Name)
			}
			require.Len(t, storage.seen, len(faults)+1, "%s: one Exchange an attempt", name)
			for i, e := range storage.seen {
				last := i == len(faults)
				assert.Equal(t, "Submissions.DownloadArchive", e.Operation, "%s", name)
				assert.Equal(t, [2]string{http.MethodGet, "archive"}, [2]string{e.Method, e.Route}, "%s", name)
				assert.Equal(t, i+1, e.Attempt, "%s", name)
				assert.Equal(t, last, e.Err == nil, "%s: attempt %d: %v", name, i+1, e.Err)
				assert.Equal(t, last, e.Wait == 0, "%s: the pause after attempt %d", name, i+1)
				assert.Zero(t, e.RateLimit, "%s", name)
			}
			for _, e := range server.Journal() {
				if e.Route == "/_archive/{id}" {
					assert.Empty(t, e.Key, "%s: the key stays with the service", name)
				}
			}
		})
	}
}

func TestArchiveLinkThatExpiredIsRenewedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := sandbox.Start(t)
		id := handedIn(t, server)
		// The link expires while the storage is silent after the first bytes.
		server.Inject(sandbox.Fault{Route: archiveRoute, CutAfter: 3000})
		var storage exchanges
		client := server.LiveClient(storage.option(), hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
			if e.Route == "archive" && e.Attempt == 1 {
				server.Advance(61 * time.Minute)
			}
		}))
		var content bytes.Buffer
		n, err := client.Submissions.DownloadArchive(t.Context(), id, &content)
		require.NoError(t, err)
		_, err = zip.NewReader(bytes.NewReader(content.Bytes()), n)
		require.NoError(t, err)
		assert.Equal(t, []int{200, 403, 206}, storage.statuses())
		assert.Zero(t, storage.seen[1].Wait, "a fresh link is asked for at once")
	})
}

func TestArchiveLinkThatIsAlwaysRefused(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 410} {
		server := sandbox.Start(t)
		id := handedIn(t, server)
		server.Inject(sandbox.Fault{Route: archiveRoute, Status: status, Times: -1})
		before := len(server.Journal())
		n, err := server.LiveClient().Submissions.DownloadArchive(t.Context(), id, io.Discard)
		assert.Zero(t, n, "%d", status)
		failure := failureOf(t, "DownloadArchive", err)
		assert.Equal(t, [2]int{status, 2}, [2]int{failure.Status, failure.Attempts})
		require.EqualError(t, err, fmt.Sprintf("hiring: Submissions.DownloadArchive: %d the storage refuses the link, after 0 bytes; 2 attempts were made", status))
		assert.Len(t, server.Journal()[before:], 4, "%d: two links, each asked once", status)
	}
}

func TestNoArchive(t *testing.T) {
	server := sandbox.Start(t)
	n, err := server.Client().Submissions.DownloadArchive(t.Context(), sandbox.SubmissionID, io.Discard)
	require.ErrorIs(t, err, hiring.ErrNoArchive)
	assert.Zero(t, n)
	_, err = server.Client().Submissions.DownloadArchive(t.Context(), sandbox.UnknownID, io.Discard)
	require.ErrorIs(t, err, hiring.ErrNotFound)
	_, err = server.Client().Submissions.DownloadArchive(t.Context(), sandbox.SubmissionID, nil)
	require.ErrorIs(t, err, hiring.ErrInvalidInput)
}

const (
	storageLink = "https://storage.test/archives/7.zip?signature=s3cr3t"
	archived    = "0123456789abcdefghijklmnopqrstuvwxyz"
)

// hostile is a service whose links lead to a storage that does as it likes.
type hostile struct {
	*fakeService

	link    string
	storage []answer
	asked   []*http.Request
}

func newHostile(t *testing.T, storage ...answer) *hostile {
	t.Helper()
	h := &hostile{link: storageLink, storage: storage}
	h.fakeService = newFake(t, func(r *http.Request) (*http.Response, error) {
		return data(`{"id":"s","workspace_archive_url":` + strconv.Quote(h.link) + `}`)(r)
	})
	return h
}

func (h *hostile) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasPrefix(r.URL.String(), fakeURL) {
		return h.fakeService.RoundTrip(r)
	}
	h.asked = append(h.asked, r)
	return h.storage[min(len(h.asked), len(h.storage))-1](r)
}

func (h *hostile) client(opts ...hiring.Option) *hiring.Client {
	return h.fakeService.client(append([]hiring.Option{hiring.WithHTTPClient(&http.Client{Transport: h})}, opts...)...)
}

// file is one that goes on from byte first, and breaks off with err unless that
// is nil.
func file(status, first, end int, err error, headers ...string) answer {
	return func(r *http.Request) (*http.Response, error) {
		var body io.Reader = strings.NewReader(archived[first:end])
		if err != nil {
			body = io.MultiReader(body, failingReader{err})
		}
		resp := replyOf(r, status, io.NopCloser(body), headers...)
		if status == http.StatusOK {
			resp.ContentLength = int64(len(archived))
		}
		return resp, nil
	}
}

// endless is a file of a length that is not told, and breaks off.
func endless(end int) answer {
	return func(r *http.Request) (*http.Response, error) {
		resp, err := file(200, 0, end, errReset, tag)(r)
		resp.ContentLength = -1
		return resp, err
	}
}

const (
	tag    = `ETag: "v1"`
	dated  = "Last-Modified: Sat, 01 Jan 2000 00:00:00 GMT"
	ranged = "Content-Range: bytes 10-35/36"
)

func TestHostileStorage(t *testing.T) {
	const whole = len(archived)
	begun := file(200, 0, 10, errReset, tag)
	transient := []string{
		"a long story", "no validator", "weak tag", "501", "endless 5xx", "endless 5xx in between", "Retry-After too long",
		"no progress", "never answers", "stalls", "error with the link", "nothing at all",
	}
	for name, c := range map[string]struct {
		storage  []answer
		written  int
		attempts int
		err      string // Empty: the archive is whole.
	}{
		"goes on":                  {[]answer{begun, file(206, 10, whole, nil, ranged, tag)}, whole, 2, ""},
		"goes on without a tag":    {[]answer{begun, file(206, 10, whole, nil, ranged)}, whole, 2, ""},
		"goes on by date":          {[]answer{file(200, 0, 10, errReset, dated), file(206, 10, whole, nil, ranged)}, whole, 2, ""},
		"weak tag and date":        {[]answer{file(200, 0, 10, errReset, `ETag: W/"v1"`, dated), file(206, 10, whole, nil, ranged)}, whole, 2, ""},
		"goes on in parts":         {[]answer{begun, file(206, 10, 20, nil, "Content-Range: bytes 10-19/36"), file(206, 20, whole, nil, "Content-Range: bytes 20-35/36")}, whole, 3, ""},
		"total untold":             {[]answer{begun, file(206, 10, whole, nil, "Content-Range: bytes 10-35/*")}, whole, 2, ""},
		"part of untold total":     {[]answer{begun, file(206, 10, 20, nil, "Content-Range: bytes 10-19/*"), file(206, 20, whole, nil, "Content-Range: bytes 20-35/36")}, whole, 3, ""},
		"total never told":         {[]answer{endless(10), file(206, 10, 12, nil, "Content-Range: bytes 10-35/*"), file(206, 12, whole, nil, "Content-Range: bytes 12-35/*")}, whole, 3, ""},
		"a long story":             {[]answer{breaks(errors.New(strings.Repeat("x\n", 9999)))}, 0, 4, "broke off"},
		"part ends early":          {[]answer{begun, file(206, 10, 12, nil, ranged), file(206, 12, whole, nil, "Content-Range: bytes 12-35/36")}, whole, 3, ""},
		"ends early without error": {[]answer{file(200, 0, 10, nil, tag), file(206, 10, whole, nil, ranged)}, whole, 2, ""},
		"nothing is missing":       {[]answer{file(200, 0, whole, errReset, tag), says(416, "", "Content-Range: bytes */36")}, whole, 2, ""},
		"no validator":             {[]answer{file(200, 0, 10, errReset)}, 10, 1, "the download broke off, and the storage gives nothing to go on by: connection reset by peer, after 10 bytes"},
		"weak tag":                 {[]answer{file(200, 0, 10, errReset, `ETag: W/"v1"`)}, 10, 1, "gives nothing to go on by"},
		"200 to a range":           {[]answer{begun, file(200, 0, whole, nil, `ETag: "v2"`)}, 10, 2, "the archive changed, or the storage cannot go on where a download broke off, after 10 bytes"},
		"another place":            {[]answer{begun, file(206, 11, whole, nil, "Content-Range: bytes 11-35/36")}, 10, 2, "another range than asked for"},
		"from the beginning":       {[]answer{begun, file(206, 0, whole, nil, "Content-Range: bytes 0-35/36")}, 10, 2, "another range than asked for"},
		"no Content-Range":         {[]answer{begun, file(206, 10, whole, nil)}, 10, 2, "another range than asked for"},
		"wrong unit":               {[]answer{begun, file(206, 10, whole, nil, "Content-Range: pages 10-35/36")}, 10, 2, "another range than asked for"},
		"impossible range":         {[]answer{begun, file(206, 10, whole, nil, "Content-Range: bytes 10-35/36/x")}, 10, 2, "another range than asked for"},
		"another total":            {[]answer{begun, file(206, 10, whole, nil, "Content-Range: bytes 10-35/99")}, 10, 2, "the archive changed"},
		"another tag":              {[]answer{begun, file(206, 10, whole, nil, ranged, `ETag: "v2"`)}, 10, 2, "the archive changed"},
		"416 of another length":    {[]answer{begun, says(416, "", "Content-Range: bytes */5")}, 10, 2, "the archive changed"},
		"more than announced":      {[]answer{begun, file(206, 10, whole, nil, "Content-Range: bytes 10-12/36")}, 10, 2, "more than it announced"},
		"206 unasked":              {[]answer{file(206, 0, whole, nil, "Content-Range: bytes 0-35/36")}, 0, 1, "neither the archive nor a known error"},
		"204":                      {[]answer{says(204, "")}, 0, 1, "neither the archive nor a known error"},
		"redirect":                 {[]answer{says(302, "", "Location: https://moved.test/"+fakeKey)}, 0, 1, "302 the storage redirects elsewhere, which is not followed"},
		"501":                      {[]answer{says(501, "")}, 0, 1, "501 the storage answered with neither"},
		"endless 5xx":              {[]answer{says(503, "<html>")}, 0, 4, "503 the download broke off, after 0 bytes"},
		"endless 5xx in between":   {[]answer{begun, says(500, "")}, 10, 4, "500 the download broke off, after 10 bytes"},
		"Retry-After too long":     {[]answer{says(503, "", "Retry-After: 3600")}, 0, 1, "retry after 1h0m0s"},
		"no progress":              {[]answer{begun, file(206, 10, 10, errReset, ranged)}, 10, 4, "broke off: connection reset by peer"},
		"never answers":            {[]answer{hangs()}, 0, 4, "nothing came for 30s: context deadline exceeded, after 0 bytes; see WithTimeout"},
		"stalls":                   {[]answer{stalls(200, "abc")}, 3, 1, "gives nothing to go on by: nothing came for 30s: context deadline exceeded, after 3 bytes; see WithTimeout"},
		"untrusted":                {[]answer{breaks(&tls.CertificateVerificationError{Err: errors.New("unknown authority")})}, 0, 1, "unknown authority"},
		"error with the link":      {[]answer{breaks(&url.Error{Op: "Get", URL: storageLink, Err: errors.New("/archives/7.zip?signature=s3cr3t")})}, 0, 4, "the link"},
		"nothing at all":           {[]answer{func(*http.Request) (*http.Response, error) { return nil, nil }}, 0, 4, "neither a reply nor an error"},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newHostile(t, c.storage...)
			var storage exchanges
			var log bytes.Buffer
			client := h.client(storage.option(), hiring.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
			var content bytes.Buffer
			n, err := client.Submissions.DownloadArchive(t.Context(), "s", &content)
			assert.Equal(t, int64(c.written), n, "%s", name)
			assert.Len(t, h.asked, c.attempts, "%s: requests", name)
			assert.Len(t, storage.seen, c.attempts, "%s: exchanges", name)
			assert.Len(t, h.requests(), 1, "%s: reads", name)
			if strings.HasPrefix(content.String(), "0") {
				assert.Equal(t, archived[:c.written], content.String(), "%s: nothing wrong is written", name)
			}
			if c.err == "" {
				require.NoError(t, err, "%s", name)
				return
			}
			require.ErrorContains(t, err, c.err, "%s", name)
			assert.Equal(t, slices.Contains(transient, name), hiring.IsTransient(err), "%s: IsTransient", name)
			assert.Less(t, len(err.Error()), 600, "%s: the text is short", name)
			failure := failureOf(t, name, err)
			assert.Equal(t, c.attempts, failure.Attempts, "%s", name)
			assert.Equal(t, [2]string{"GET", "archive"}, [2]string{failure.Method, failure.Route}, "%s", name)
			assert.Empty(t, failure.Outcome, "%s", name)
			for i := range storage.seen { // Who was asked is no secret; what for is one.
				assert.Equal(t, "storage.test:443", storage.seen[i].Server, "%s", name)
				storage.seen[i].Server = ""
			}
			for what, text := range map[string]string{"error": err.Error(), "log": log.String(), "exchanges": fmt.Sprintf("%+v", storage.seen)} {
				for _, secret := range []string{"s3cr3t", "storage.test", "moved.test", "51HxQ9"} {
					assert.NotContains(t, text, secret, "%s: %s", name, what)
				}
			}
		})
	}
}

func TestArchiveRequestsCarryNothingOfTheService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHostile(t, file(200, 0, 10, errReset, tag), file(206, 10, len(archived), nil, append(quotaHeaders, ranged, "Set-Cookie: spy=1")...))
		jar, err := cookiejar.New(nil)
		require.NoError(t, err)
		u, err := url.Parse(storageLink)
		require.NoError(t, err)
		jar.SetCookies(u, []*http.Cookie{{Name: "session", Value: "7"}})
		client := h.client(hiring.WithHTTPClient(&http.Client{Transport: h, Jar: jar}), hiring.WithUserAgent("acme/1"))
		_, err = client.Submissions.DownloadArchive(t.Context(), "s", io.Discard)
		require.NoError(t, err)
		agent := h.asked[0].Header["User-Agent"]
		assert.Contains(t, agent[0], "acme/1 hiring-go/")
		assert.Equal(t, http.Header{"User-Agent": agent, "Accept-Encoding": {"identity"}}, h.asked[0].Header)
		assert.Equal(t, http.Header{"User-Agent": agent, "Accept-Encoding": {"identity"}, "Range": {"bytes=10-"}, "If-Range": {`"v1"`}}, h.asked[1].Header)
		assert.Equal(t, storageLink, h.asked[0].URL.String())
		assert.Zero(t, client.Quota(), "another host's headers teach nothing")
		assert.Len(t, jar.Cookies(u), 1, "nor does it leave cookies")
	})
}

func TestStoragesRefusalsHoldNothingBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHostile(t, says(429, "", append(quotaHeaders, "Retry-After: 50")...))
		client := h.client(once)
		_, err := client.Submissions.DownloadArchive(t.Context(), "s", io.Discard)
		assert.Equal(t, 50*time.Second, failureOf(t, "DownloadArchive", err).RetryAfter)
		require.NotErrorIs(t, err, hiring.ErrRateLimited, "it is not the service's")
		begun := time.Now()
		require.NoError(t, read(t.Context(), client))
		assert.Zero(t, time.Since(begun))
	})
}

func TestArchiveLinksThatAreNotFollowed(t *testing.T) {
	for link, follow := range map[string]bool{
		"https://storage.test/x?s3cr3t": true, "http://127.0.0.1:1/x?s3cr3t": true, "http://localhost/x?s3cr3t": true, "http://[::1]/x?s3cr3t": true,
		"http://storage.test/x?s3cr3t": false, "http://10.0.0.1/x?s3cr3t": false, "ftp://storage.test/x?s3cr3t": false, "file:///s3cr3t": false,
		"/x?s3cr3t": false, "//storage.test/s3cr3t": false, "s3cr3t": false, "": false, "https:///s3cr3t": false, "https://%zz/s3cr3t": false,
	} {
		h := newHostile(t, file(200, 0, len(archived), nil))
		h.link = link
		n, err := h.client().Submissions.DownloadArchive(t.Context(), "s", io.Discard)
		if follow {
			require.NoError(t, err, "%q", link)
			continue
		}
		assert.Zero(t, n, "%q", link)
		assert.Empty(t, h.asked, "%q: nothing is asked", link)
		require.ErrorContains(t, err, "not https", "%q", link)
		assert.NotContains(t, err.Error(), "s3cr3t", "%q", link)
	}
}

// drip sends a byte each interval.
type drip struct {
	bytes    int
	interval time.Duration
}

func (d *drip) Read(p []byte) (int, error) {
	if d.bytes == 0 {
		return 0, io.EOF
	}
	d.bytes--
	<-time.After(d.interval)
	p[0] = 'x'
	return 1, nil
}

func (d *drip) Close() error { return nil }

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestArchiveIsBoundedBySilenceNotByLength(t *testing.T) {
	dripping := func(interval time.Duration) answer {
		return func(r *http.Request) (*http.Response, error) {
			return replyOf(r, 200, &drip{1000, interval}, tag), nil
		}
	}
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		n, err := newHostile(t, dripping(29*time.Second)).client().Submissions.DownloadArchive(t.Context(), "s", io.Discard)
		require.NoError(t, err)
		assert.Equal(t, int64(1000), n)
		assert.Equal(t, 29000*time.Second, time.Since(begun))
	})
	synctest.Test(t, func(t *testing.T) {
		slow := writerFunc(func(p []byte) (int, error) {
			<-time.After(time.Hour)
			return len(p), nil
		})
		n, err := newHostile(t, file(200, 0, len(archived), nil)).client(hiring.WithTimeout(time.Second)).Submissions.DownloadArchive(t.Context(), "s", slow)
		require.NoError(t, err, "a slow writer is no silence of the storage")
		assert.Equal(t, int64(len(archived)), n)
	})
	synctest.Test(t, func(t *testing.T) {
		slow := writerFunc(func(p []byte) (int, error) {
			<-time.After(time.Hour)
			return len(p), nil
		})
		begun := time.Now()
		client := newHostile(t, stalls(200, "abc")).client(hiring.WithTimeout(time.Second))
		n, err := client.Submissions.DownloadArchive(t.Context(), "s", slow)
		require.ErrorIs(t, err, context.DeadlineExceeded, "silence after a slow writer is noticed")
		assert.Equal(t, int64(3), n)
		assert.Equal(t, time.Hour+time.Second, time.Since(begun))
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		begun := time.Now()
		_, err := newHostile(t, stalls(200, "abc")).client(hiring.WithTimeout(0)).Submissions.DownloadArchive(ctx, "s", io.Discard)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 24*time.Hour, time.Since(begun), "0 is no bound")
	})
}

func TestArchiveWriterThatFails(t *testing.T) {
	full := errors.New("no space left")
	for name, c := range map[string]struct {
		writer  writerFunc
		written int64
		cause   error
	}{
		"fails":      {func([]byte) (int, error) { return 0, full }, 0, full},
		"in part":    {func([]byte) (int, error) { return 7, full }, 7, full},
		"short":      {func([]byte) (int, error) { return 7, nil }, 7, io.ErrShortWrite},
		"impossible": {func(p []byte) (int, error) { return len(p) + 1, nil }, 0, nil},
		"negative":   {func([]byte) (int, error) { return -1, nil }, 0, nil},
	} {
		h := newHostile(t, file(200, 0, len(archived), nil, tag))
		n, err := h.client().Submissions.DownloadArchive(t.Context(), "s", c.writer)
		require.ErrorContains(t, err, "the writer failed", "%s", name)
		if c.cause != nil {
			require.ErrorIs(t, err, c.cause, "%s", name)
		}
		assert.False(t, hiring.IsTransient(err), "%s", name)
		assert.Equal(t, c.written, n, "%s", name)
		assert.Len(t, h.asked, 1, "%s: not repeated", name)
	}
}

func TestArchiveAndTheEndOfTheContext(t *testing.T) {
	reason := errors.New("shutting down")
	slowRead := func(r *http.Request) (*http.Response, error) {
		return replyOf(r, 200, &drip{1000, 2 * time.Second}, tag), nil
	}
	for name, c := range map[string]struct {
		storage answer
		written int64
		most    int
	}{
		"waiting for the reply": {hangs(), 0, 1},
		"within the body":       {stalls(200, "abc"), 3, 1},
		"between bytes":         {slowRead, 2, 1},
		"in a pause":            {says(503, "", "Retry-After: 60"), 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newHostile(t, c.storage)
			ctx, cancel := context.WithCancelCause(t.Context())
			begun := time.Now()
			time.AfterFunc(3*time.Second, func() { cancel(reason) })
			var storage exchanges
			n, err := h.client(storage.option()).Submissions.DownloadArchive(ctx, "s", io.Discard)
			require.ErrorIs(t, err, context.Canceled, "%s", name)
			require.ErrorIs(t, err, reason, "%s", name)
			assert.Equal(t, 1, strings.Count(err.Error(), "shutting down"), "%s: said once: %v", name, err)
			assert.Equal(t, c.written, n, "%s", name)
			assert.LessOrEqual(t, time.Since(begun), 4*time.Second, "%s", name)
			assert.Len(t, h.asked, c.most, "%s", name)
			assert.Equal(t, name == "in a pause", storage.seen[0].Wait > 0, "%s: Exchange.Wait", name)
		})
	}
}

// TestArchiveOverTheWire goes through net/http's own transport, where lengths
// and breaks are real.
func TestArchiveOverTheWire(t *testing.T) {
	server := sandbox.Start(t)
	id := handedIn(t, server)
	server.Inject(sandbox.Fault{Route: archiveRoute, CutAfter: 5000})
	server.Inject(sandbox.Fault{Route: archiveRoute, Reset: true})
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client, err := hiring.New(server.URL(), sandbox.LiveKey, hiring.WithHTTPClient(&http.Client{Transport: transport}),
		hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: 1}))
	require.NoError(t, err)
	var content bytes.Buffer
	n, err := client.Submissions.DownloadArchive(t.Context(), id, &content)
	require.NoError(t, err)
	_, err = zip.NewReader(bytes.NewReader(content.Bytes()), n)
	require.NoError(t, err)

	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	h := newHostile(t, func(r *http.Request) (*http.Response, error) { return transport.RoundTrip(r) })
	h.link = "http://" + l.Addr().String() + "/x?s3cr3t"
	_, err = h.client(hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: 1})).Submissions.DownloadArchive(t.Context(), "s", io.Discard)
	require.ErrorContains(t, err, "refused")
	assert.NotContains(t, err.Error(), "s3cr3t")
}
