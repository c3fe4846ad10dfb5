package client_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const archiveRoute = "GET /_archive/{id}"

// handedIn returns a submission of jo@example.com that has an archive.
func handedIn(t *testing.T, server *sandbox.Server, assessment string) string {
	t.Helper()
	invitation, err := server.Invite(assessment, "jo@example.com", "Jo")
	require.NoError(t, err)
	id, err := server.Begin(invitation)
	require.NoError(t, err)
	require.NoError(t, server.Submit(id))
	return id
}

// exchanges returns the exchanges with the storage, without those with the API.
type exchanges struct{ seen []hiring.Exchange }

func (e *exchanges) option() hiring.Option {
	return hiring.WithObserver(func(_ context.Context, x hiring.Exchange) {
		if x.Route == "archive" {
			e.seen = append(e.seen, x)
		}
	})
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
			id := handedIn(t, server, server.AddAssessment("n"))
			for _, f := range faults {
				f.Route = archiveRoute
				server.Inject(f)
			}
			var storage exchanges
			client := server.LiveClient(storage.option())
			var content bytes.Buffer
			var captured hiring.Response
			n, err := client.Submissions.DownloadArchive(hiring.WithResponse(t.Context(), &captured), id, &content)
			require.NoError(t, err, "%s", name)
			assert.Zero(t, captured, "%s: a download captures nothing", name)
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
					assert.Empty(t, e.Key, "%s: the key stays with the API", name)
				}
			}
		})
	}
}

// A long download may outlast several links. Each one that brought bytes is renewed.
func TestArchiveLinksThatExpireAgainAreRenewed(t *testing.T) {
	part := func(first, end int) apitest.Responder {
		return archive(206, first, end, apitest.ErrReset, fmt.Sprintf("Content-Range: bytes %d-35/36", first))
	}
	expired := apitest.Respond(403, "expired")
	for name, c := range map[string]struct {
		storage []apitest.Responder
		written int64
		reads   int
		err     string
	}{
		"each brings bytes": {[]apitest.Responder{archive(200, 0, 10, apitest.ErrReset, eTag), expired, part(10, 20), expired, part(20, 30), expired, archive(206, 30, 36, nil, "Content-Range: bytes 30-35/36")}, 36, 4, ""},
		"one brings none":   {[]apitest.Responder{archive(200, 0, 10, apitest.ErrReset, eTag), expired, part(10, 20), expired, expired}, 20, 3, "403 the storage rejected the link, after 20 bytes"},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newStorageServer(t, c.storage...)
			var content bytes.Buffer
			n, err := h.Client().Submissions.DownloadArchive(t.Context(), "s", &content)
			assert.Equal(t, c.written, n, name)
			assert.Equal(t, archiveContent[:n], content.String(), name)
			assert.Len(t, h.Requests(), c.reads, "%s: links", name)
			if c.err == "" {
				require.NoError(t, err, name)
			} else {
				require.ErrorContains(t, err, c.err, name)
			}
		})
	}
}

