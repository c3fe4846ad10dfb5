// Package contract validates the exchanges of the client and the sandbox against the
// OpenAPI document that the sandbox serves. It uses kin-openapi, which is independent of
// this repository, and is stricter than OpenAPI: a status, header or member that the
// document does not describe is an error.
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

// Document is an OpenAPI document with its operations.
type Document struct {
	spec   *openapi3.T
	router routers.Router
}

// Load parses a document. It returns an error if the document, an example or a default is
// invalid.
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

// Status is a documented status of an operation.
type Status struct {
	Operation string
	Status    int
}

func (a Status) String() string { return fmt.Sprintf("%s %d", a.Operation, a.Status) }

// Routes returns all operations with their methods and paths, in the order of their ids.
func (d *Document) Routes() []*routers.Route {
	var all []*routers.Route
	for path, item := range d.spec.Paths.Map() {
		for method, operation := range item.Operations() {
			all = append(all, &routers.Route{Method: method, Path: path, Operation: operation})
		}
	}
	slices.SortFunc(all, func(a, b *routers.Route) int {
		return strings.Compare(a.Operation.OperationID, b.Operation.OperationID)
	})
	return all
}

// Statuses returns the documented statuses of an operation.
func Statuses(o *openapi3.Operation) []Status {
	var all []Status
	for status := range o.Responses.Map() {
		var code int
		if _, err := fmt.Sscanf(status, "%d", &code); err == nil {
			all = append(all, Status{o.OperationID, code})
		}
	}
	slices.SortFunc(all, func(a, b Status) int { return a.Status - b.Status })
	return all
}

// Scope returns the scope that an operation requires.
func Scope(o *openapi3.Operation) string {
	if o.Security == nil || len(*o.Security) != 1 || len((*o.Security)[0]["ApiKey"]) != 1 {
		return ""
	}
	return (*o.Security)[0]["ApiKey"][0]
}

// promised are the headers that every response has and that the document describes for
// every response.
var promised = []string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Date"}

// transportHeaders belong to HTTP and not to the API.
var transportHeaders = []string{"Content-Type", "Content-Length", "Connection", "Allow"}

func isDescribed(header string, in openapi3.Headers) bool {
	for name := range in {
		if http.CanonicalHeaderKey(name) == header {
			return true
		}
	}
	return false
}
