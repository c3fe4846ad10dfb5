// Package apitest provides a fake server with scripted responses and the helpers that the
// behaviour tests in test/ share.
package apitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
)

// The server, key and id of tests that need no particular ones.
const (
	BaseURL = "https://hiring.example.com"
	Key     = "sk_test_51HxQ9zVbT7uRkWn3"
	ID      = "0b0e7b3a-6c1f-4a53-9d0e-111111111111"
)

// Request is an attempt as the transport received it.
type Request struct {
	Method, URL, Body string
	Header            http.Header
	At                time.Time
}

// Responder returns the response to one request.
type Responder = httpmock.Responder

// ScriptedServer is a transport that returns scripted responses in order, for
// responses that no real server would send. The last responder serves all further
// requests. The responders are those of httpmock. The transport is not, because
// httpmock runs each responder in a goroutine, turns a panic into an error, and
// returns from a cancelled request before its responder has returned. Tests of
// panics and of leaked goroutines would observe httpmock instead of the client.
type ScriptedServer struct {
	t       *testing.T
	mu      sync.Mutex
	answers []Responder
	sent    []Request
}

// NewScriptedServer returns a server that responds with answers, in order.
func NewScriptedServer(t *testing.T, answers ...Responder) *ScriptedServer {
	t.Helper()
	return &ScriptedServer{t: t, answers: answers}
}

// RoundTrip records the request and calls the next responder.
func (f *ScriptedServer) RoundTrip(r *http.Request) (*http.Response, error) {
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
	f.sent = append(f.sent, Request{r.Method, r.URL.String(), string(body), r.Header.Clone(), time.Now()})
	next := f.answers[min(n, len(f.answers)-1)]
	f.mu.Unlock()
	return next(r)
}

// Client returns a client whose transport is the server.
func (f *ScriptedServer) Client(opts ...hiring.Option) *hiring.Client {
	f.t.Helper()
	c, err := hiring.New(BaseURL, Key, append([]hiring.Option{hiring.WithHTTPClient(&http.Client{Transport: f})}, opts...)...)
	require.NoError(f.t, err, "New")
	return c
}

// Requests returns the requests so far.
func (f *ScriptedServer) Requests() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Request(nil), f.sent...)
}

// Pauses returns the times between the attempts.
func (f *ScriptedServer) Pauses() []time.Duration {
	var pauses []time.Duration
	sent := f.Requests()
	for i := 1; i < len(sent); i++ {
		pauses = append(pauses, sent[i].At.Sub(sent[i-1].At))
	}
	return pauses
}

// Respond responds with a status, a body and headers given as "Name: value". In the body {id} is
// the id of the resource that was requested.
func Respond(status int, body string, headers ...string) Responder {
	return func(r *http.Request) (*http.Response, error) {
		return NewResponse(r, status, httpmock.NewRespBodyFromString(strings.ReplaceAll(body, "{id}", requestedID(r))), headers...), nil
	}
}

// requestedID returns the last id in the path of a request, as a part of a JSON string.
func requestedID(r *http.Request) string {
	segment := path.Base(strings.TrimSuffix(r.URL.EscapedPath(), "/report"))
	id, _ := url.PathUnescape(segment) // A URL has no invalid path.
	quoted, _ := json.Marshal(id)      // A string is always encoded.
	return string(quoted[1 : len(quoted)-1])
}