// TestArchiveRedirectsAreFollowedWithoutTheKey uses sockets: an API, a storage that redirects from
// host to host, and the archive behind https.
func TestArchiveRedirectsAreFollowedWithoutTheKey(t *testing.T) {
	for hops, want := range map[int]string{1: "", 3: "", 4: "307 the storage redirects more than three times, after 0 bytes"} {
		var asked []*http.Request
		storage := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r)
			if left, err := strconv.Atoi(r.URL.Path[1:]); err == nil && left > 0 {
				http.Redirect(w, r, fmt.Sprintf("/%d?s3cr3t", left-1), http.StatusTemporaryRedirect) // A path alone.
				return
			}
			http.ServeContent(w, r, "", time.Unix(1e9, 0), strings.NewReader(archiveContent))
		}))
		t.Cleanup(storage.Close)
		first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r)
			w.Header().Set("Location", fmt.Sprintf("%s/%d?s3cr3t", storage.URL, hops-1))
			w.WriteHeader(http.StatusTemporaryRedirect)
		}))
		t.Cleanup(first.Close)
		api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Request-Id", "req_1")
			_, _ = fmt.Fprintf(w, `{"data":{"id":"s","workspace_archive_url":%q},"meta":{"request_id":"req_1"}}`, first.URL+"/x?s3cr3t")
		}))
		t.Cleanup(api.Close)
		client, err := hiring.New(api.URL, apitest.Key, hiring.WithHTTPClient(storage.Client()))
		require.NoError(t, err)
		var content bytes.Buffer
		_, err = client.Submissions.DownloadArchive(t.Context(), "s", &content)
		require.Len(t, asked, min(hops, 3)+1)
		for _, r := range asked {
			assert.Empty(t, r.Header["Authorization"])
			assert.Empty(t, r.Header["Referer"])
		}
		if want != "" {
			require.ErrorContains(t, err, want)
			assert.NotContains(t, err.Error(), "s3cr3t")
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, archiveContent, content.String())
	}
}

func TestArchiveLinkThatIsAlwaysRefused(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 410} {
		server := sandbox.Start(t)
		id := handedIn(t, server, server.AddAssessment("n"))
		server.Inject(sandbox.Fault{Route: archiveRoute, Status: status, Times: -1})
		before := len(server.Journal())
		n, err := server.LiveClient().Submissions.DownloadArchive(t.Context(), id, io.Discard)
		assert.Zero(t, n, "%d", status)
		failure := apitest.RequireError(t, "DownloadArchive", err)
		assert.Equal(t, [2]int{status, 2}, [2]int{failure.Status, failure.Attempts})
		require.EqualError(t, err, fmt.Sprintf("hiring: Submissions.DownloadArchive: %d the storage rejected the link, after 0 bytes; 2 attempts were made", status))
		assert.Len(t, server.Journal()[before:], 4, "%d: two links, each asked once", status)
	}
}

