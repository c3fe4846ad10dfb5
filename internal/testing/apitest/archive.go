package apitest

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

const (
	StorageLink = "https://storage.test/archives/7.zip?signature=s3cr3t"
	Archived    = "0123456789abcdefghijklmnopqrstuvwxyz"
)

// hostile is a service whose links lead to a storage that does as it likes.
type hostile struct {
	*FakeService

	Link    string
	storage []Answer
	Asked   []*http.Request
}

func NewHostile(t *testing.T, storage ...Answer) *hostile {
	t.Helper()
	h := &hostile{Link: StorageLink, storage: storage}
	h.FakeService = NewFake(t, func(r *http.Request) (*http.Response, error) {
		return Data(`{"id":"s","workspace_archive_url":` + strconv.Quote(h.Link) + `}`)(r)
	})
	return h
}

func (h *hostile) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasPrefix(r.URL.String(), FakeURL) {
		return h.FakeService.RoundTrip(r)
	}
	h.Asked = append(h.Asked, r)
	return h.storage[min(len(h.Asked), len(h.storage))-1](r)
}

func (h *hostile) Client(opts ...hiring.Option) *hiring.Client {
	return h.FakeService.Client(append([]hiring.Option{hiring.WithHTTPClient(&http.Client{Transport: h})}, opts...)...)
}

// File is one that goes on from byte first, and breaks off with err unless that
// is nil.
func File(status, first, end int, err error, headers ...string) Answer {
	return func(r *http.Request) (*http.Response, error) {
		var body io.Reader = strings.NewReader(Archived[first:end])
		if err != nil {
			body = io.MultiReader(body, FailingReader{err})
		}
		resp := ReplyOf(r, status, io.NopCloser(body), headers...)
		if status == http.StatusOK {
			resp.ContentLength = int64(len(Archived))
		}
		return resp, nil
	}
}

const (
	Tag    = `ETag: "v1"`
	Dated  = "Last-Modified: Sat, 01 Jan 2000 00:00:00 GMT"
	Ranged = "Content-Range: bytes 10-35/36"
)

// Drip sends a byte each interval.
type Drip struct {
	Bytes    int
	Interval time.Duration
}

func (d *Drip) Read(p []byte) (int, error) {
	if d.Bytes == 0 {
		return 0, io.EOF
	}
	d.Bytes--
	<-time.After(d.Interval)
	p[0] = 'x'
	return 1, nil
}

func (d *Drip) Close() error { return nil }

type WriterFunc func([]byte) (int, error)

func (f WriterFunc) Write(p []byte) (int, error) { return f(p) }
