package docs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/generate"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestEveryOperationIsComplete compares every part of an operation with the table of
// operations, in both directions. The contract module does the same for each response of
// the OpenAPI document.
func TestEveryOperationIsComplete(t *testing.T) {
	t.Parallel()
	names, routes, all := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	for _, o := range operations.All() {
		names[o.Name], routes[o.Route], all[o.Name] = true, true, true
	}
	telemetry := text(t, "otelhiring/due.go")
	for _, o := range operations.Composed() {
		all[o.Name] = true
		assert.True(t, !o.Endless || strings.Contains(telemetry, `"`+o.Name+`"`), "%s is missing in pollingOperations in otelhiring/due.go", o.Name)
	}
	described := descriptions(t)
	for i, part := range []struct {
		what, where string
		want, have  map[string]bool
	}{
		{"row in the table of operations", "its resource's file in internal/testing/operations", methods(t), all},
		{"line in its service's comment", "its resource's file", except(routes, "GET /openapi.json"), commented(t)},
		{"operation in the OpenAPI document", "sandbox/openapi.json", routes, keys(described)},
		{"runnable example", "an example_*_test.go", all, runnable(t)},
		{"line that names it as code", "CHANGELOG.md", all, inChangelog(t, all)},
	} {
		for name := range part.want {
			if !part.have[name] {
				t.Errorf("%s has no %s: add it to %s", name, part.what, part.where)
			}
		}
		for name := range part.have {
			if !part.want[name] {
				t.Errorf("%s has a %s, but is no operation: add its row and its field of Client, or remove it from %s", name, part.what, part.where)
			}
		}
		if t.Failed() && i == 0 { // What lacks a row would be reported as superfluous everywhere else.
			return
		}
	}
	for _, o := range operations.All() {
		assert.NotEmpty(t, o.Cost, "%s has no cost: add it to its row in internal/testing/operations", o.Name)
		if requireRoute(t, o) {
			requireWire(t, o)
			requireDrift(t, o)
			requireTest(t, o)
			requireReadBack(t, o)
		}
	}
}

// inChangelog returns the operations that the changelog names.
func inChangelog(t *testing.T, all map[string]bool) map[string]bool {
	t.Helper()
	changelog := text(t, "CHANGELOG.md")
	named := maps.Clone(all)
	maps.DeleteFunc(named, func(name string, _ bool) bool { return !strings.Contains(changelog, "`"+name+"`") })
	return named
}

// TestGeneratedFilesAreCurrent compares the generated files with what go generate would write.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	guide, err := generate.OperationsGuide(".", operations.Rows())
	require.NoError(t, err)
	doc, err := generate.SandboxDoc(".", operations.Rows())
	require.NoError(t, err)
	for file, want := range map[string][]byte{"docs/operations.md": guide, "sandbox/doc.go": doc} {
		assert.True(t, string(want) == text(t, file), "%s is not current: run go generate .", file) //nolint:testifylint // Equal would print both.
	}
}

// requireRoute checks that the sandbox responds to the call, and that client and sandbox use the table's route.
func requireRoute(t *testing.T, o operations.Operation) (answers bool) {
	t.Helper()
	server := sandbox.Start(t)
	var seen hiring.Exchange
	client := server.Client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { seen = e }))
	got, err := o.Call(t.Context(), client, o.IDs)
	if err != nil {
		t.Errorf("%s has no sandbox route: add it in sandbox/routes.go: %v", o.Name, err)
		return false
	}
	if o.IsList() || strings.HasPrefix(fmt.Sprintf("%T", got), "hiring.Page[") {
		require.NotNil(t, o.Walk, "%s is not walked: add its row with list", o.Name)
		other := sandbox.Start(t)
		o.Walk(t, other.Client(), other)
		requireDistinct(t, o)
	} else if got != nil {
		assert.False(t, reflect.ValueOf(got).IsZero(), "%s: the sample data has nothing to read", o.Name)
	}
	assert.Equal(t, []string{o.Name, o.Route}, []string{seen.Operation, seen.Method + " " + seen.Route}, "what the client calls it and where it asks")
	entries := server.Journal()
	require.Len(t, entries, 1, o.Name)
	assert.Equal(t, o.Route, entries[0].Method+" "+entries[0].Route, "%s: the route of the sandbox", o.Name)
	_, _ = client.Do(t.Context(), o.Method(), o.Path(), nil, nil, nil)
	assert.Equal(t, regexp.MustCompile(`{[^}]+}`).ReplaceAllString(o.Template(), "{id}"), seen.Route,
		"Do does not know the route of %s: declare it with registerRoute, beside its service", o.Name)
	return true
}

