package hiring

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	stdjson "encoding/json"

	"github.com/go-json-experiment/json"

	"github.com/hiring-assessment/hiring-go/internal/dialecthint"
	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/urls"
)

// maxBody is the service's own bound of a request body: 512 KB.
const maxBody = 512 << 10

// request is one operation with its inputs, before any key or attempt.
type request struct {
	operation     string // The Go name.
	method, route string // Route is the template.
	path, rawPath string // Below the API prefix; rawPath is empty when it equals path.
	query         url.Values
	body          []byte
	assumed       []dialecthint.Guess // Names sent that are guesses.
	guessedRoute  string              // The Dialect field of the route, when it is a guess.
	bodyless      bool                // Any 2xx will do, though what is readable of its body is used.
	leniency      leniency            // How to decode what cannot be decoded as a whole; nil: the call fails.
	err           error               // Why it must not be sent.

	requestHooks
}

// requestHooks are functions that an operation of several requests sets. A nil
// function is not called. An error of one prevents the attempt.
type requestHooks struct {
	// before is called before each attempt and after each wait for it; waited
	// reports that the attempt waited for a window of the rate limit.
	before func(waited bool) error

	// admitted is called once the rate limit has admitted the attempt, just before
	// it is sent.
	admitted func() error
}

// pathID fills a placeholder of a route: what the Go method calls it, and its value.
type pathID = urls.ID

// newRequest fills the ids into a route such as "GET /assessments/{id}", each
// as one escaped path segment.
func newRequest(operation, methodAndTemplate string, ids ...pathID) request {
	r := request{operation: operation}
	r.method, r.route, _ = strings.Cut(methodAndTemplate, " ")
	path, unfit := urls.Fill(r.route, ids)
	r.path, r.rawPath = path.Plain, path.Raw
	for _, id := range unfit {
		r = r.refuseField(id.Name, id.Placeholder, `must be an id: it is empty, "." or ".."`)
	}
	return r
}

func badSegment(s string) bool { return !urls.IsSegment(s) }

// guessed is newRequest for a route that the documentation does not show; field
// is where the Dialect holds it.
func guessed(field, operation, methodAndTemplate string, ids ...pathID) request {
	r := newRequest(operation, methodAndTemplate, ids...)
	r.guessedRoute = field
	return r
}

// refuse marks the request as one that must not be sent, for one more reason.
func (r request) refuse(param, problem string) request { return r.refuseField(param, "", problem) }

// refuseField is refuse for an input that the service calls wire.
func (r request) refuseField(param, wire, problem string) request {
	r.err = joinParams(r.err, &ParamError{param, problem, wire})
	return r
}

// assume notes that the query or body names a guess of the Dialect.
func (r request) assume(name, field string) request {
	r.assumed = append(slices.Clip(r.assumed), dialecthint.Guess{Name: name, Field: field, Format: field == sinceField})
	return r
}

// bodyOptions write the same input as the same bytes, and the one type of
// encoding/json's that json/v2 does not know as it is meant.
var bodyOptions = json.JoinOptions(
	json.Deterministic(true),
	json.WithMarshalers(json.MarshalFunc(func(n stdjson.Number) ([]byte, error) { return []byte(n), nil })),
)

// send makes v the JSON body.
func (r request) send(v any) request {
	body, err := json.Marshal(v, bodyOptions)
	switch {
	case err != nil:
		return r.refuse("body", "cannot be written as JSON"+jsoncodec.Where(err))
	case len(body) > maxBody:
		return r.refuse("body", fmt.Sprintf("is %d bytes of JSON, above the service's limit of %d", len(body), maxBody))
	}
	r.body = body
	return r
}

// members adds a caller's further body members to the documented ones.
func (r request) members(known, extra map[string]any) request {
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if _, taken := known[name]; taken {
			r = r.refuseField("Extra", name, "holds the member "+name+", which the input itself sets: set it there only")
		}
		known[name] = extra[name]
	}
	return r.send(known)
}

// extend makes the base URL u the request's address.
func (r request) extend(u *url.URL) {
	if r.rawPath != "" || u.RawPath != "" {
		raw := r.rawPath
		if raw == "" {
			raw = (&url.URL{Path: r.path}).EscapedPath()
		}
		u.RawPath = u.EscapedPath() + raw
	}
	u.Path += r.path
	if len(r.query) > 0 {
		u.RawQuery = r.query.Encode()
	}
}

// ParamError is an input that was refused before anything was sent. errors.Is
// accepts it as [ErrInvalidInput]. It never quotes the value.
//
// Whatever is wrong with one input is reported together, on one line: errors.As
// then finds the first, and [FieldErrors] has all.
type ParamError struct {
	Param   string // The input's name, as in the Go method or struct.
	Problem string // What is wrong with it and what to do.

	wire string // What the service calls it; empty when it is never sent.
}

// Error returns what is wrong in one line, after the name of the input.
func (e *ParamError) Error() string { return "hiring: " + e.text() }

func (e *ParamError) text() string { return e.Param + ": " + e.Problem }

// Is accepts [ErrInvalidInput].
func (e *ParamError) Is(target error) bool { return target == ErrInvalidInput }

// paramErrors is all that is wrong with one input, when that is more than one
// thing.
type paramErrors struct{ problems []*ParamError }

func (e *paramErrors) Error() string {
	texts := make([]string, len(e.problems))
	for i, p := range e.problems {
		texts[i] = p.text()
	}
	return "hiring: " + strings.Join(texts, "; ")
}

func (e *paramErrors) Unwrap() []error {
	errs := make([]error, len(e.problems))
	for i, p := range e.problems {
		errs[i] = p
	}
	return errs
}

// joinParams makes one error of refused inputs, nil of none. Anything else among
// errs goes first, alone.
func joinParams(errs ...error) error {
	var problems []*ParamError
	for _, err := range errs {
		if err == nil {
			continue
		}
		found := paramErrorsIn(err)
		if len(found) == 0 {
			return err
		}
		problems = append(problems, found...)
	}
	switch len(problems) {
	case 0:
		return nil
	case 1:
		return problems[0]
	}
	return &paramErrors{problems}
}

func paramErrorsIn(err error) []*ParamError {
	if all, ok := errors.AsType[*paramErrors](err); ok {
		return all.problems
	}
	if one, ok := errors.AsType[*ParamError](err); ok {
		return []*ParamError{one}
	}
	return nil
}

// FieldErrors returns what is wrong with an input, by the name that the service
// has for each part of it, as a form needs it: of a 400 that names fields and of
// a [ParamError] alike. What never goes over the wire has the name of its Param,
// and what concerns the whole input has none: "". It is nil for any other error.
func FieldErrors(err error) map[string][]string {
	if failure, ok := errors.AsType[*Error](err); ok {
		return failure.fieldErrors()
	}
	var fields map[string][]string
	for _, p := range paramErrorsIn(err) {
		if fields == nil {
			fields = make(map[string][]string)
		}
		name := p.wire
		if name == "" {
			name = p.Param
		}
		fields[name] = append(fields[name], p.Problem)
	}
	return fields
}

func (e *Error) fieldErrors() map[string][]string {
	if e.Code != ErrInvalidInput {
		return nil
	}
	form, fields := e.Fields()
	if len(form) > 0 {
		if fields == nil {
			fields = make(map[string][]string)
		}
		fields[""] = append(fields[""], form...)
	}
	if len(fields) == 0 {
		return nil
	}
	return fields
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
