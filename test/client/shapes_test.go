package client_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// shape is the members of an object, as the schema of an OpenAPI document describes them.
type shape map[string]member

// member is a member of an object.
type member struct {
	Kind   memberKind
	Fields shape // Of an object, or of the objects of an array.
}

// memberKind is a set of properties of a member.
type memberKind int

// Properties of members.
const (
	object memberKind = 1 << iota
	objects
	nullable
	optional // May be absent.
)

// schema is the part of a JSON schema that shapes derive from.
type schema struct {
	Ref        string            `json:"$ref"`
	Type       any               `json:"type"`
	Required   []string          `json:"required"`
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	AnyOf      []schema          `json:"anyOf"`
}

// document is the part of an OpenAPI document that shapes derive from.
type document struct {
	Paths map[string]map[string]struct {
		Responses map[string]struct {
			Content map[string]struct {
				Schema schema `json:"schema"`
			} `json:"content"`
		} `json:"responses"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

// shapes returns the shape of the data of each operation's 2xx response, by route, from
// the sandbox's OpenAPI document. Operations without an object or a list in data have
// none.
func shapes(t *testing.T) map[string]shape {
	t.Helper()
	raw, err := sandbox.Start(t).Client().OpenAPI(t.Context())
	require.NoError(t, err)
	var d document
	require.NoError(t, json.Unmarshal(raw, &d))
	shapes := make(map[string]shape)
	for path, methods := range d.Paths {
		for method, operation := range methods {
			for status, response := range operation.Responses {
				if !strings.HasPrefix(status, "2") {
					continue
				}
				envelope := d.resolve(response.Content["application/json"].Schema)
				data, _ := d.member(envelope.Properties["data"])
				if data.Kind&(object|objects) != 0 {
					shapes[strings.ToUpper(method)+" "+strings.TrimPrefix(path, "/api/v1")] = data.Fields
				}
			}
		}
	}
	return shapes
}

// resolve follows references.
func (d *document) resolve(s schema) schema {
	for s.Ref != "" {
		s = d.Components.Schemas[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]]
	}
	return s
}

// member returns the kind and the fields of a schema, and whether the schema is null only.
func (d *document) member(s schema) (m member, null bool) {
	s = d.resolve(s)
	for _, alternative := range s.AnyOf {
		part, null := d.member(alternative)
		if null {
			m.Kind |= nullable
			continue
		}
		m.Kind |= part.Kind
		m.Fields = part.Fields
	}
	var types []any
	switch kind := s.Type.(type) {
	case string:
		types = []any{kind}
	case []any:
		types = kind
	}
	if slices.Contains(types, any("null")) {
		if len(types) == 1 {
			return m, true
		}
		m.Kind |= nullable
	}
	switch {
	case slices.Contains(types, any("object")) && len(s.Properties) > 0:
		m.Kind |= object
		m.Fields = make(shape)
		for name, property := range s.Properties {
			field, _ := d.member(property)
			if !slices.Contains(s.Required, name) {
				field.Kind |= optional
			}
			m.Fields[name] = field
		}
	case slices.Contains(types, any("array")) && s.Items != nil:
		if item, _ := d.member(*s.Items); item.Kind&object != 0 {
			m.Kind |= objects
			m.Fields = item.Fields
		}
	}
	return m, false
}
