package server

import (
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/controlapi"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/guard"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// controlPath is the prefix of the control API.
const controlPath = "/_sandbox/"

// controlRoute is an operation of the control API.
type controlRoute struct {
	method, path string
	summary      string
	example      string       // Of a request body; empty without one.
	optional     bool         // Whether the body may be omitted.
	input        reflect.Type // Of the body; nil without one.
	output       reflect.Type // Of the response; nil for 204.
	handle       func(s *Server, id string, body []byte) (any, error)
}

// noBody is the input of an operation without a body, and the output of one that
// returns 204.
type noBody struct{}

// newControlRoute returns an operation whose body decodes into In and whose
// response encodes Out.
func newControlRoute[In, Out any](method, path, summary, example string, do func(s *Server, id string, in In) (Out, error)) controlRoute {
	input, output := bodyType(reflect.TypeFor[In]()), bodyType(reflect.TypeFor[Out]())
	handle := func(s *Server, id string, body []byte) (any, error) {
		var in In
		if input != nil {
			if err := controlapi.Decode(body, &in); err != nil {
				return nil, err
			}
		}
		out, err := do(s, id, in)
		if err != nil || output == nil {
			return nil, err
		}
		return out, nil
	}
	return controlRoute{method: method, path: path, summary: summary, example: example, input: input, output: output, handle: handle}
}

// bodyType returns nil for noBody.
func bodyType(t reflect.Type) reflect.Type {
	if t == reflect.TypeFor[noBody]() {
		return nil
	}
	return t
}

// optionalBody returns an operation whose body may be omitted: without a body it
// receives an empty object.
func optionalBody(r controlRoute) controlRoute {
	handle := r.handle
	r.optional = true
	r.handle = func(s *Server, id string, body []byte) (any, error) {
		if body == nil {
			body = []byte("{}")
		}
		return handle(s, id, body)
	}
	return r
}

// serveControl responds to a request below controlPath.
func (s *Server) serveControl(w http.ResponseWriter, r *http.Request) {
	if err := guard.Admit(r, s.config.AnyHost); err != nil {
		writeControl(w, http.StatusForbidden, newControlError("FORBIDDEN", err))
		return
	}
	segments := strings.Split(strings.TrimPrefix(r.URL.Path, controlPath), "/")
	var allowed []string
	for _, route := range controlRoutes() {
		id, ok := matchControl(strings.Split(route.path, "/"), segments)
		if !ok {
			continue
		}
		if route.method != r.Method {
			allowed = append(allowed, route.method)
			continue
		}
		body, err := controlapi.Read(r)
		if err == nil {
			var response any
			if response, err = route.handle(s, id, body); err == nil {
				writeControl(w, http.StatusOK, response)
				return
			}
		}
		status, code := http.StatusBadRequest, "INVALID_INPUT"
		if errors.Is(err, world.ErrUnknown) {
			status, code, err = http.StatusNotFound, "NOT_FOUND", errUnknownID
		}
		writeControl(w, status, newControlError(code, err))
		return
	}
	if allowed != nil {
		methods := strings.Join(allowed, ", ")
		w.Header().Set("Allow", methods)
		writeControl(w, http.StatusMethodNotAllowed, newControlError("NOT_FOUND", errors.New("use "+methods)))
		return
	}
	writeControl(w, http.StatusNotFound, newControlError("NOT_FOUND", errNoControlPath))
}

var (
	errUnknownID     = errors.New("The resource does not exist: the live data has no such id.") //nolint:revive,staticcheck // a text of the API
	errNoControlPath = errors.New("the control API has no such path: GET " + controlPath + " with Accept: application/json lists all of them")
)

// matchControl reports whether the segments of a request's path match a route, and
// returns the id in the path.
func matchControl(route, request []string) (id string, ok bool) {
	if len(route) != len(request) {
		return "", false
	}
	for i, segment := range route {
		switch {
		case segment == "{id}":
			id = request[i]
		case segment != request[i]:
			return "", false
		}
	}
	return id, true
}

// controlErrorBody is the error envelope of the control API.
type controlErrorBody struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func newControlError(code string, err error) controlErrorBody {
	var body controlErrorBody
	body.Error.Code, body.Error.Message = code, err.Error()
	// Errors of Go methods begin with the method's name, which clients of other languages
	// do not know.
	if rest, ok := strings.CutPrefix(body.Error.Message, "sandbox: "); ok {
		if _, cause, named := strings.Cut(rest, "): "); named {
			body.Error.Message = cause
		}
	}
	return body
}

// writeControl writes a response in JSON, or 204 without one.
func writeControl(w http.ResponseWriter, status int, response any) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if response == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	body := append(encodeJSON(response), '\n')
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
