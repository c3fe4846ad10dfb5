package hiring

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/urls"
)

// maxBody is the API's limit of a request body: 512 KB.
const maxBody = 512 << 10

// request is what one call sends, before any key or attempt.
type request struct {
	operation     string // The Go name.
	method, route string // Route is the template.
	path, rawPath string // Below the API prefix; rawPath is empty when it equals path.
	query         url.Values
	body          []byte
	assumed       []string // The Dialect fields of the names and the route that the request uses.
	err           error    // A request with an error is not sent.

	// background waits for windows regardless of MaxWait, and leaves a tenth of each to others. EnsureAll sets it. A
	// method that polls has its own core instead, because it waits between calls.
	background bool

	// beforeAttempt is called right before each attempt, after all waits. An error prevents the
	// attempt. Nil: not called.
	beforeAttempt func() error
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

// newAssumedRequest is like newRequest for an assumed route, which a field of the Dialect
// sets.
func newAssumedRequest(field, operation, methodAndTemplate string, ids ...pathID) request {
	return newRequest(operation, methodAndTemplate, ids...).assume(field)
}

// refuse marks the request as one that must not be sent, for one more reason.
func (r request) refuse(param, problem string) request { return r.refuseField(param, "", problem) }

// refuseField is like refuse. wire is the name of the input in the API.
func (r request) refuseField(param, wire, problem string) request {
	r.err = joinParams(r.err, &ParamError{param, problem, wire})
	return r
}

// assume records that the request has a name that a field of the Dialect sets.
func (r request) assume(field string) request {
	r.assumed = append(slices.Clip(r.assumed), field)
	return r
}

// bodyOptions encode equal inputs as equal bytes, and a json.Number as a
// number. By default json/v2 encodes it as a string.
var bodyOptions = jsonv2.JoinOptions(
	jsonv2.Deterministic(true),
	jsonv2.WithMarshalers(jsonv2.MarshalFunc(func(n json.Number) ([]byte, error) { return []byte(n), nil })),
)

// withBody makes v the JSON body.
func (r request) withBody(v any) request {
	body, err := jsonv2.Marshal(v, bodyOptions)
	switch {
	case err != nil:
		return r.refuse("body", bodyProblem(v, err))
	case len(body) > maxBody:
		return r.refuse("body", fmt.Sprintf("is %d bytes of JSON, above the API's limit of %d", len(body), maxBody))
	}
	r.body = body
	return r
}

// bodyProblem returns why v cannot be written as JSON.
func bodyProblem(v any, err error) string {
	if _, invalid := jsonv2.Marshal(v, bodyOptions, jsontext.AllowInvalidUTF8(true)); invalid == nil {
		return "has text that is not UTF-8" + jsoncodec.In(err)
	}
	return "cannot be written as JSON" + jsoncodec.Where(err)
}

// withMembers makes the documented body members and the caller's additional ones the JSON body.
func (r request) withMembers(known, extra map[string]any) request {
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if _, taken := known[name]; taken {
			r = r.refuseField("Extra", name, "holds the member "+name+", which the input itself sets: set it there only")
		}
		known[name] = extra[name]
	}
	return r.withBody(known)
}

// extend makes the base URL u the address of the request.
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

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