// TestErrorOfARenewedLinkIsReportedAlone rejects a link, as the storage does when it has
// expired, and fails the request for a new one. The rejection of the old link is not why
// the download ended, so the error must neither say nor match it.
func TestErrorOfARenewedLinkIsReportedAlone(t *testing.T) {
	server := sandbox.Start(t)
	id := handedIn(t, server, server.AddAssessment("n"))
	server.Inject(sandbox.Fault{Route: archiveRoute, Status: http.StatusForbidden})
	server.Inject(sandbox.Fault{Route: "GET /submissions/{id}", Skip: 1, Status: http.StatusNotFound})
	n, err := server.LiveClient().Submissions.DownloadArchive(t.Context(), id, io.Discard)
	assert.Zero(t, n)
	require.ErrorIs(t, err, hiring.ErrNotFound)
	failure := apitest.RequireError(t, "DownloadArchive", err)
	assert.Equal(t, "Submissions.Get", failure.Operation)
	assert.Equal(t, failure.Error(), err.Error(), "nothing is before or after it")
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

func TestHostileStorage(t *testing.T) {
	const whole = len(archiveContent)
	begun := archive(200, 0, 10, apitest.ErrReset, eTag)
	transient := []string{
		"a long story", "no validator", "weak tag", "501", "endless 5xx", "endless 5xx in between", "Retry-After too long",
		"no progress", "never answers", "stalls", "error with the link", "nothing at all",
	}
	for name, c := range map[string]struct {
		storage  []apitest.Responder
		written  int
		attempts int
		err      string // Empty: the archive is complete.
	}{
		"goes on":                  {[]apitest.Responder{begun, archive(206, 10, whole, nil, contentRange, eTag)}, whole, 2, ""},
		"goes on without a tag":    {[]apitest.Responder{begun, archive(206, 10, whole, nil, contentRange)}, whole, 2, ""},
		"goes on by date":          {[]apitest.Responder{archive(200, 0, 10, apitest.ErrReset, lastModified), archive(206, 10, whole, nil, contentRange)}, whole, 2, ""},
		"weak tag and date":        {[]apitest.Responder{archive(200, 0, 10, apitest.ErrReset, `ETag: W/"v1"`, lastModified), archive(206, 10, whole, nil, contentRange)}, whole, 2, ""},
		"goes on in parts":         {[]apitest.Responder{begun, archive(206, 10, 20, nil, "Content-Range: bytes 10-19/36"), archive(206, 20, whole, nil, "Content-Range: bytes 20-35/36")}, whole, 3, ""},
		"total untold":             {[]apitest.Responder{begun, archive(206, 10, whole, nil, "Content-Range: bytes 10-35/*")}, whole, 2, ""},
		"part of untold total":     {[]apitest.Responder{begun, archive(206, 10, 20, nil, "Content-Range: bytes 10-19/*"), archive(206, 20, whole, nil, "Content-Range: bytes 20-35/36")}, whole, 3, ""},
		"a long story":             {[]apitest.Responder{apitest.Fail(errors.New(strings.Repeat("x\n", 9999)))}, 0, allAttempts, "interrupted"},
		"part ends early":          {[]apitest.Responder{begun, archive(206, 10, 12, nil, contentRange), archive(206, 12, whole, nil, "Content-Range: bytes 12-35/36")}, whole, 3, ""},
		"ends early without error": {[]apitest.Responder{archive(200, 0, 10, nil, eTag), archive(206, 10, whole, nil, contentRange)}, whole, 2, ""},
		"no validator":             {[]apitest.Responder{archive(200, 0, 10, apitest.ErrReset)}, 10, 1, "the download was interrupted, and the storage sent no validator to resume it with: connection reset by peer, after 10 bytes"},
		"weak tag":                 {[]apitest.Responder{archive(200, 0, 10, apitest.ErrReset, `ETag: W/"v1"`)}, 10, 1, "sent no validator to resume it with"},
		"200 to a range":           {[]apitest.Responder{begun, archive(200, 0, whole, nil, `ETag: "v2"`)}, 10, 2, "the archive changed, or the storage cannot resume a download, after 10 bytes"},
		"another place":            {[]apitest.Responder{begun, archive(206, 11, whole, nil, "Content-Range: bytes 11-35/36")}, 10, 2, "another range than requested"},
		"wrong unit":               {[]apitest.Responder{begun, archive(206, 10, whole, nil, "Content-Range: pages 10-35/36")}, 10, 2, "another range than requested"},
		"another total":            {[]apitest.Responder{begun, archive(206, 10, whole, nil, "Content-Range: bytes 10-35/99")}, 10, 2, "the archive changed"},
		"another tag":              {[]apitest.Responder{begun, archive(206, 10, whole, nil, contentRange, `ETag: "v2"`)}, 10, 2, "the archive changed"},
		"206 unasked":              {[]apitest.Responder{archive(206, 0, whole, nil, "Content-Range: bytes 0-35/36")}, 0, 1, "neither the archive nor a known error"},
		"redirect to http":         {[]apitest.Responder{apitest.Respond(302, "", "Location: http://moved.test/"+apitest.Key)}, 0, 1, "302 the storage redirects to an address that is not https"},
		"redirect without target":  {[]apitest.Responder{apitest.Respond(302, "")}, 0, 1, "302 the storage answered with neither"},
		"a web page":               {[]apitest.Responder{apitest.Respond(200, apitest.SignInPage)}, 0, 1, "200 the storage sent a web page or XML instead of an archive, after 0 bytes"},
		"a page after a BOM":       {[]apitest.Responder{apitest.Respond(200, "\ufeff\n <html>", "Content-Type: application/zip")}, 0, 1, "a web page"},
		"JSON":                     {[]apitest.Responder{apitest.Respond(200, `{"error":"s3cr3t"}`)}, 0, 1, "JSON instead of an archive"},
		"an empty body":            {[]apitest.Responder{apitest.Respond(200, "")}, 0, 1, "an empty body instead of an archive"},
		"longer than announced":    {[]apitest.Responder{archive(200, 0, whole+3, nil, eTag)}, 0, 1, "the storage sent more than the 36 bytes that it announced"},
		"a part that is longer":    {[]apitest.Responder{begun, archive(206, 10, whole+3, nil, contentRange)}, 10, 2, "more than the 36 bytes that it announced, after 10 bytes"},
		"a tar of a [file]":        {[]apitest.Responder{apitest.Respond(200, "[id].tsx\x00\x00\x00")}, 11, 1, ""},
		"gzip":                     {[]apitest.Responder{archive(200, 0, whole, nil, "Content-Encoding: gzip")}, 0, 1, `the storage sent Content-Encoding "gzip", which was not requested`},
		"identity":                 {[]apitest.Responder{archive(200, 0, whole, nil, "Content-Encoding: identity")}, whole, 1, ""},
		"501":                      {[]apitest.Responder{apitest.Respond(501, "")}, 0, allAttempts, "501 the download was interrupted"},
		"endless 5xx":              {[]apitest.Responder{apitest.Respond(503, "<html>")}, 0, allAttempts, "503 the download was interrupted, after 0 bytes"},
		"endless 5xx in between":   {[]apitest.Responder{begun, apitest.Respond(500, "")}, 10, allAttempts, "500 the download was interrupted, after 10 bytes"},
		"Retry-After too long":     {[]apitest.Responder{apitest.Respond(503, "", "Retry-After: 3600")}, 0, 1, "retry after 1h0m0s"},
		"no progress":              {[]apitest.Responder{begun, archive(206, 10, 10, apitest.ErrReset, contentRange)}, 10, allAttempts, "interrupted: connection reset by peer"},
		"never answers":            {[]apitest.Responder{apitest.Block()}, 0, allAttempts, "no data arrived for 30s: context deadline exceeded, after 0 bytes; 4 attempts were made: see WithTimeout"},
		"stalls":                   {[]apitest.Responder{apitest.Stall(200, "abc")}, 3, 1, "sent no validator to resume it with: no data arrived for 30s: context deadline exceeded, after 3 bytes: see WithTimeout"},
		"untrusted":                {[]apitest.Responder{apitest.Fail(&tls.CertificateVerificationError{Err: errors.New("unknown authority")})}, 0, 1, "unknown authority"},
		"error with the link":      {[]apitest.Responder{apitest.Fail(&url.Error{Op: "Get", URL: storageLink, Err: errors.New("/archives/7.zip?signature=s3cr3t")})}, 0, allAttempts, "the link"},
		"nothing at all":           {[]apitest.Responder{func(*http.Request) (*http.Response, error) { return nil, nil }}, 0, allAttempts, "nil *Response with a nil error"},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newStorageServer(t, c.storage...)
			var storage exchanges
			var log bytes.Buffer
			client := h.Client(storage.option(), hiring.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
			var content bytes.Buffer
			n, err := client.Submissions.DownloadArchive(t.Context(), "s", &content)
			assert.Equal(t, int64(c.written), n, "%s", name)
			assert.Len(t, h.Asked, c.attempts, "%s: requests", name)
			assert.Len(t, storage.seen, c.attempts, "%s: exchanges", name)
			assert.Len(t, h.Requests(), 1, "%s: reads", name)
			if strings.HasPrefix(content.String(), "0") {
				assert.Equal(t, archiveContent[:c.written], content.String(), "%s: nothing wrong is written", name)
			}
			if c.err == "" {
				require.NoError(t, err, "%s", name)
				return
			}
			require.ErrorContains(t, err, c.err, "%s", name)
			assert.Equal(t, slices.Contains(transient, name), hiring.IsTransient(err), "%s: IsTransient", name)
			assert.Less(t, len(err.Error()), 600, "%s: the text is short", name)
			failure := apitest.RequireError(t, name, err)
			assert.Equal(t, c.attempts, failure.Attempts, "%s", name)
			assert.Equal(t, [2]string{"GET", "archive"}, [2]string{failure.Method, failure.Route}, "%s", name)
			assert.Empty(t, failure.Outcome, "%s", name)
			for i := range storage.seen { // The host is not secret, and the link is.
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

func TestArchiveRequestsContainNoKeyOrAPIHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStorageServer(t, archive(200, 0, 10, apitest.ErrReset, eTag), archive(206, 10, len(archiveContent), nil, append(apitest.RateLimitHeaders, contentRange, "Set-Cookie: spy=1")...))
		jar, err := cookiejar.New(nil)
		require.NoError(t, err)
		u, err := url.Parse(storageLink)
		require.NoError(t, err)
		jar.SetCookies(u, []*http.Cookie{{Name: "session", Value: "7"}})
		client := h.Client(hiring.WithHTTPClient(&http.Client{Transport: h, Jar: jar}), hiring.WithUserAgent("acme/1"))
		_, err = client.Submissions.DownloadArchive(t.Context(), "s", io.Discard)
		require.NoError(t, err)
		agent := h.Asked[0].Header["User-Agent"]
		assert.Contains(t, agent[0], "acme/1 hiring-go/")
		assert.Equal(t, http.Header{"User-Agent": agent, "Accept-Encoding": {"identity"}}, h.Asked[0].Header)
		assert.Equal(t, http.Header{"User-Agent": agent, "Accept-Encoding": {"identity"}, "Range": {"bytes=10-"}, "If-Range": {`"v1"`}}, h.Asked[1].Header)
		assert.Equal(t, storageLink, h.Asked[0].URL.String())
		assert.Zero(t, client.Quota(), "another host's headers teach nothing")
		assert.Len(t, jar.Cookies(u), 1, "nor does it leave cookies")
		api, err := url.Parse(apitest.BaseURL + "/api/v1/account")
		require.NoError(t, err)
		assert.Empty(t, jar.Cookies(api), "nor any for the API")
	})
}

func TestStorageErrorsDoNotBlockAPIRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStorageServer(t, apitest.Respond(429, "", append(apitest.RateLimitHeaders, "Retry-After: 50")...))
		client := h.Client(apitest.NoRetry)
		_, err := client.Submissions.DownloadArchive(t.Context(), "s", io.Discard)
		assert.Equal(t, 50*time.Second, apitest.RequireError(t, "DownloadArchive", err).RetryAfter)
		require.NotErrorIs(t, err, hiring.ErrRateLimited, "it is not the API's")
		begun := time.Now()
		require.NoError(t, apitest.ReadAccount(t.Context(), client))
		assert.Zero(t, time.Since(begun))
	})
}

