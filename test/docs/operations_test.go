package docs_test

import (
	"context"
	"encoding/json"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestNoEndpointByHalves holds every part of an endpoint against the one table of
// operations, both ways: no operation lacks one, and none is there for nothing.
// The contract module does the same for each answer that the document promises.
func TestNoEndpointByHalves(t *testing.T) {
	t.Parallel()
	names, routes, all := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	for _, o := range operations.Operations {
		names[o.Name], routes[o.Route], all[o.Name] = true, true, true
	}
	for _, name := range operations.Composed {
		all[name] = true
	}
	described := descriptions(t)
	for _, part := range []struct {
		what, where string
		want, have  map[string]bool
	}{
		{"row in the one table", "Operations in internal/testing/operations/operations.go", methods(t), all},
		{"method of the client", "its resource's file", all, methods(t)},
		{"line in its service's comment", "its resource's file", except(routes, "GET /openapi.json"), commented(t)},
		{"OpenAPI operation", "sandbox/openapi.json", routes, keys(described)},
		{"provenance row", "the table of operations in sandbox/doc.go", names, keys(provenances(t))},
		{"request on the wire", "operations in helpers_test.go", names, wired()},
		{"golden shape", "goldens in golden_test.go", names, goldenOperations()},
		{"runnable example", "its resource's file, example_*_test.go", all, runnable(t)},
		{"row in the guide", "docs/operations.md", except(all, "OpenAPI"), rows(t)},
	} {
		for name := range part.want {
			if !part.have[name] {
				t.Errorf("%s has no %s: add it to %s", name, part.what, part.where)
			}
		}
		for name := range part.have {
			if !part.want[name] {
				t.Errorf("%s is no operation; its %s is there for nothing: remove it from %s", name, part.what, part.where)
			}
		}
	}
	for _, o := range operations.Operations {
		assert.Equal(t, o.Route+" "+described[o.Route], provenances(t)[o.Name], "%s: its provenance in sandbox/openapi.json and in sandbox/doc.go", o.Name)
	}
	for _, o := range operations.Operations {
		if requireRoute(t, o) {
			requireDrift(t, o)
			requireTest(t, o)
		}
	}
}

// requireRoute wants the sandbox to answer what the client asks, and both to have
// the table's route for it.
func requireRoute(t *testing.T, o operations.Operation) (answers bool) {
	t.Helper()
	server := sandbox.Start(t)
	var seen hiring.Exchange
	client := server.Client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { seen = e }))
	if err := o.Call(t.Context(), client, o.IDs); !assert.NoError(t, err, "%s has no sandbox route: add it to newRoutes in sandbox/internal/server/routes.go", o.Name) {
		return false
	}
	assert.Equal(t, []string{o.Name, o.Route}, []string{seen.Operation, seen.Method + " " + seen.Route}, "what the client calls it and where it asks")
	entries := server.Journal()
	require.Len(t, entries, 1, o.Name)
	assert.Equal(t, o.Route, entries[0].Method+" "+entries[0].Route, "%s: the sandbox's route, in newRoutes of sandbox/internal/server/routes.go", o.Name)
	return true
}

func requireDrift(t *testing.T, o operations.Operation) {
	t.Helper()
	err := o.Call(t.Context(), sandbox.Start(t, sandbox.WithDrift(1)).Client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1})), o.IDs)
	assert.NoError(t, err, "%s has no drift shape: give its row in newRoutes of sandbox/internal/server/routes.go one", o.Name)
}

// requireTest wants the test of the suite that the table names to make the call.
func requireTest(t *testing.T, o operations.Operation) {
	t.Helper()
	test := operations.Tests[o.Test]
	if !assert.NotNil(t, test, "%s has no suite function: name one of operations.Tests in its row", o.Name) {
		return
	}
	called := make(map[string]bool)
	t.Run(o.Name, func(t *testing.T) {
		server := sandbox.Start(t)
		test(t, server.Client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { called[e.Operation] = true })), server)
	})
	assert.True(t, called[o.Name], "%s has no suite function: %s, which its row names, does not call it", o.Name, o.Test)
}

