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
	"sync"

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
	Method  string         `json:"method"`
	Path    string         `json:"path"`
	Summary string         `json:"summary"`
	Example jsontext.Value `json:"example,omitzero"` // Of a request body or a query.

	input reflect.Type
	do    func(s *Server, id string, input []byte) (any, error) // Nil if serveControl handles it.
}

// newOperation returns the operation of a route such as "POST quota". Its input decodes into
// In, and its response encodes Out, unless that is none. do is called without the lock.
func newOperation[In, Out any](route, summary, example string, do func(s *Server, id string, in In) (Out, error)) operation {
	method, path, _ := strings.Cut(route, " ")
	o := operation{Method: method, Path: controlPath + path, Summary: summary, input: reflect.TypeFor[In]()}
	if example != "" {
		o.Example = jsontext.Value(example)
	}
	o.do = func(s *Server, id string, input []byte) (any, error) {
		var in In
		if err := decodeControl(input, &in); err != nil {
			return nil, err
		}
		return do(s, id, in)
	}
	return o
}

// locked returns an operation that holds the lock.
func locked[In, Out any](do func(c *control, in In) (Out, error)) func(*Server, string, In) (Out, error) {
	return func(s *Server, id string, in In) (out Out, err error) {
		err = s.run(id, func(c *control) (err error) {
			out, err = do(c, in)
			return err
		})
		return out, err
	}
}

// action is like locked, without an output.
func action[In any](do func(c *control, in In) error) func(*Server, string, In) (none, error) {
	return locked(func(c *control, in In) (none, error) { return none{}, do(c, in) })
}

// step is the operation that takes a candidate to a stage.
func step(to world.Stage) func(*Server, string, none) (none, error) {
	return action(func(c *control, _ none) error {
		_, err := taking(to)(c)
		return err
	})
}

// as is like locked, for an output that is an object with one member.
func as[In, Out any](member string, do func(c *control, in In) (Out, error)) func(*Server, string, In) (map[string]Out, error) {
	return locked(func(c *control, in In) (map[string]Out, error) {
		out, err := do(c, in)
		return map[string]Out{member: out}, err
	})
}

// serveControl responds to a request below controlPath.
func (s *Server) serveControl(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	if path == controlPath+"health" { // Shows nothing, and a container's health check may come from anywhere.
		writeControl(w, http.StatusOK, map[string]string{"status": "ok"})
		return
	}
	if err := guard.Admit(r, s.config.anyHost); err != nil {
		writeControlError(w, forbidden{err})
		return
	}
	found, params, allowed := match(controlRoutes(), controlPath, r.Method, path)
	switch {
	case classOf(r.Method) == ClassRead && (path == controlPath || path+"/" == controlPath):
		writeControl(w, http.StatusOK, s.newIndex())
	case found == nil && allowed != "":
		w.Header().Set("Allow", allowed)
		writeControlError(w, wrongMethod{allowed})
	case found == nil:
		writeControlError(w, errNoPath)
	case path == controlPath+"events":
		s.serveEvents(w, r)
	default:
		output, err := found.operation.run(s, w, r, strings.Join(params, ""))
		if err != nil {
			writeControlError(w, err)
			return
		}
		writeControl(w, http.StatusOK, output)
	}
}

// controlRoutes returns the routes of the operations.
var controlRoutes = sync.OnceValue(func() (routes []*route) {
	for i := range operations {
		o := &operations[i]
		r := newRoute("", o.Method+" /"+strings.TrimPrefix(o.Path, controlPath), nil)
		r.operation = o
		routes = append(routes, r)
	}
	return routes
})

// run executes the operation with the input of a request.
func (o *operation) run(s *Server, w http.ResponseWriter, r *http.Request, id string) (any, error) {
	input, err := readControl(w, r)
	if err == nil && r.URL.RawQuery != "" {
		input, err = queryInput(r, o.input)
	}
	if err != nil {
		return nil, err
	}
	return o.do(s, id, input)
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

// queryInput returns the query of a GET as an input: numbers and booleans as such, if the
// input has them, and everything else as text.
func queryInput(r *http.Request, input reflect.Type) ([]byte, error) {
	if r.Method != http.MethodGet {
		return nil, errors.New("send the input in the body, not in the query")
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, errors.New("the query string is malformed")
	}
	kinds := make(map[string]reflect.Kind)
	for _, field := range reflect.VisibleFields(input) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		kinds[name] = field.Type.Kind()
		if field.Type.Kind() == reflect.Pointer {
			kinds[name] = field.Type.Elem().Kind()
		}
	}
	object := make(map[string]jsontext.Value, len(query))
	for name, values := range query {
		if len(values) > 1 {
			return nil, inputError{name, "the parameter is given twice"}
		}
		_, notNumber := strconv.ParseFloat(values[0], 64)
		_, notBool := strconv.ParseBool(values[0])
		switch kind := kinds[name]; {
		case kind == reflect.Bool && notBool == nil, (kind == reflect.Int || kind == reflect.Int64) && notNumber == nil:
			object[name] = jsontext.Value(values[0])
		default:
			object[name] = encodeJSON(values[0])
		}
	}
	return encodeJSON(object), nil
}

// The errors of the control API that are no wrong input.
var errNoPath = errors.New("the control API has no such path: GET " + controlPath + " lists all of them")

type (
	forbidden   struct{ error }
	wrongMethod struct{ allowed string }
)

func (e wrongMethod) Error() string { return "use " + e.allowed }

// writeControlError writes an error envelope.
func writeControlError(w http.ResponseWriter, err error) {
	status, code := http.StatusBadRequest, "INVALID_INPUT"
	switch {
	case errors.As(err, new(forbidden)):
		status, code = http.StatusForbidden, "FORBIDDEN"
	case errors.As(err, new(wrongMethod)):
		status, code = http.StatusMethodNotAllowed, "NOT_FOUND"
	case errors.Is(err, world.ErrUnknown), errors.Is(err, errNoPath):
		status, code = http.StatusNotFound, "NOT_FOUND"
	case errors.As(err, new(world.Conflict)):
		status, code = http.StatusConflict, "CONFLICT"
	}
	type body struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Field   string `json:"field,omitzero"`
	}
	var input inputError
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
	_, _ = w.Write(append(encodeControl(response), '\n')) //nolint:gosec // JSON that browsers do not sniff
}
