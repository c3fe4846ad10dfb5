package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/guard"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

const (
	// controlPath is the prefix of the control API.
	controlPath = "/_sandbox/"
	// maxControlBody is the maximum size of a request body in bytes.
	maxControlBody = 1 << 20
)

// operation is a test operation of the control API.
type operation struct {
	method, path string
	summary      string
	example      string // Of a request body or a query; empty without one.
	do           func(s *Server, id string, input []byte) (any, error)
	input        reflect.Type
}

// newUnlocked returns the operation of a route such as "POST advance". Its input decodes
// into In, and its response encodes Out, unless that is none.
func newUnlocked[In, Out any](route, summary, example string, do func(s *Server, id string, in In) (Out, error)) operation {
	method, path, _ := strings.Cut(route, " ")
	return operation{method: method, path: path, summary: summary, example: example, input: reflect.TypeFor[In](),
		do: func(s *Server, id string, input []byte) (any, error) {
			var in In
			err := decodeControl(input, &in)
			if t := reflect.TypeFor[In](); err == nil && t.Kind() == reflect.Struct {
				err = checkRequired(input, t)
			}
			if err != nil {
				return nil, err
			}
			return do(s, id, in)
		}}
}

// newOperation is like newUnlocked, for an operation under the lock.
func newOperation[In, Out any](route, summary, example string, do func(c *control, in In) (Out, error)) operation {
	return newUnlocked(route, summary, example, func(s *Server, id string, in In) (out Out, err error) {
		err = s.run(id, func(c *control) (err error) {
			out, err = do(c, in)
			return err
		})
		return out, err
	})
}

// newAction is like newOperation, for an operation without an output.
func newAction[In any](route, summary, example string, do func(c *control, in In) error) operation {
	return newOperation(route, summary, example, func(c *control, in In) (none, error) { return none{}, do(c, in) })
}

// as returns an operation whose output is an object with one member.
func as[In, Out any](member string, do func(c *control, in In) (Out, error)) func(*control, In) (map[string]Out, error) {
	return func(c *control, in In) (map[string]Out, error) {
		out, err := do(c, in)
		return map[string]Out{member: out}, err
	}
}

// serveControl responds to a request below controlPath.
func (s *Server) serveControl(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, strings.TrimSuffix(controlPath, "/")), "/")
	if path == "health" { // Shows nothing, and a container's health check may come from anywhere.
		writeControl(w, http.StatusOK, health{"ok"})
		return
	}
	if err := guard.Admit(r, s.config.anyHost); err != nil {
		writeControlError(w, http.StatusForbidden, "FORBIDDEN", err)
		return
	}
	found, id, allowed := findOperation(r.Method, strings.Split(path, "/"))
	switch {
	case found != nil && found.do != nil:
		s.operate(w, r, found, id)
	case found != nil && path == "events":
		s.serveEvents(w, r)
	case found != nil:
		writeControl(w, http.StatusOK, newIndex())
	case allowed != "":
		w.Header().Set("Allow", allowed)
		writeControlError(w, http.StatusMethodNotAllowed, "NOT_FOUND", errors.New("use "+allowed))
	default:
		writeControlError(w, http.StatusNotFound, "NOT_FOUND", errors.New("the control API has no such path: GET "+controlPath+" lists all of them"))
	}
}

type health struct {
	Status string `json:"status"`
}

// operate executes an operation.
func (s *Server) operate(w http.ResponseWriter, r *http.Request, o *operation, id string) {
	input, err := readControl(w, r)
	if err == nil && r.URL.RawQuery != "" {
		input, err = queryInput(r, o)
	}
	var output any
	if err == nil {
		output, err = o.do(s, id, input)
	}
	if err == nil {
		writeControl(w, http.StatusOK, output)
		return
	}
	var conflict world.Conflict
	switch {
	case errors.Is(err, world.ErrUnknown):
		writeControlError(w, http.StatusNotFound, "NOT_FOUND", world.ErrUnknown)
	case errors.As(err, &conflict):
		writeControlError(w, http.StatusConflict, "CONFLICT", conflict)
	default:
		writeControlError(w, http.StatusBadRequest, "INVALID_INPUT", err)
	}
}

// findOperation returns the operation of a request and the id in its path. For a known
// path with other methods it returns these.
func findOperation(method string, path []string) (found *operation, id, allowed string) {
	for _, o := range operations {
		matched, ok := matchControl(strings.Split(o.path, "/"), path)
		if !ok {
			continue
		}
		if o.method == method {
			return &o, matched, ""
		}
		allowed = strings.TrimPrefix(allowed+", "+o.method, ", ")
	}
	return nil, "", allowed
}

// matchControl reports whether the segments of a request's path match an operation, and
// returns the id in the path.
func matchControl(pattern, path []string) (id string, ok bool) {
	if len(pattern) != len(path) {
		return "", false
	}
	for i, segment := range pattern {
		switch {
		case segment == "{id}":
			id = path[i]
		case segment != path[i]:
			return "", false
		}
	}
	return id, true
}

// readControl returns the body of a request, or nil without one. The body's Content-Type
// must be JSON.
func readControl(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := readLimited(w, r, maxControlBody)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the body could not be read: %w", err)
	case len(body) > maxControlBody:
		return nil, fmt.Errorf("the body is longer than %d bytes", maxControlBody)
	case len(bytes.TrimSpace(body)) == 0:
		return nil, nil
	}
	// A web page of another site can send a form, but not with this type.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, errors.New("send the header Content-Type: application/json")
	}
	return body, nil
}

// writeControlError writes an error envelope.
func writeControlError(w http.ResponseWriter, status int, code string, err error) {
	type body struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Field   string `json:"field,omitzero"`
	}
	var input inputError
	if result, ok := errors.AsType[*world.ResultError](err); ok {
		input = inputError{result.Name, result.Problem}
		err = input
	}
	errors.As(err, &input)
	writeControl(w, status, struct {
		Error body `json:"error"`
	}{body{code, err.Error(), input.field}})
}

// writeControl writes a response in JSON, or 204 for none.
func writeControl(w http.ResponseWriter, status int, response any) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if response == any(none{}) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(encodeControl(response), '\n'))
}

// queryInput returns the query of a GET as an input: numbers and booleans as such, if the
// input has them, and everything else as text.
func queryInput(r *http.Request, o *operation) ([]byte, error) {
	if r.Method != http.MethodGet {
		return nil, errors.New("send the input in the body, not in the query")
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, errors.New("the query string is malformed")
	}
	kinds := make(map[string]reflect.Kind)
	for _, field := range reflect.VisibleFields(o.input) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		kinds[name] = field.Type.Kind()
		if field.Type.Kind() == reflect.Pointer {
			kinds[name] = field.Type.Elem().Kind()
		}
	}
	input := make(map[string]jsontext.Value, len(query))
	for name, values := range query {
		if len(values) > 1 {
			return nil, inputError{name, "the parameter is given twice"}
		}
		_, notNumber := strconv.ParseFloat(values[0], 64)
		_, notBool := strconv.ParseBool(values[0])
		switch kind := kinds[name]; {
		case kind == reflect.Bool && notBool == nil, (kind == reflect.Int || kind == reflect.Int64) && notNumber == nil:
			input[name] = jsontext.Value(values[0])
		default:
			input[name] = encodeJSON(values[0])
		}
	}
	return encodeJSON(input), nil
}