func TestArchiveLinksThatAreNotFollowed(t *testing.T) {
	for link, follow := range map[string]bool{
		"https://storage.test/x?s3cr3t": true, "http://127.0.0.1:1/x?s3cr3t": true, "http://localhost/x?s3cr3t": true, "http://[::1]/x?s3cr3t": true,
		"http://storage.test/x?s3cr3t": false, "http://10.0.0.1/x?s3cr3t": false, "ftp://storage.test/x?s3cr3t": false, "file:///s3cr3t": false,
		"/x?s3cr3t": false, "//storage.test/s3cr3t": false, "s3cr3t": false, "": false, "https:///s3cr3t": false, "https://%zz/s3cr3t": false,
	} {
		h := newStorageServer(t, archive(200, 0, len(archiveContent), nil))
		h.Link = link
		n, err := h.Client().Submissions.DownloadArchive(t.Context(), "s", io.Discard)
		if follow {
			require.NoError(t, err, "%q", link)
			continue
		}
		assert.Zero(t, n, "%q", link)
		assert.Empty(t, h.Asked, "%q: nothing is asked", link)
		require.ErrorContains(t, err, "not https", "%q", link)
		assert.NotContains(t, err.Error(), "s3cr3t", "%q", link)
	}
}

func TestArchiveHasAnIdleTimeoutAndNoTotalTimeout(t *testing.T) {
	dripping := func(interval time.Duration) apitest.Responder {
		return func(r *http.Request) (*http.Response, error) {
			return apitest.NewResponse(r, 200, &slowBody{Bytes: 1000, Interval: interval}, eTag), nil
		}
	}
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		n, err := newStorageServer(t, dripping(29*time.Second)).Client().Submissions.DownloadArchive(t.Context(), "s", io.Discard)
		require.NoError(t, err)
		assert.Equal(t, int64(1000), n)
		assert.Equal(t, 29000*time.Second, time.Since(begun))
	})
	synctest.Test(t, func(t *testing.T) {
		slow := writerFunc(func(p []byte) (int, error) {
			<-time.After(time.Hour)
			return len(p), nil
		})
		n, err := newStorageServer(t, archive(200, 0, len(archiveContent), nil)).Client(hiring.WithTimeout(time.Second)).Submissions.DownloadArchive(t.Context(), "s", slow)
		require.NoError(t, err, "a slow writer is no silence of the storage")
		assert.Equal(t, int64(len(archiveContent)), n)
	})
	synctest.Test(t, func(t *testing.T) {
		slow := writerFunc(func(p []byte) (int, error) {
			<-time.After(time.Hour)
			return len(p), nil
		})
		begun := time.Now()
		client := newStorageServer(t, apitest.Stall(200, "abc")).Client(hiring.WithTimeout(time.Second))
		n, err := client.Submissions.DownloadArchive(t.Context(), "s", slow)
		require.ErrorIs(t, err, context.DeadlineExceeded, "silence after a slow writer is noticed")
		assert.Equal(t, int64(3), n)
		assert.Equal(t, time.Hour+time.Second, time.Since(begun))
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		begun := time.Now()
		_, err := newStorageServer(t, apitest.Stall(200, "abc")).Client(hiring.WithTimeout(0)).Submissions.DownloadArchive(ctx, "s", io.Discard)
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
		"fails":   {func([]byte) (int, error) { return 0, full }, 0, full},
		"in part": {func([]byte) (int, error) { return 7, full }, 7, full},
		"short":   {func([]byte) (int, error) { return 7, nil }, 7, io.ErrShortWrite},
	} {
		h := newStorageServer(t, archive(200, 0, len(archiveContent), nil, eTag))
		n, err := h.Client().Submissions.DownloadArchive(t.Context(), "s", c.writer)
		require.ErrorContains(t, err, "the writer failed", "%s", name)
		if c.cause != nil {
			require.ErrorIs(t, err, c.cause, "%s", name)
		}
		assert.False(t, hiring.IsTransient(err), "%s", name)
		assert.Equal(t, c.written, n, "%s", name)
		assert.Len(t, h.Asked, 1, "%s: not repeated", name)
	}
}