// NewResponse returns the response to r, with headers given as "Name: value".
func NewResponse(r *http.Request, status int, body io.ReadCloser, headers ...string) *http.Response {
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

// Resource is data that every call for one resource decodes.
const Resource = `{"id":"{id}","submission_id":"{id}"}`

// RequestIDHeader is a header that only responses of the API have.
const RequestIDHeader = "X-Request-Id: req_0a"

// RespondData responds with 200 and an envelope.
func RespondData(body string, headers ...string) Responder {
	return Respond(http.StatusOK, `{"data":`+body+`,"meta":{"request_id":"req_0a"}}`, headers...)
}

// RespondError responds with an error envelope.
func RespondError(status int, code hiring.ErrorCode, headers ...string) Responder {
	return Respond(status, fmt.Sprintf(`{"error":{"code":%q,"message":"said the API","request_id":"req_0e"}}`, string(code)), headers...)
}

// Fail returns err instead of a response.
func Fail(err error) Responder {
	return httpmock.NewErrorResponder(err)
}

// Block returns when the context of the request ends.
func Block() Responder {
	return func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
}

// Stall responds with the beginning of a body, and with nothing more until the body is closed or the
// context of the request ends.
func Stall(status int, begin string, headers ...string) Responder {
	return func(r *http.Request) (*http.Response, error) {
		reader, writer := io.Pipe()
		go func() { _, _ = io.WriteString(writer, begin) }() // Ends at the latest when the body is closed.
		context.AfterFunc(r.Context(), func() { writer.CloseWithError(r.Context().Err()) })
		return NewResponse(r, status, reader, headers...), nil
	}
}

// Truncate responds with the beginning of a body, followed by err.
func Truncate(status int, begin string, err error, headers ...string) Responder {
	return func(r *http.Request) (*http.Response, error) {
		body := io.MultiReader(strings.NewReader(begin), ErrorReader{err})
		return NewResponse(r, status, io.NopCloser(body), headers...), nil
	}
}

// ErrorReader is a reader that fails with Err.
type ErrorReader struct{ Err error }

func (f ErrorReader) Read([]byte) (int, error) { return 0, f.Err }

// ErrReset is the error of a connection that was reset.
var ErrReset = errors.New("connection reset by peer")

// RoundTripper is a function that implements http.RoundTripper.
type RoundTripper func(*http.Request) (*http.Response, error)

// RoundTrip calls f.
func (f RoundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// RateLimit describes the rate-limit headers of a response.
type RateLimit struct {
	Limit, Remaining int
	Left             time.Duration // Until the window ends.
	Skew             time.Duration // Of the server's clock.
	RetryAfter       string
}

// With adds the headers to the responder that a returns, computed at the time of the response.
func (s RateLimit) With(a func(headers ...string) Responder) Responder {
	return func(r *http.Request) (*http.Response, error) {
		now := time.Now().Add(s.Skew)
		headers := []string{
			"Date: " + now.UTC().Format(http.TimeFormat),
			"X-RateLimit-Limit: " + strconv.Itoa(s.Limit),
			"X-RateLimit-Remaining: " + strconv.Itoa(s.Remaining),
			"X-RateLimit-Reset: " + strconv.FormatInt(now.Add(s.Left).Unix(), 10),
		}
		if s.RetryAfter != "" {
			headers = append(headers, "Retry-After: "+s.RetryAfter)
		}
		return a(headers...)(r)
	}
}

// RespondResource responds with one resource.
func RespondResource(headers ...string) Responder { return RespondData(Resource, headers...) }

// RespondRateLimited responds with 429.
func RespondRateLimited(headers ...string) Responder {
	return RespondError(429, "RATE_LIMITED", headers...)
}

// ReadAccount calls Account.Get.
func ReadAccount(ctx context.Context, c *hiring.Client) error {
	_, err := c.Account.Get(ctx)
	return err
}

// RateLimitHeaders are the headers of an API response.
var RateLimitHeaders = []string{"X-RateLimit-Limit: 1000", "X-RateLimit-Remaining: 41", "X-RateLimit-Reset: 1800000000", "X-Request-Id: req_7"}

// SignInPage is the page of an intermediary.
const SignInPage = "<!DOCTYPE html><title>Sign in</title>"

// Data of a report that is not ready and of one that is.
const (
	PendingReport = `{"submission_id":"{id}","status":"submitted","evaluated":false,"ship_score":null}`
	ReadyReport   = `{"submission_id":"{id}","status":"evaluated","evaluated":true,"ship_score":82}`
)

// DialError is the error of a refused connection.
var DialError = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}

// Listen listens on loopback, calls handle for each connection, and counts the connections.
func Listen(t *testing.T, handle func(*net.TCPConn)) (baseURL string, connections *atomic.Int32) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	connections = new(atomic.Int32)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			go handle(conn.(*net.TCPConn))
		}
	}()
	return "http://" + l.Addr().String(), connections
}
