package sandbox

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"mime"
	"net/http"
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

	// do calls decode for its input. It is nil if serveControl handles the operation.
	do func(s *Server, id string, decode func(into any) error) (any, error)
}

// newOperation returns the operation of a route such as "POST quota". Its input decodes into
// In, and its response encodes Out, unless that is none. do is called with the lock held.
func newOperation[In, Out any](route, summary, example string, do func(c *control, in In) (Out, error)) operation {
	return newSearch(route, summary, example, func(s *Server, id string, in In) (out Out, err error) {
		err = s.withLock(id, func(c *control) (err error) {
			out, err = do(c, in)
			return err
		})
		return out, err
	})
}

// newSearch is like newOperation. Its do is called without the lock, because it searches.
func newSearch[In, Out any](route, summary, example string, do func(s *Server, id string, in In) (Out, error)) operation {
	method, path, _ := strings.Cut(route, " ")
	o := operation{Method: method, Path: controlPath + path, Summary: summary}
	if example != "" {
		o.Example = jsontext.Value(example)
	}
	o.do = func(s *Server, id string, decode func(into any) error) (any, error) {
		var in In
		if err := decode(&in); err != nil {
			return nil, err
		}
		return do(s, id, in)
	}
	return o
}

// withoutOutput adapts a function that has no output.
func withoutOutput[In any](do func(c *control, in In) error) func(*control, In) (none, error) {
	return func(c *control, in In) (none, error) { return none{}, do(c, in) }
}

// inMember adapts a function whose output becomes the only member of an object.
func inMember[In, Out any](name string, do func(c *control, in In) (Out, error)) func(*control, In) (map[string]Out, error) {
	return func(c *control, in In) (map[string]Out, error) {
		out, err := do(c, in)
		return map[string]Out{name: out}, err
	}
}

// serveControl responds to a request below controlPath.
func (s *Server) serveControl(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	if path == controlPath+"health" { // Shows nothing, and a container's health check may come from anywhere.
		writeControl(w, http.StatusOK, map[string]string{"status": "ok"})
		return
	}
	if err := guard.Admit(r, s.config.anyHost); err != nil {
		writeControlError(w, controlError{http.StatusForbidden, "FORBIDDEN", err.Error()})
		return
	}
	found, params, allowed := match(controlRoutes(), controlPath, r.Method, path)
	switch {
	case classOf(r.Method) == ClassRead && (path == controlPath || path+"/" == controlPath):
		writeControl(w, http.StatusOK, s.newIndex())
	case found == nil && allowed != "":
		w.Header().Set("Allow", allowed)
		writeControlError(w, controlError{http.StatusMethodNotAllowed, "NOT_FOUND", "use " + allowed})
	case found == nil:
		writeControlError(w, controlError{http.StatusNotFound, "NOT_FOUND", "the control API has no such path: GET " + controlPath + " lists all of them"})
	case path == controlPath+"events":
		s.serveEvents(w, r)
	default:
		output, err := found.operation.do(s, strings.Join(params, ""), func(into any) error { return decodeInput(w, r, into) })
		if err != nil {
			writeControlError(w, err)
			return
		}
		if asFile := r.URL.Query().Has("zipped"); asFile || strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w = zipping{w, asFile}
		}
		writeControl(w, http.StatusOK, output)
	}
}

// zipping marks the response to a client that accepts gzip, or that wants a file in gzip.
type zipping struct {
	http.ResponseWriter

	asFile bool
}

// minZipped is the size from which a response is compressed.
const minZipped = 2 << 10

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

// decodeInput decodes the input of a request: the query of a GET, or else the body.
func decodeInput(w http.ResponseWriter, r *http.Request, into any) error {
	body, err := readControl(w, r)
	switch {
	case err != nil:
		return err
	case r.URL.RawQuery == "":
		return decodeControl(body, into)
	case r.Method != http.MethodGet:
		return errors.New("send the input in the body, not in the query")
	}
	return decodeQuery(r, into)
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

// controlError is an error that is no wrong input.
type controlError struct {
	status        int
	code, message string
}

func (e controlError) Error() string { return e.message }

// writeControlError writes an error envelope.
func writeControlError(w http.ResponseWriter, err error) {
	status, code := http.StatusBadRequest, "INVALID_INPUT"
	var own controlError
	switch {
	case errors.As(err, &own):
		status, code = own.status, own.code
	case errors.Is(err, world.ErrUnknown):
		status, code = http.StatusNotFound, "NOT_FOUND"
	case errors.As(err, new(world.Conflict)):
		status, code = http.StatusConflict, "CONFLICT"
	}
	shown := map[string]string{"code": code, "message": err.Error()}
	if input := (inputError{}); errors.As(err, &input) {
		shown["field"] = input.field
	}
	writeControl(w, status, map[string]any{"error": shown})
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
	body := append(encodeControl(response), '\n')
	if to, accepted := w.(zipping); accepted && (to.asFile || len(body) >= minZipped) {
		if to.asFile {
			h.Set("Content-Type", "application/gzip")
		} else {
			h.Set("Content-Encoding", "gzip")
		}
		w.WriteHeader(status)
		zipped, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // The level is valid.
		_, _ = zipped.Write(body)
		_ = zipped.Close()
		return
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
