package contract_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/routers"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// prober sends requests that the client never sends.
type prober struct {
	t      *testing.T
	client *http.Client
}

// probe sends each operation the bounds of its parameters and malformed requests.
func probe(t *testing.T, c *suite) {
	for _, route := range c.document.Routes() {
		t.Run(route.Operation.OperationID, func(t *testing.T) {
			server := sandbox.Start(t)
			p := prober{t, &http.Client{Transport: c.validator(t, server, server.Transport())}}
			path := fill(t, route)
			p.bounds(route, path)
			p.malformed(route, path)
			p.bodies(route, path)
		})
	}
	server := sandbox.Start(t)
	p := prober{t, &http.Client{Transport: c.validator(t, server, server.Transport())}}
	for _, path := range []string{"/api/v1/nowhere", "/api/v2/account", "/", "/api/v1//account", "/api/v1/account/"} {
		assert.Equal(t, http.StatusNotFound, p.send(http.MethodGet, path, ""))
		assert.Equal(t, http.StatusNotFound, p.send(http.MethodPost, path, "{}"))
	}
	assert.Equal(t, http.StatusMethodNotAllowed, p.send(http.MethodPut, "/api/v1/account", "{}"))
}

// fill replaces the placeholders of a path with ids that exist.
func fill(t *testing.T, o *routers.Route) string {
	t.Helper()
	for _, known := range operations.All() {
		if known.Route == o.Method+" "+strings.TrimPrefix(o.Path, "/api/v1") {
			return "/api/v1" + known.Path()
		}
	}
	t.Fatalf("%s: %s %s is not in operations.All()", o.Operation.OperationID, o.Method, o.Path)
	return ""
}

// send sends a request with a key of every scope.
func (p prober) send(method, path, body string) int {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, base+path, strings.NewReader(body))
	require.NoError(p.t, err)
	r.Header.Set("Authorization", "Bearer "+sandbox.TestKey)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := p.client.Do(r)
	require.NoError(p.t, err)
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(p.t, err)
	require.NoError(p.t, res.Body.Close())
	return res.StatusCode
}

// bounds sends each number at its bounds and just beyond them, and each value of an enum.
func (p prober) bounds(o *routers.Route, path string) {
	for _, ref := range o.Operation.Parameters {
		parameter := ref.Value
		if parameter.In != openapi3.ParameterInQuery {
			continue
		}
		ask := func(value any) int { return p.send(o.Method, fmt.Sprintf("%s?%s=%v", path, parameter.Name, value), "") }
		schema := parameter.Schema.Value
		if schema.Min != nil {
			assert.Equal(p.t, http.StatusOK, ask(int64(*schema.Min)), "%s at its minimum", parameter.Name)
			assert.Equal(p.t, http.StatusBadRequest, ask(int64(*schema.Min)-1), "%s below its minimum", parameter.Name)
			assert.Equal(p.t, http.StatusBadRequest, ask("some"), "%s is a number", parameter.Name)
		}
		if schema.Max != nil {
			assert.Equal(p.t, http.StatusOK, ask(int64(*schema.Max)), "%s at its maximum", parameter.Name)
			assert.Equal(p.t, http.StatusBadRequest, ask(int64(*schema.Max)+1), "%s above its maximum", parameter.Name)
		}
		if schema.Default != nil {
			assert.Equal(p.t, http.StatusOK, ask(schema.Default), "%s at its default", parameter.Name)
		}
		if parameter.Example != nil {
			assert.Equal(p.t, http.StatusOK, ask(parameter.Example), "%s at its example", parameter.Name)
		}
		for _, value := range schema.Enum {
			assert.Contains(p.t, []int{http.StatusOK, http.StatusBadRequest}, ask(value))
		}
		if len(schema.Enum) > 0 {
			assert.Equal(p.t, http.StatusBadRequest, ask("another"))
		}
	}
}

// malformed sends an invalid query and a body that is too large.
func (p prober) malformed(o *routers.Route, path string) {
	assert.Equal(p.t, http.StatusBadRequest, p.send(o.Method, path+"?%zz", ""))
	assert.Equal(p.t, http.StatusBadRequest, p.send(o.Method, path, `"`+strings.Repeat("a", 600<<10)+`"`))
}

// bodies sends the documented example, then the example without each required member and
// with a wrong type of each member.
func (p prober) bodies(o *routers.Route, path string) {
	if o.Operation.RequestBody == nil {
		return
	}
	media := o.Operation.RequestBody.Value.Content.Get("application/json")
	example, ok := media.Example.(map[string]any)
	require.True(p.t, ok)
	send := func(name string, value any) int {
		body := maps.Clone(example)
		body[name] = value
		if value == nil {
			delete(body, name)
		}
		raw, err := json.Marshal(body)
		require.NoError(p.t, err)
		return p.send(o.Method, path, string(raw))
	}
	assert.Less(p.t, send("", nil), 300, "the example")
	for _, name := range media.Schema.Value.Required {
		assert.Equal(p.t, http.StatusBadRequest, send(name, nil), "without %s", name)
	}
	for name := range media.Schema.Value.Properties {
		assert.Equal(p.t, http.StatusBadRequest, send(name, map[string]any{}), "%s is no object", name)
	}
	for _, wrong := range []string{"", "{", "[]", "null", `{"name":"a"} {}`} {
		assert.Equal(p.t, http.StatusBadRequest, p.send(o.Method, path, wrong), "%q", wrong)
	}
}
