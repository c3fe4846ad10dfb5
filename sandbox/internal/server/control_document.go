package server

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/controlapi"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

type controlIndex struct {
	Documentation string             `json:"documentation"`
	MagicValues   map[string]string  `json:"magic_values"`
	Operations    []controlOperation `json:"operations"`
}

type controlOperation struct {
	Method  string          `json:"method"`
	Path    string          `json:"path"`
	Summary string          `json:"summary"`
	Example json.RawMessage `json:"example"` // null for an operation without a body
}

func listControls(s *Server, _ string, _ noBody) (controlIndex, error) {
	index := controlIndex{Documentation: controlPath + "openapi.json", MagicValues: s.config.MagicValues, Operations: []controlOperation{}}
	for _, r := range controlRoutes() {
		op := controlOperation{Method: r.method, Path: controlPath + r.path, Summary: r.summary, Example: json.RawMessage("null")}
		if r.example != "" {
			op.Example = json.RawMessage(r.example)
		}
		index.Operations = append(index.Operations, op)
	}
	return index, nil
}

// controlDocument returns the OpenAPI document of the control API, derived from
// its routes and from the types of their bodies.
func controlDocument() map[string]any {
	paths := make(map[string]any)
	for _, r := range controlRoutes() {
		path := controlPath + r.path
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path].(map[string]any)[strings.ToLower(r.method)] = r.document()
	}
	return map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "Control API of the hiring sandbox", "version": "1",
			"description": "Controls the fake server for tests. It needs no key and uses no rate limit.",
		},
		"servers":    []any{map[string]any{"url": "/"}},
		"security":   []any{},
		"paths":      paths,
		"components": map[string]any{"schemas": map[string]any{"Error": schema(reflect.TypeFor[controlErrorBody](), true)}},
	}
}

// document returns the operation's part of the OpenAPI document.
func (r *controlRoute) document() map[string]any {
	errorResponse := func(description string) map[string]any {
		return map[string]any{"description": description, "content": map[string]any{
			"application/json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Error"}},
		}}
	}
	responses := map[string]any{"403": errorResponse("The request came from another machine or from a web page.")}
	if strings.Contains(r.path, "{id}") || r.input != nil {
		responses["400"] = errorResponse("The body is invalid, or the step is impossible.")
		responses["404"] = errorResponse("The live data has no such id.")
	}
	if r.output == nil {
		responses["204"] = map[string]any{"description": "Done."}
	} else {
		responses["200"] = map[string]any{"description": "Done.", "content": map[string]any{
			"application/json": map[string]any{"schema": schema(r.output, true)},
		}}
	}
	op := map[string]any{"operationId": r.id(), "summary": r.summary, "responses": responses}
	if r.input != nil {
		media := map[string]any{"schema": schema(r.input, false)}
		if r.example != "" {
			media["example"] = json.RawMessage(r.example)
		}
		op["requestBody"] = map[string]any{"required": !r.optional, "content": map[string]any{"application/json": media}}
	}
	if strings.Contains(r.path, "{id}") {
		op["parameters"] = []any{map[string]any{"name": "id", "in": "path", "required": true, "schema": map[string]any{"type": "string"}}}
	}
	return op
}

// id returns a name for the operation, such as postSubmissionsIdEvaluate.
func (r *controlRoute) id() string {
	id := strings.ToLower(r.method)
	words := strings.FieldsFunc(r.path, func(c rune) bool { return strings.ContainsRune("/{}.", c) })
	if len(words) == 0 {
		words = []string{"index"}
	}
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return id + strings.Join(words, "")
}

// schema returns the JSON schema of a type. With output, a response encodes it: every
// member is present. Otherwise it is a request body: members can be left out, and unknown
// ones are rejected.
func schema(t reflect.Type, output bool) map[string]any {
	switch t {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[world.Moment]():
		return map[string]any{"type": "string", "format": "date-time"}
	case reflect.TypeFor[controlapi.Span]():
		return map[string]any{"type": []any{"number", "string"}, "description": "Seconds, or a text like 1m30s."}
	case reflect.TypeFor[json.RawMessage]():
		return map[string]any{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		s := schema(t.Elem(), output)
		types, ok := s["type"].([]any)
		if !ok {
			types = []any{s["type"]}
		}
		s["type"] = append(slices.Clone(types), "null")
		return s
	case reflect.Struct:
		return objectSchema(t, output)
	case reflect.Map:
		return map[string]any{"type": []any{"object", "null"}, "additionalProperties": schema(t.Elem(), output)}
	case reflect.Slice:
		s := map[string]any{"type": "array", "items": schema(t.Elem(), output)}
		if !output {
			s["type"] = []any{"array", "null"}
		}
		return s
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Interface:
		return map[string]any{}
	default: // Bodies of the control API have no other types than integers.
		return map[string]any{"type": "integer"}
	}
}

func objectSchema(t reflect.Type, output bool) map[string]any {
	properties, names := make(map[string]any), []any{}
	for field := range t.Fields() {
		if field.Anonymous {
			maps.Copy(properties, schema(field.Type, output)["properties"].(map[string]any))
			continue
		}
		name := field.Tag.Get("json")
		properties[name] = schema(field.Type, output)
		names = append(names, name)
	}
	s := map[string]any{"type": "object", "properties": properties}
	if output {
		s["required"] = names
	} else {
		s["additionalProperties"] = false
	}
	return s
}
