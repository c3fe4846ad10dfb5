package hiring_test

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

// answer is what a fake service does with one request.
type answer = httpmock.Responder

// fakeService is a transport that answers from a script, for replies that no
// service would send. The last answer serves all further requests. The answers
// are httpmock's responders; the transport is not, because httpmock's runs each
// in a goroutine of its own, two for a request, and makes an error of a panic:
// tests of panics, of what is left behind and of who runs what would see httpmock
// instead of the client. It also answers a cancelled request before its responder
// has returned, which a transport that is asked the next thing must not.
type fakeService struct {
	t       *testing.T
	mu      sync.Mutex
	answers []answer
	sent    []sentRequest
}

func newFake(t *testing.T, answers ...answer) *fakeService {
	t.Helper()
	return &fakeService{t: t, answers: answers}
}

func (f *fakeService) RoundTrip(r *http.Request) (*http.Response, error) {
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

// client returns one that talks to the fake.
func (f *fakeService) client(opts ...hiring.Option) *hiring.Client {
	f.t.Helper()
	c, err := hiring.New(fakeURL, fakeKey, append([]hiring.Option{hiring.WithHTTPClient(&http.Client{Transport: f})}, opts...)...)
	require.NoError(f.t, err, "New")
	return c
}

func (f *fakeService) requests() []sentRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]sentRequest(nil), f.sent...)
}

// pauses returns the times between the attempts.
func (f *fakeService) pauses() []time.Duration {
	var pauses []time.Duration
	sent := f.requests()
	for i := 1; i < len(sent); i++ {
		pauses = append(pauses, sent[i].At.Sub(sent[i-1].At))
	}
	return pauses
}

// says answers with a status, a body and headers given as "Name: value".
func says(status int, body string, headers ...string) answer {
	return func(r *http.Request) (*http.Response, error) {
		return replyOf(r, status, httpmock.NewRespBodyFromString(body), headers...), nil
	}
}

func replyOf(r *http.Request, status int, body io.ReadCloser, headers ...string) *http.Response {
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

// thing is data that any call for one resource takes.
const thing = `{"id":"x","submission_id":"x"}`

// signed is a header that only the service's replies have.
const signed = "X-Request-Id: req_0a"

// data answers 200 with an envelope.
func data(body string, headers ...string) answer {
	return says(http.StatusOK, `{"data":`+body+`,"meta":{"request_id":"req_0a"}}`, headers...)
}

// refuses answers with the error envelope.
func refuses(status int, code hiring.ErrorCode, headers ...string) answer {
	return says(status, fmt.Sprintf(`{"error":{"code":%q,"message":"said the service","request_id":"req_0e"}}`, string(code)), headers...)
}

// breaks fails without a reply.
func breaks(err error) answer {
	return httpmock.NewErrorResponder(err)
}

// hangs never answers.
func hangs() answer {
	return func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
}

// stalls answers with the beginning of a body and nothing more until closed.
func stalls(status int, begin string, headers ...string) answer {
	return func(r *http.Request) (*http.Response, error) {
		reader, writer := io.Pipe()
		go func() { _, _ = io.WriteString(writer, begin) }() // Ends at the latest when the body is closed.
		return replyOf(r, status, reader, headers...), nil
	}
}

// cuts answers with a body that breaks off with err.
func cuts(status int, begin string, err error, headers ...string) answer {
	return func(r *http.Request) (*http.Response, error) {
		body := io.MultiReader(strings.NewReader(begin), failingReader{err})
		return replyOf(r, status, io.NopCloser(body), headers...), nil
	}
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

var errReset = errors.New("connection reset by peer")

// roundTripper is a transport that is one function.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