// requireDistinct checks that an item comes once that a page of a list has twice.
func requireDistinct(t *testing.T, o operations.Operation) {
	t.Helper()
	var shown hiring.Response
	require.NoError(t, o.Do(hiring.WithResponse(t.Context(), &shown), sandbox.Start(t).Client(), slices.Concat([][]string{o.IDs}, o.OtherIDs)[len(o.OtherIDs)]))
	var page struct {
		Data []json.RawMessage `json:"data"`
	}
	require.NoError(t, json.Unmarshal(shown.Body, &page))
	server := apitest.NewScriptedServer(t, apitest.RespondData(fmt.Sprintf("[%[1]s,%[1]s]", page.Data[0])))
	got, err := o.Call(t.Context(), server.Client(), o.IDs)
	require.NoError(t, err, o.Name)
	assert.Equal(t, 1, reflect.ValueOf(got).FieldByName("Items").Len(), "%s: an item comes twice: set id or seq in its list", o.Name)
}

// TestEveryFieldOfAnInputIsSent gives each method that takes an input a value in each field, and none: then it must refuse it.
func TestEveryFieldOfAnInputIsSent(t *testing.T) {
	t.Parallel()
	inputs := 0
	for _, o := range operations.All() {
		service, method, _ := strings.Cut(o.Name, ".")
		server := apitest.NewScriptedServer(t, apitest.RespondError(http.StatusNotFound, hiring.ErrNotFound))
		of := reflect.ValueOf(server.Client()).Elem().FieldByName(service)
		if !of.IsValid() {
			continue
		}
		call := of.MethodByName(method)
		if n := call.Type().NumIn(); o.IsList() && n > len(o.IDs) {
			query, err := url.ParseQuery(o.Query)
			require.NoError(t, err)
			query.Del("page_size")
			assert.Len(t, query, call.Type().In(n-1).NumField(), "%s: its row in internal/testing/operations sets each field of its filter", o.Name)
		}
		args := []reflect.Value{reflect.ValueOf(t.Context())}
		for range o.IDs {
			args = append(args, reflect.ValueOf("an-id"))
		}
		if call.Type().NumIn() != len(args)+1 {
			continue
		}
		input := reflect.New(call.Type().In(len(args))).Elem()
		if _, ok := reflect.TypeAssert[map[string]any](input.FieldByName("Extra")); !ok {
			continue
		}
		inputs++
		results := call.Call(append(args, input))
		err, _ := reflect.TypeAssert[error](results[len(results)-1])
		require.ErrorIs(t, err, hiring.ErrInvalidInput, "%s accepts an empty input", o.Name)
		require.Empty(t, server.Requests(), "%s sends an empty input", o.Name)
		for i := range input.NumField() {
			fill(input.Field(i), i+11)
		}
		call.Call(append(args, input))
		body := server.Requests()[0].Body
		for i := range input.NumField() {
			assert.Contains(t, body, strconv.Itoa(i+11), "%s never sends %s", o.Name, input.Type().Field(i).Name)
		}
		var sent, row map[string]any
		require.NoError(t, json.Unmarshal([]byte(body), &sent))
		require.NoError(t, json.Unmarshal([]byte(o.Body), &row))
		delete(sent, "further")
		assert.ElementsMatch(t, slices.Collect(maps.Keys(sent)), slices.Collect(maps.Keys(row)), "%s: its row in internal/testing/operations sets each field", o.Name)
	}
	assert.GreaterOrEqual(t, inputs, 3, "methods with an input")
}

// fill sets a field of an input to a value that holds a number.
func fill(v reflect.Value, number int) {
	switch v.Kind() { //nolint:exhaustive // of no other kind is a field
	case reflect.String:
		v.SetString("value-" + strconv.Itoa(number))
	case reflect.Int:
		v.SetInt(int64(number))
	case reflect.Float64:
		v.SetFloat(float64(number))
	case reflect.Interface:
		v.Set(reflect.ValueOf(number))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), number)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), number)
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]any{"further": number}))
	default:
		panic("no value for " + v.Type().String())
	}
}

