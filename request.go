package hiring

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/internal/defaults"
	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/quota"
	"github.com/hiring-assessment/hiring-go/internal/urls"
)

// maxBody is the API's limit of a request body: 512 KB.
const maxBody = 512 << 10

// request is what one call sends, and on which terms. Nothing changes it after the call has begun.
type request struct {
	operation     string // The Go name of the method.
	method, route string // The route is the template of the path.
	path, rawPath string // The path below the API prefix, and its escaped form if that is another.
	query         url.Values
	body          []byte
	members       map[string]any // The members of the body, if an input made it.
	id            string         // The last id in the path, "" without one.
	assumed       []assumption   // The names and the route that fields of the Dialect set.
	err           error          // A request with an error is not sent.

	priority priority    // How much of each rate-limit window the request may take.
	key      *credential // The key to use. Nil: the next key of the client.

	maxAttempts int  // 0: as in RetryPolicy.
	anyBody     bool // A 2xx whose body was cut short, or is too long, is success.

	// beforeAttempt is called with the key of each attempt right before it, after all waits. An error
	// prevents the attempt. Nil: not called.
	beforeAttempt func(*credential) error
}

// priority is what a request takes of each rate-limit window. What it leaves to other users of the key
// is at least that of WithQuotaReserve.
type priority int

const (
	priorityInteractive priority = iota // All of it. The call waits for a window up to MaxWait.
	priorityBulk                        // All but defaults.Reserve. The call waits for each window.
	priorityPolling                     // All but defaults.Reserve. The call does not wait for a window: the loop of the polls does.
)

// reserve returns the part of each window that a request leaves to others.
func (k *core) reserve(of priority) float64 {
	if of == priorityInteractive {
		return k.config.reserve
	}
	return max(k.config.reserve, defaults.Reserve)
}

// class returns the rate limit that a request counts against.
func (r *request) class() quota.Class {
	if r.method == http.MethodGet {
		return quota.Read
	}
	return quota.Write
}

// pathID returns what fills a placeholder of a route: what the Go method calls it, and its value.
func pathID(name, value string) urls.ID { return urls.ID{Name: name, Value: value} }

// newRequest fills the ids into a route such as "GET /assessments/{id}", each
// as one escaped path segment.
func newRequest(operation, methodAndTemplate string, ids ...urls.ID) request {
	r := request{operation: operation}
	r.method, r.route, _ = strings.Cut(methodAndTemplate, " ")
	path, unfit := urls.Fill(r.route, ids)
	r.path, r.rawPath = path.Plain, path.Raw
	for _, id := range ids {
		r.id = id.Value
	}
	for _, id := range unfit {
		r = r.refuseField(id.Name, id.Placeholder, `must be an id: it is empty, "." or ".."`)
	}
	return r
}

// refuse marks the request as one that must not be sent, for one more reason.
func (r request) refuse(param, problem string) request { return r.refuseField(param, "", problem) }

// refuseField is like refuse. wire is the name of the input in the API.
func (r request) refuseField(param, wire, problem string) request {
	r.err = joinParams(r.err, &ParamError{param, problem, wire})
	return r
}

// assumption is a name in a request, or its route, that a field of the Dialect sets.
type assumption struct {
	field string
	name  string // The name of a query parameter or a member of the body; "" for the route.
}

// assume records that a field of the Dialect sets a name in the request, or with "" its route.
func (r request) assume(field, name string) request {
	r.assumed = append(slices.Clip(r.assumed), assumption{field, name})
	return r
}

// setParam sets a query parameter whose name is that of a field of the Dialect.
func (r request) setParam(field, name, value string) request {
	if r.query.Has(name) {
		return r.refuse("Dialect."+field, usedTwice)
	}
	r.query.Set(name, value)
	return r.assume(field, name)
}

const usedTwice = "is also the name of something that is sent beside it"

// suspectFields returns the fields of the Dialect that may be wrong when the API responds with e.
func (r *request) suspectFields(e *Error) (fields []string) {
	_, problems := e.Fields()
	sent := len(problems) > 0 // The API names only fields that were sent, so that their values are wrong.
	for name := range problems {
		_, inBody := r.members[name]
		sent = sent && (inBody || r.query.Has(name) || strings.Contains(r.route, "{"+name+"}"))
	}
	for _, a := range r.assumed {
		_, named := problems[a.name]
		switch e.Status {
		case http.StatusBadRequest:
			if named || !sent {
				fields = append(fields, "Dialect."+a.field)
			}
		case http.StatusNotFound, http.StatusMethodNotAllowed:
			if a.name == "" {
				fields = append(fields, "Dialect."+a.field)
			}
		}
	}
	return fields
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

// member is a member of a body that an input sets.
type member struct {
	name     string
	value    any
	field    string // The field of the Dialect that sets the name, if one does.
	optional bool   // A zero value is not sent.
}

// withMembers makes the members of an input and the caller's additional ones the JSON body.
func (r request) withMembers(members []member, extra map[string]any) request {
	body, fields := make(map[string]any), make(map[string]string)
	for _, m := range members {
		if m.optional && reflect.ValueOf(m.value).IsZero() {
			continue
		}
		if other, taken := fields[m.name]; taken {
			r = r.refuse("Dialect."+cmp.Or(m.field, other), usedTwice)
		}
		body[m.name], fields[m.name] = m.value, m.field
		if m.field != "" {
			r = r.assume(m.field, m.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if _, taken := body[name]; taken {
			r = r.refuseField("Extra", name, "holds the member "+name+", which the input itself sets: set it there only")
		}
		body[name] = extra[name]
	}
	r.members = body
	return r.withBody(body)
}

// addTo makes the base URL u the address of the request.
func (r request) addTo(u *url.URL) {
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
