package apitest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
)

// sentRequest is one attempt as the transport got it.
type sentRequest struct {
	Method, URL, Body string
	Header            http.Header
	At                time.Time
}

// Answer is what a fake service does with one request.
type Answer = httpmock.Responder

// FakeService is a transport that answers from a script, for replies that no
// service would send. The last answer serves all further requests. The answers
// are httpmock's responders; the transport is not, because httpmock's runs each
// in a goroutine of its own, two for a request, and makes an error of a panic:
// tests of panics, of what is left behind and of who runs what would see httpmock
// instead of the client. It also answers a cancelled request before its responder
// has returned, which a transport that is asked the next thing must not.
type FakeService struct {
	t       *testing.T
	mu      sync.Mutex
	answers []Answer
	sent    []sentRequest
}

func NewFake(t *testing.T, answers ...Answer) *FakeService {
	t.Helper()
	return &FakeService{t: t, answers: answers}
}

func (f *FakeService) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
	}
	f.mu.Lock()
	n := len(f.sent)
	f.sent = append(f.sent, sentRequest{r.Method, r.URL.String(), string(body), r.Header.Clone(), time.Now()})
	next := f.answers[min(n, len(f.answers)-1)]
	f.mu.Unlock()
	return next(r)
}

// Client returns one that talks to the fake.
func (f *FakeService) Client(opts ...hiring.Option) *hiring.Client {
	f.t.Helper()
	c, err := hiring.New(FakeURL, FakeKey, append([]hiring.Option{hiring.WithHTTPClient(&http.Client{Transport: f})}, opts...)...)
	require.NoError(f.t, err, "New")
	return c
}

func (f *FakeService) Requests() []sentRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]sentRequest(nil), f.sent...)
}

// Pauses returns the times between the attempts.
func (f *FakeService) Pauses() []time.Duration {
	var pauses []time.Duration
	sent := f.Requests()
	for i := 1; i < len(sent); i++ {
		pauses = append(pauses, sent[i].At.Sub(sent[i-1].At))
	}
	return pauses
}

// Says answers with a status, a body and headers given as "Name: value".
func Says(status int, body string, headers ...string) Answer {
	return func(r *http.Request) (*http.Response, error) {
		return ReplyOf(r, status, httpmock.NewRespBodyFromString(body), headers...), nil
	}
}

func ReplyOf(r *http.Request, status int, body io.ReadCloser, headers ...string) *http.Response {
	h := http.Header{}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: body, ContentLength: -1, Request: r,
	}
}

// Thing is data that any call for one resource takes.
const Thing = `{"id":"x","submission_id":"x"}`

// Signed is a header that only the service's replies have.
const Signed = "X-Request-Id: req_0a"

// Data answers 200 with an envelope.
func Data(body string, headers ...string) Answer {
	return Says(http.StatusOK, `{"data":`+body+`,"meta":{"request_id":"req_0a"}}`, headers...)
}

// Refuses answers with the error envelope.
func Refuses(status int, code hiring.ErrorCode, headers ...string) Answer {
	return Says(status, fmt.Sprintf(`{"error":{"code":%q,"message":"said the service","request_id":"req_0e"}}`, string(code)), headers...)
}

// Breaks fails without a reply.
func Breaks(err error) Answer {
	return httpmock.NewErrorResponder(err)
}

// Hangs never answers.
func Hangs() Answer {
	return func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
}

// Stalls answers with the beginning of a body and nothing more until closed.
func Stalls(status int, begin string, headers ...string) Answer {
	return func(r *http.Request) (*http.Response, error) {
		reader, writer := io.Pipe()
		go func() { _, _ = io.WriteString(writer, begin) }() // Ends at the latest when the body is closed.
		return ReplyOf(r, status, reader, headers...), nil
	}
}

// Cuts answers with a body that breaks off with err.
func Cuts(status int, begin string, err error, headers ...string) Answer {
	return func(r *http.Request) (*http.Response, error) {
		body := io.MultiReader(strings.NewReader(begin), FailingReader{err})
		return ReplyOf(r, status, io.NopCloser(body), headers...), nil
	}
}

type FailingReader struct{ Err error }

func (f FailingReader) Read([]byte) (int, error) { return 0, f.Err }

var ErrReset = errors.New("connection reset by peer")

// RoundTripper is a transport that is one function.
type RoundTripper func(*http.Request) (*http.Response, error)

func (f RoundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
