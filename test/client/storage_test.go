package client_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

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