func TestArchiveAndTheEndOfTheContext(t *testing.T) {
	reason := errors.New("shutting down")
	slowRead := func(r *http.Request) (*http.Response, error) {
		return apitest.NewResponse(r, 200, &slowBody{Bytes: 1000, Interval: 2 * time.Second}, eTag), nil
	}
	for name, c := range map[string]struct {
		storage apitest.Responder
		written int64
		most    int
	}{
		"waiting for the response": {apitest.Block(), 0, 1},
		"within the body":          {apitest.Stall(200, "abc"), 3, 1},
		"between bytes":            {slowRead, 2, 1},
		"in a pause":               {apitest.Respond(503, "", "Retry-After: 60"), 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newStorageServer(t, c.storage)
			ctx, cancel := context.WithCancelCause(t.Context())
			begun := time.Now()
			time.AfterFunc(3*time.Second, func() { cancel(reason) })
			var storage exchanges
			n, err := h.Client(storage.option()).Submissions.DownloadArchive(ctx, "s", io.Discard)
			require.ErrorIs(t, err, context.Canceled, "%s", name)
			require.ErrorIs(t, err, reason, "%s", name)
			assert.Equal(t, 1, strings.Count(err.Error(), "shutting down"), "%s: said once: %v", name, err)
			assert.Equal(t, c.written, n, "%s", name)
			assert.LessOrEqual(t, time.Since(begun), 4*time.Second, "%s", name)
			assert.Len(t, h.Asked, c.most, "%s", name)
			assert.Equal(t, name == "in a pause", storage.seen[0].Wait > 0, "%s: Exchange.Wait", name)
		})
	}
}

