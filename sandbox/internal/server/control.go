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
	optional     bool         // The body may be omitted.
	input        reflect.Type // Of the body; nil without one.
	output       reflect.Type // Of the response; nil for 204.
	do           func(s *Server, id string, body []byte) (any, error)
}

// none is the input of an operation without a body, and the output of one that
// returns 204.
type none struct{}

// control returns an operation whose body decodes into In and whose response
// encodes Out.
func control[In, Out any](method, path, summary, example string, do func(s *Server, id string, in In) (Out, error)) controlRoute {
	r := controlRoute{method: method, path: path, summary: summary, example: example}
	if in := reflect.TypeFor[In](); in != reflect.TypeFor[none]() {
		r.input = in
	}
	if out := reflect.TypeFor[Out](); out != reflect.TypeFor[none]() {
		r.output = out
	}
	r.do = func(s *Server, id string, body []byte) (any, error) {
		var in In
		if r.input != nil && (body != nil || !r.optional) {
			if err := controlapi.Decode(body, &in); err != nil {
				return nil, err
			}
		}
		out, err := do(s, id, in)
		if err != nil || r.output == nil {
			return nil, err
		}
		return out, nil
	}
	return r
}

// controlWithOptionalBody is like control, for an operation whose body may be omitted.
func controlWithOptionalBody[In, Out any](
	method, path, summary, example string,
	do func(s *Server, id string, in In) (Out, error),
) controlRoute {
	r := control(method, path, summary, example, do)
	in := r
	r.optional = true
	r.do = func(s *Server, id string, body []byte) (any, error) {
		if body == nil {
			body = []byte("{}")
		}
		return in.do(s, id, body)
	}
	return r
}

// serveControl responds to a request below controlPath.
func serveControl(s *Server, w http.ResponseWriter, r *http.Request) {
	if err := guard.Admit(r, s.config.AnyHost); err != nil {
		writeControl(w, http.StatusForbidden, controlError("FORBIDDEN", err))
		return
	}
	rest := strings.Split(strings.TrimPrefix(r.URL.Path, controlPath), "/")
	var allowed []string
	for _, route := range controlRoutes() {
		id, ok := matchControl(strings.Split(route.path, "/"), rest)
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
			if response, err = route.do(s, id, body); err == nil {
				writeControl(w, http.StatusOK, response)
				return
			}
		}
		status, code := http.StatusBadRequest, "INVALID_INPUT"
		if errors.Is(err, world.ErrUnknown) {
			status, code, err = http.StatusNotFound, "NOT_FOUND", errUnknownID
		}
		writeControl(w, status, controlError(code, err))
		return
	}
	if allowed != nil {
		methods := strings.Join(allowed, ", ")
		w.Header().Set("Allow", methods)
		writeControl(w, http.StatusMethodNotAllowed, controlError("NOT_FOUND", errors.New("use "+methods)))
		return
	}
	writeControl(w, http.StatusNotFound, controlError("NOT_FOUND", errNoControlPath))
}

var (
	errUnknownID     = errors.New("The resource does not exist: the live data has no such id.") //nolint:revive,staticcheck // a text of the API
	errNoControlPath = errors.New("the control API has no such path: GET " + controlPath + " with Accept: application/json lists all of them")
)

func matchControl(wanted, got []string) (id string, ok bool) {
	if len(wanted) != len(got) {
		return "", false
	}
	for i, segment := range wanted {
		switch {
		case segment == "{id}":
			id = got[i]
		case segment != got[i]:
			return "", false
		}
	}
	return id, true
}

type controlProblem struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func controlError(code string, err error) any {
	var p controlProblem
	p.Error.Code, p.Error.Message = code, err.Error()
	// Errors of Go methods begin with the method's name, which clients of other languages
	// do not know.
	if rest, ok := strings.CutPrefix(p.Error.Message, "sandbox: "); ok {
		if _, cause, named := strings.Cut(rest, "): "); named {
			p.Error.Message = cause
		}
	}
	return p
}

func writeControl(w http.ResponseWriter, status int, response any) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if response == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	body := append(render(response), '\n')
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
