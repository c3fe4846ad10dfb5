package hiring

import (
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

// envelope returns the members of which an API response has at least one.
func (r *request) envelope() []string {
	if r.route == "/openapi.json" { // The one document that has no envelope.
		return []string{"openapi", "data", "meta"}
	}
	return []string{"data", "meta"}
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

func blank(s string) bool { return strings.TrimSpace(s) == "" }