// methods are those of the client's services, and OpenAPI, which has none.
func methods(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{"OpenAPI": true}
	for service := range reflect.TypeFor[hiring.Client]().Fields() {
		if !service.IsExported() {
			continue
		}
		for method := range service.Type.Methods() {
			all[service.Name+"."+method.Name] = true
		}
	}
	require.Greater(t, len(all), 15)
	return all
}

// commented are the routes that the services' comments list, each with its scope.
func commented(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	routes := make(map[string]bool)
	for _, file := range files {
		for _, line := range regexp.MustCompile(`(?m)^//\t([A-Z]+) +(/\S+) +(read|write)\b`).FindAllStringSubmatch(text(t, file), -1) {
			routes[line[1]+" "+line[2]] = true
			assert.Equal(t, line[1] == "GET", line[3] == "read", "%s: the scope of %s", file, line[2])
		}
	}
	return routes
}

// descriptions returns the operations of the OpenAPI document by their routes,
// each with the least certain provenance of the operation and its responses.
func descriptions(t *testing.T) map[string]string {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			Provenance string `json:"x-provenance"`
			Responses  map[string]struct {
				Provenance string `json:"x-provenance"`
			} `json:"responses"`
		} `json:"paths"`
	}
	levels := []string{"documented", "inferred", "invented"}
	require.NoError(t, json.Unmarshal([]byte(text(t, "sandbox/openapi.json")), &document))
	all := make(map[string]string)
	for path, operations := range document.Paths {
		for method, operation := range operations {
			worst := slices.Index(levels, operation.Provenance)
			for _, response := range operation.Responses {
				worst = max(worst, slices.Index(levels, response.Provenance))
			}
			all[strings.ToUpper(method)+" "+strings.TrimPrefix(path, "/api/v1")] = levels[worst]
		}
	}
	return all
}

// provenances are the routes and the provenance in the sandbox's documentation,
// by the names of their operations.
func provenances(t *testing.T) map[string]string {
	t.Helper()
	all := make(map[string]string)
	row := regexp.MustCompile(`(?m)^//\t(\S+) +((?:GET|POST|PATCH|PUT|DELETE) /\S+) +(documented|inferred|invented)$`)
	for _, columns := range row.FindAllStringSubmatch(text(t, "sandbox/doc.go"), -1) {
		all[columns[1]] = columns[2] + " " + columns[3]
	}
	return all
}

// wired are the operations of which it is tested what they put on the wire.
func wired() map[string]bool {
	all := make(map[string]bool)
	for _, o := range apitest.Operations() {
		if o.Name != "Do" && !slices.Contains(operations.Composed, o.Name) { // What Do sends is its caller's.
			all[o.Name] = true
		}
	}
	return all
}

func goldenOperations() map[string]bool {
	all := keys(apitest.Goldens)
	for _, name := range goldenless {
		all[name] = true
	}
	return all
}

// runnable are the operations that have an example of their own whose output is
// checked.
func runnable(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("example*_test.go")
	require.NoError(t, err)
	all := make(map[string]bool)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, example := range doc.Examples(file) {
			if example.Output == "" {
				continue
			}
			for operation := range methods(t) {
				service, method, _ := strings.Cut(operation, ".")
				kind, _ := reflect.TypeFor[hiring.Client]().FieldByName(service)
				if kind.Type != nil && example.Name == kind.Type.Elem().Name()+"_"+method || example.Name == "Client_"+operation {
					all[operation] = true
				}
			}
		}
	}
	return all
}

// rows are the operations that the guide's table has.
func rows(t *testing.T) map[string]bool {
	t.Helper()
	all := make(map[string]bool)
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Z][a-z]+\\.[A-Z][A-Za-z]+)\\(").FindAllStringSubmatch(text(t, "docs/operations.md"), -1) {
		all[row[1]] = true
	}
	return all
}

func keys[V any](m map[string]V) map[string]bool {
	all := make(map[string]bool, len(m))
	for key := range m {
		all[key] = true
	}
	return all
}

func except(all map[string]bool, name string) map[string]bool {
	fewer := maps.Clone(all)
	delete(fewer, name)
	return fewer
}