// requireReadBack checks that the reads of the same service show what a write has changed in the live data: the
// resource that it returned, or without one, that something has changed.
func requireReadBack(t *testing.T, o operations.Operation) {
	t.Helper()
	service, _, _ := strings.Cut(o.Name, ".")
	if o.Method() == http.MethodGet {
		return
	}
	server := sandbox.Start(t)
	client := server.LiveClient()
	var ids, others []string
	if len(o.IDs) > 0 {
		require.NotNil(t, o.Live, "%s has ids, but no Live in its row", o.Name)
		ids, others = o.Live(t, client, server)[:len(o.IDs)], o.Live(t, client, server)
	}
	read := func(written any, ids []string, least int) string { // By the operations that have at least so many ids.
		var all strings.Builder
		for _, r := range operations.All() {
			if r.Method() == http.MethodGet && strings.HasPrefix(r.Name, service+".") && len(r.IDs) >= least {
				got, err := r.Call(t.Context(), client, readable(written, ids)[:len(r.IDs)])
				raw, _ := json.Marshal(got)
				fmt.Fprintln(&all, regexp.MustCompile(`req_\w+`).ReplaceAllString(string(raw), ""), err != nil)
			}
		}
		return all.String()
	}
	before, beside := read(nil, ids, 0), read(nil, others, 1)
	if before == "" {
		return // Nothing reads what the service writes.
	}
	server.Advance(time.Second)
	written, err := o.Call(t.Context(), client, ids)
	require.NoError(t, err, "%s in the live data", o.Name)
	after := read(written, ids, 0)
	assert.Equal(t, beside, read(nil, others, 1), "%s: the reads of other ids show it too", o.Name)
	assert.NotEqual(t, before, after, "%s: no read of %s shows that it was done", o.Name, service)
	if written != nil {
		raw, err := json.Marshal(written)
		require.NoError(t, err)
		assert.Contains(t, after, string(raw), "%s: no read of %s shows what it returned", o.Name, service)
		var sent, kept map[string]any
		require.NoError(t, json.Unmarshal(raw, &kept))
		_ = json.Unmarshal([]byte(o.Body), &sent) // Without a body nothing was sent.
		for name := range sent {
			assert.Equal(t, sent[name], kept[name], "%s: the sandbox does not keep %s", o.Name, name)
		}
	}
}

// readable returns ids for the reads of a service: those of the write, or the id of what it has made.
func readable(written any, ids []string) []string {
	if resource := reflect.ValueOf(written); len(ids) == 0 && resource.Kind() == reflect.Struct {
		return []string{resource.FieldByName("ID").String()}
	}
	return append(slices.Clip(ids), sandbox.UnknownID)
}

func requireDrift(t *testing.T, o operations.Operation) {
	t.Helper()
	err := o.Do(t.Context(), sandbox.Start(t, sandbox.WithDrift(1)).Client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1})), o.IDs)
	assert.NoError(t, err, "%s fails when the sandbox adds unknown members and values", o.Name)
}

// requireWire checks that the call sends the query and the body of its row.
func requireWire(t *testing.T, o operations.Operation) {
	t.Helper()
	server := apitest.NewScriptedServer(t, apitest.RespondError(http.StatusNotFound, hiring.ErrNotFound))
	require.Error(t, o.Do(t.Context(), server.Client(), o.IDs))
	sent := server.Requests()[0]
	_, query, _ := strings.Cut(sent.URL, "?")
	assert.Equal(t, []string{o.Query, o.Body}, []string{query, sent.Body}, "%s: query and body of its row in internal/testing/operations", o.Name)
}

// requireTest checks that the behaviour that the row names makes the call.
func requireTest(t *testing.T, o operations.Operation) {
	t.Helper()
	test := operations.Tests()[o.Test]
	if !assert.NotNil(t, test, "%s has no suite function: name a behaviour of internal/testing/operations in its row", o.Name) {
		return
	}
	called := make(map[string]bool)
	t.Run(o.Name, func(t *testing.T) {
		server := sandbox.Start(t)
		test(t, server.Client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { called[e.Operation] = true })), server)
	})
	assert.True(t, called[o.Name], "%s has no suite function: %s, which its row names, does not call it", o.Name, o.Test)
}

// methods returns the methods of the client's services, and OpenAPI, which belongs to
// none.
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

// commented returns the routes that the services' comments list, each with its scope.
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

// runnable returns the operations that have an example with checked output.
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