func TestPanicOfAWriterEndsTheAttempt(t *testing.T) {
	h := newStorageServer(t, archive(200, 0, len(archiveContent), nil))
	var storage exchanges
	writer := writerFunc(func([]byte) (int, error) { panic("boom") })
	cause := panicOf(func() { _, _ = h.Client(storage.option()).Submissions.DownloadArchive(t.Context(), "s", writer) })
	assert.Equal(t, "boom", cause)
	require.Len(t, storage.seen, 1)
	require.Error(t, storage.seen[0].Err)
}

// A signed link, and the archive that it leads to.
const (
	storageLink    = "https://storage.test/archives/7.zip?signature=s3cr3t"
	archiveContent = "0123456789abcdefghijklmnopqrstuvwxyz"
)

// storageServer is an API server whose archive links lead to a storage with scripted responses.
type storageServer struct {
	*apitest.ScriptedServer

	Link    string
	storage []apitest.Responder
	Asked   []*http.Request
}

// newStorageServer returns a server whose storage responds with storage, in order.
func newStorageServer(t *testing.T, storage ...apitest.Responder) *storageServer {
	t.Helper()
	h := &storageServer{Link: storageLink, storage: storage}
	h.ScriptedServer = apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
		return apitest.RespondData(`{"id":"s","workspace_archive_url":` + strconv.Quote(h.Link) + `}`)(r)
	})
	return h
}

