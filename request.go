package hiring

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	stdjson "encoding/json"

	"github.com/go-json-experiment/json"
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
	assumed       []guess // Names sent that are guesses.
	guessedRoute  string  // The Dialect field of the route, when it is a guess.
	bodyless      bool    // Any 2xx will do, though what is readable of its body is used.
	err           error   // Why it must not be sent.
}

// guess is a name that the documentation does not show, and the Dialect field
// that holds it.
type guess struct{ name, field string }

// newRequest fills the ids into a route such as "GET /assessments/{id}", each
// as one escaped path segment.
func newRequest(operation, route string, ids ...string) request {
	method, template, _ := strings.Cut(route, " ")
	r := request{operation: operation, method: method, route: template}
	if len(ids) == 0 {
		r.path = template
		return r
	}
	var path, raw strings.Builder
	for segment := range strings.SplitSeq(template[1:], "/") {
		value := segment
		if isPlaceholder(segment) {
			value, ids = ids[0], ids[1:]
			if badSegment(value) {
				return r.refuse(paramName(operation, segment), `must be an id: it is empty, "." or ".."`)
			}
		}
		path.WriteString("/" + value)
		raw.WriteString("/" + url.PathEscape(value))
	}
	if r.path = path.String(); raw.String() != r.path {
		r.rawPath = raw.String()
	}
	return r
}

func isPlaceholder(segment string) bool {
	return strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}")
}

// paramName is what the Go method calls the id of a placeholder.
func paramName(operation, placeholder string) string {
	service, _, _ := strings.Cut(operation, ".")
	switch {
	case placeholder == "{invitation_id}":
		return "invitationID"
	case service == "Invitations":
		return "assessmentID"
	case service == "Events":
		return "submissionID"
	}
	return "id"
}

// guessed is newRequest for a route that the documentation does not show; field
// is where the Dialect holds it.
func guessed(field, operation, route string, ids ...string) request {
	r := newRequest(operation, route, ids...)
	r.guessedRoute = field
	return r
}

// refuse marks the request as one that must not be sent. The first reason holds.
func (r request) refuse(param, problem string) request {
	if r.err == nil {
		r.err = &ParamError{param, problem}
	}
	return r
}

// assume notes that the query or body names a guess of the Dialect.
func (r request) assume(name, field string) request {
	r.assumed = append(slices.Clip(r.assumed), guess{name, field})
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
	if r.err != nil {
		return r
	}
	body, err := json.Marshal(v, bodyOptions)
	switch {
	case err != nil:
		return r.refuse("body", "cannot be written as JSON"+where(err))
	case len(body) > maxBody:
		return r.refuse("body", fmt.Sprintf("is %d bytes of JSON, above the service's limit of %d", len(body), maxBody))
	}
	r.body = body
	return r
}

// members adds a caller's further body members to the documented ones.
func (r request) members(known, extra map[string]any) request {
	for name, value := range extra {
		if _, taken := known[name]; taken {
			return r.refuse("Extra", "holds a member that the input itself sets: set it there only")
		}
		known[name] = value
	}
	return r.send(known)
}

// url returns the request's address below base.
func (r request) url(base url.URL) url.URL {
	u := base
	if r.rawPath != "" || base.RawPath != "" {
		raw := r.rawPath
		if raw == "" {
			raw = (&url.URL{Path: r.path}).EscapedPath()
		}
		u.RawPath = base.EscapedPath() + raw
	}
	u.Path += r.path
	if len(r.query) > 0 {
		u.RawQuery = r.query.Encode()
	}
	return u
}

// hints name the guesses that may be why the service refused the request.
func (r request) hints(e *Error) []string {
	switch e.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		if r.guessedRoute != "" {
			return []string{hint(r.guessedRoute)}
		}
	case http.StatusBadRequest:
		_, fields := e.Fields()
		return r.fieldHints(fields)
	}
	return nil
}

// fieldHints looks at the names that a 400 complains of. A name that was sent
// points at its own guess; one that was not, at every guess that was sent,
// because any of them may be what the service calls so.
func (r request) fieldHints(fields map[string][]string) []string {
	wrong := make(map[string]bool)
	for name := range fields {
		if i := slices.IndexFunc(r.assumed, func(g guess) bool { return g.name == name }); i >= 0 {
			wrong[r.assumed[i].field] = true
			continue
		}
		if r.query.Has(name) || r.sentMember(name) {
			continue
		}
		for _, g := range r.assumed {
			wrong[g.field] = true
		}
	}
	var hints []string
	for field := range reflect.TypeFor[Dialect]().Fields() {
		if wrong[field.Name] {
			hints = append(hints, hint(field.Name))
		}
	}
	return hints
}

func hint(field string) string { return "or Dialect." + field + " is wrong" }

func (r request) sentMember(name string) bool {
	var members map[string]Value
	if len(r.body) == 0 || decode(r.body, &members) != nil {
		return false
	}
	_, ok := members[name]
	return ok
}
