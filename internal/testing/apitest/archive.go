package apitest

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hiring-assessment/hiring-go"
)

// A signed link, and the archive that it leads to.
const (
	StorageLink    = "https://storage.test/archives/7.zip?signature=s3cr3t"
	ArchiveContent = "0123456789abcdefghijklmnopqrstuvwxyz"
)

// StorageServer is an API server whose archive links lead to a storage with scripted responses.
type StorageServer struct {
	*ScriptedServer

	Link    string
	storage []Responder
	Asked   []*http.Request
}

// NewStorageServer returns a server whose storage responds with storage, in order.
func NewStorageServer(t *testing.T, storage ...Responder) *StorageServer {
	t.Helper()
	h := &StorageServer{Link: StorageLink, storage: storage}
	h.ScriptedServer = NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
		return RespondData(`{"id":"s","workspace_archive_url":` + strconv.Quote(h.Link) + `}`)(r)
	})
	return h
}

// RoundTrip records the requests to the storage in Asked.
func (h *StorageServer) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasPrefix(r.URL.String(), BaseURL) {
		return h.ScriptedServer.RoundTrip(r)
	}
	h.Asked = append(h.Asked, r)
	return h.storage[min(len(h.Asked), len(h.storage))-1](r)
}

// Client returns a client whose transport is the server.
func (h *StorageServer) Client(opts ...hiring.Option) *hiring.Client {
	return h.ScriptedServer.Client(append([]hiring.Option{hiring.WithHTTPClient(&http.Client{Transport: h})}, opts...)...)
}

// Archive responds with the bytes of ArchiveContent from first to end, followed by err unless err is nil.
func Archive(status, first, end int, err error, headers ...string) Responder {
	return func(r *http.Request) (*http.Response, error) {
		var body io.Reader = strings.NewReader(ArchiveContent[first:end])
		if err != nil {
			body = io.MultiReader(body, ErrorReader{err})
		}
		resp := NewResponse(r, status, io.NopCloser(body), headers...)
		if status == http.StatusOK {
			resp.ContentLength = int64(len(ArchiveContent))
		}
		return resp, nil
	}
}

// Headers of a storage.
const (
	ETag         = `ETag: "v1"`
	LastModified = "Last-Modified: Sat, 01 Jan 2000 00:00:00 GMT"
	ContentRange = "Content-Range: bytes 10-35/36"
)

// SlowBody is a response body that returns one byte per Interval.
type SlowBody struct {
	Bytes    int
	Interval time.Duration
}

// Read returns one byte after Interval.
func (d *SlowBody) Read(p []byte) (int, error) {
	if d.Bytes == 0 {
		return 0, io.EOF
	}
	d.Bytes--
	<-time.After(d.Interval)
	p[0] = 'x'
	return 1, nil
}

// Close does nothing.
func (d *SlowBody) Close() error { return nil }

// WriterFunc is a function that implements io.Writer.
type WriterFunc func([]byte) (int, error)

// Write calls f.
func (f WriterFunc) Write(p []byte) (int, error) { return f(p) }
