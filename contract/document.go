// Package contract judges what the client and the sandbox say to each other by
// the OpenAPI document that the sandbox serves. The judge is kin-openapi, which
// knows nothing of this repository, made stricter where OpenAPI is lenient: a
// status, a header or a member that the document does not describe is a fault.
package contract

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// Document is an OpenAPI document that can judge.
type Document struct {
	spec   *openapi3.T
	router routers.Router
}

// Load reads a document and refuses one that is not valid itself, examples and
// defaults included.
func Load(raw []byte) (*Document, error) {
	spec, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return nil, err
	}
	if err := spec.Validate(context.Background(), openapi3.EnableExamplesValidation(),
		openapi3.EnableSchemaDefaultsValidation(), openapi3.EnableSchemaPatternValidation()); err != nil {
		return nil, err
	}
	router, err := gorillamux.NewRouter(spec)
	if err != nil {
		return nil, err
	}
	return &Document{spec, router}, nil
}

// Answer is a status that an operation can answer with.
type Answer struct {
	Operation string
	Status    int
}

func (a Answer) String() string { return fmt.Sprintf("%s %d", a.Operation, a.Status) }

// Operation is one of the document, and where it is.
type Operation struct {
	Method, Path string
	*openapi3.Operation
}

// Operations returns all operations, in the order of their ids.
func (d *Document) Operations() []Operation {
	var all []Operation
	for path, item := range d.spec.Paths.Map() {
		for method, operation := range item.Operations() {
			all = append(all, Operation{method, path, operation})
		}
	}
	slices.SortFunc(all, func(a, b Operation) int { return strings.Compare(a.OperationID, b.OperationID) })
	return all
}

// Answers returns every answer that the operation documents.
func (o Operation) Answers() []Answer {
	var all []Answer
	for status := range o.Responses.Map() {
		var code int
		if _, err := fmt.Sscanf(status, "%d", &code); err == nil {
			all = append(all, Answer{o.OperationID, code})
		}
	}
	slices.SortFunc(all, func(a, b Answer) int { return a.Status - b.Status })
	return all
}

// Scope returns the scope that the operation's security asks for.
func (o Operation) Scope() string {
	if o.Security == nil || len(*o.Security) != 1 || len((*o.Security)[0]["ApiKey"]) != 1 {
		return ""
	}
	return (*o.Security)[0]["ApiKey"][0]
}

// promised are the headers that every response must have and every response of the
// document must describe.
var promised = []string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Date"}

// transport headers belong to HTTP and not to the interface.
var transportHeaders = []string{"Content-Type", "Content-Length", "Connection", "Allow"}

func isDescribed(header string, in openapi3.Headers) bool {
	for name := range in {
		if http.CanonicalHeaderKey(name) == header {
			return true
		}
	}
	return false
}
