package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// Ledger is what judges have seen.
type Ledger struct {
	mu        sync.Mutex
	answers   map[Answer]int
	exchanges int
}

// Seen returns how often each answer came.
func (l *Ledger) Seen() map[Answer]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.answers)
}

// Exchanges returns how many exchanges were judged.
func (l *Ledger) Exchanges() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.exchanges
}

func (l *Ledger) note(answer *Answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.exchanges++
	if answer == nil {
		return
	}
	if l.answers == nil {
		l.answers = make(map[Answer]int)
	}
	l.answers[*answer]++
}

// Judge is a RoundTripper that lets everything pass and reports each fault.
type Judge struct {
	Document *Document
	Next     http.RoundTripper
	Ledger   *Ledger
	Report   func(fault string)
}

// exchange is a request and its response, both read whole.
type exchange struct {
	request *http.Request
	sent    []byte
	reply   *http.Response
	body    []byte
	route   *routers.Route // nil when the document has no such operation
	params  map[string]string
}

// RoundTrip passes the request on and judges it with its response. The request is
// judged only when it was accepted: tests are wrong on purpose.
func (j *Judge) RoundTrip(r *http.Request) (*http.Response, error) {
	x := &exchange{request: r.Clone(r.Context())}
	if r.Body != nil {
		var err error
		if x.sent, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(x.sent))
	}
	reply, err := j.Next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	x.reply = reply
	if x.body, err = io.ReadAll(reply.Body); err != nil {
		return nil, err
	}
	_ = reply.Body.Close()
	reply.Body = io.NopCloser(bytes.NewReader(x.body))
	j.judge(r.Context(), x)
	return reply, nil
}

func (j *Judge) judge(ctx context.Context, x *exchange) {
	var faults []string
	if route, params, err := j.Document.router.FindRoute(x.request); err == nil {
		x.route, x.params = route, params
		j.Ledger.note(&Answer{route.Operation.OperationID, x.reply.StatusCode})
	} else {
		j.Ledger.note(nil)
	}
	if x.reply.StatusCode < 300 {
		faults = append(faults, x.judgeRequest(ctx)...)
	}
	for _, fault := range append(faults, j.judgeReply(ctx, x)...) {
		j.Report(fmt.Sprintf("%s %s: %d: %s", x.request.Method, x.request.URL, x.reply.StatusCode, fault))
	}
}

var options = &openapi3filter.Options{
	IncludeResponseStatus: true, RejectWhenRequestBodyNotSpecified: true, SkipSettingDefaults: true, MultiError: true,
	AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
}

func (x *exchange) input(ctx context.Context) *openapi3filter.RequestValidationInput {
	request := x.request.Clone(ctx)
	request.Body = io.NopCloser(bytes.NewReader(x.sent))
	if len(x.sent) == 0 {
		request.Body = http.NoBody
	}
	return &openapi3filter.RequestValidationInput{Request: request, PathParams: x.params, Route: x.route, Options: options}
}

// judgeRequest is for requests that were accepted.
func (x *exchange) judgeRequest(ctx context.Context) []string {
	if x.route == nil {
		return []string{"the document has no such operation"}
	}
	var faults []string
	if err := openapi3filter.ValidateRequest(ctx, x.input(ctx)); err != nil {
		faults = append(faults, "request: "+err.Error())
	}
	if scheme, _, _ := strings.Cut(x.request.Header.Get("Authorization"), " "); scheme != "Bearer" {
		faults = append(faults, "request: no bearer token")
	}
	for name := range x.request.URL.Query() {
		if x.route.Operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil {
			faults = append(faults, "request: undocumented query parameter "+name)
		}
	}
	if body := x.route.Operation.RequestBody; body != nil && len(x.sent) > 0 {
		media := body.Value.Content.Get(x.request.Header.Get("Content-Type"))
		if media == nil {
			return append(faults, "request: undocumented content type")
		}
		faults = append(faults, strict(media.Schema, x.sent, "request: ")...)
	}
	return faults
}

func (j *Judge) judgeReply(ctx context.Context, x *exchange) []string {
	response, faults := j.documented(ctx, x)
	if response == nil {
		return faults
	}
	for _, name := range promised {
		if !isDescribed(http.CanonicalHeaderKey(name), response.Headers) {
			faults = append(faults, "the document does not describe the header "+name)
		}
		if x.reply.Header.Get(name) == "" {
			faults = append(faults, "no header "+name)
		}
	}
	for name := range x.reply.Header {
		if !slices.Contains(transportHeaders, name) && !isDescribed(name, response.Headers) {
			faults = append(faults, "undocumented header "+name)
		}
	}
	if len(response.Content) == 0 {
		if len(x.body) > 0 || x.reply.Header.Get("Content-Type") != "" {
			faults = append(faults, "a body where none is documented")
		}
		return faults
	}
	if media := response.Content.Get(x.reply.Header.Get("Content-Type")); media != nil && x.request.Method != http.MethodHead {
		faults = append(faults, strict(media.Schema, x.body, "")...)
		faults = append(faults, x.judgeRequestID()...)
	}
	return faults
}

// documented returns what the document says of a response, and what kin-openapi
// finds wrong with it. An operation that does not exist has the response of any
// resource that does not exist.
func (j *Judge) documented(ctx context.Context, x *exchange) (*openapi3.Response, []string) {
	if x.route == nil {
		if x.reply.StatusCode != http.StatusNotFound && x.reply.StatusCode != http.StatusMethodNotAllowed {
			return nil, []string{"neither 404 nor 405 for what the document does not have"}
		}
		return j.Document.spec.Components.Responses["NotFound"].Value, nil
	}
	var faults []string
	err := openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: x.input(ctx), Status: x.reply.StatusCode, Header: x.reply.Header,
		Body: io.NopCloser(bytes.NewReader(x.body)), Options: options,
	})
	if err != nil {
		faults = []string{describe(err)}
	}
	if ref := x.route.Operation.Responses.Status(x.reply.StatusCode); ref != nil {
		return ref.Value, faults
	}
	return nil, faults
}

// describe leaves out the schema, which is long, and keeps the cause.
func describe(err error) string {
	if failure, ok := errors.AsType[*openapi3filter.ResponseError](err); ok && failure.Err != nil {
		return failure.Reason + ": " + failure.Err.Error()
	}
	return err.Error()
}