// RoundTrip records the requests to the storage in Asked.
func (h *storageServer) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasPrefix(r.URL.String(), apitest.BaseURL) {
		return h.ScriptedServer.RoundTrip(r)
	}
	h.Asked = append(h.Asked, r)
	return h.storage[min(len(h.Asked), len(h.storage))-1](r)
}

// Client returns a client whose transport is the server.
func (h *storageServer) Client(opts ...hiring.Option) *hiring.Client {
	return h.ScriptedServer.Client(append([]hiring.Option{hiring.WithHTTPClient(&http.Client{Transport: h})}, opts...)...)
}

// archive responds with the bytes of archiveContent from first to end, followed by err unless err is nil. The
// archive has three bytes more than it announces.
func archive(status, first, end int, err error, headers ...string) apitest.Responder {
	return func(r *http.Request) (*http.Response, error) {
		var body io.Reader = strings.NewReader((archiveContent + "+++")[first:end])
		if err != nil {
			body = io.MultiReader(body, apitest.ErrorReader{Err: err})
		}
		resp := apitest.NewResponse(r, status, io.NopCloser(body), headers...)
		if status == http.StatusOK {
			resp.ContentLength = int64(len(archiveContent))
		}
		return resp, nil
	}
}

// Headers of a storage.
const (
	eTag         = `eTag: "v1"`
	lastModified = "Last-Modified: Sat, 01 Jan 2000 00:00:00 GMT"
	contentRange = "Content-Range: bytes 10-35/36"
)

// slowBody is a response body that returns one byte per Interval.
type slowBody struct {
	Bytes    int
	Interval time.Duration
}

// Read returns one byte after Interval.
func (d *slowBody) Read(p []byte) (int, error) {
	if d.Bytes == 0 {
		return 0, io.EOF
	}
	d.Bytes--
	<-time.After(d.Interval)
	p[0] = 'x'
	return 1, nil
}

// Close does nothing.
func (d *slowBody) Close() error { return nil }

// writerFunc is a function that implements io.Writer.
type writerFunc func([]byte) (int, error)

// Write calls f.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
