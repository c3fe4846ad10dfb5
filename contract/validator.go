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

// Coverage counts the exchanges that validators have seen.
type Coverage struct {
	mu        sync.Mutex
	answers   map[Status]int
	exchanges int
}

// Seen returns how often each documented status was received.
func (l *Coverage) Seen() map[Status]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.answers)
}

// Exchanges returns the number of validated exchanges.
func (l *Coverage) Exchanges() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.exchanges
}

func (l *Coverage) record(answer *Status) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.exchanges++
	if answer == nil {
		return
	}
	if l.answers == nil {
		l.answers = make(map[Status]int)
	}
	l.answers[*answer]++
}

// Validator is a RoundTripper that reports each difference from the document. It changes
// nothing.
type Validator struct {
	Document *Document
	Next     http.RoundTripper
	Coverage *Coverage
	Report   func(fault string)
}

// exchange is a request and its response with their bodies.
type exchange struct {
	request *http.Request
	sent    []byte
	reply   *http.Response
	body    []byte
	route   *routers.Route // Nil when the document has no such operation.
	params  map[string]string
}

// RoundTrip sends the request and validates the response. It validates the request only
// if it was accepted, because tests send invalid requests on purpose.
func (j *Validator) RoundTrip(r *http.Request) (*http.Response, error) {
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
	j.validate(r.Context(), x)
	return reply, nil
}

func (j *Validator) validate(ctx context.Context, x *exchange) {
	var faults []string
	if route, params, err := j.Document.router.FindRoute(x.request); err == nil {
		x.route, x.params = route, params
		j.Coverage.record(&Status{route.Operation.OperationID, x.reply.StatusCode})
	} else {
		j.Coverage.record(nil)
	}
	if x.reply.StatusCode < 300 {
		faults = append(faults, x.validateRequest(ctx)...)
	}
	for _, fault := range append(faults, j.validateResponse(ctx, x)...) {
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

// validateRequest validates a request that was accepted.
func (x *exchange) validateRequest(ctx context.Context) []string {
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

func (j *Validator) validateResponse(ctx context.Context, x *exchange) []string {
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
		faults = append(faults, x.validateRequestID()...)
	}
	return faults
}

// documented returns the document's description of a response, and the differences that
// kin-openapi finds. An unknown operation has the response of an unknown resource.
func (j *Validator) documented(ctx context.Context, x *exchange) (*openapi3.Response, []string) {
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

// describe returns the cause of an error without the schema, which is long.
func describe(err error) string {
	if failure, ok := errors.AsType[*openapi3filter.ResponseError](err); ok && failure.Err != nil {
		return failure.Reason + ": " + failure.Err.Error()
	}
	return err.Error()
}
