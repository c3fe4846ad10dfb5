package apitest

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Shape is the members of an object, as the schema of an OpenAPI document describes them.
type Shape map[string]Member

// Member is a member of an object.
type Member struct {
	Kind   MemberKind
	Fields Shape // Of an object, or of the objects of an array.
}

// MemberKind is a set of properties of a member.
type MemberKind int

// Properties of members.
const (
	Object MemberKind = 1 << iota
	Objects
	Nullable
	Optional // May be absent.
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

// Shapes returns the shape of the data of each operation's 2xx response, by route, from
// the sandbox's OpenAPI document. Operations without an object or a list in data have
// none.
func Shapes(t *testing.T) map[string]Shape {
	t.Helper()
	raw, err := sandbox.Start(t).Client().OpenAPI(t.Context())
	require.NoError(t, err)
	var d document
	require.NoError(t, json.Unmarshal(raw, &d))
	shapes := make(map[string]Shape)
	for path, methods := range d.Paths {
		for method, operation := range methods {
			for status, response := range operation.Responses {
				if !strings.HasPrefix(status, "2") {
					continue
				}
				envelope := d.resolve(response.Content["application/json"].Schema)
				data, _ := d.member(envelope.Properties["data"])
				if data.Kind&(Object|Objects) != 0 {
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
func (d *document) member(s schema) (m Member, null bool) {
	s = d.resolve(s)
	for _, alternative := range s.AnyOf {
		part, null := d.member(alternative)
		if null {
			m.Kind |= Nullable
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
		m.Kind |= Nullable
	}
	switch {
	case slices.Contains(types, any("object")) && len(s.Properties) > 0:
		m.Kind |= Object
		m.Fields = make(Shape)
		for name, property := range s.Properties {
			field, _ := d.member(property)
			if !slices.Contains(s.Required, name) {
				field.Kind |= Optional
			}
			m.Fields[name] = field
		}
	case slices.Contains(types, any("array")) && s.Items != nil:
		if item, _ := d.member(*s.Items); item.Kind&Object != 0 {
			m.Kind |= Objects
			m.Fields = item.Fields
		}
	}
	return m, false
}

// CheckGolden calls an operation at a sandbox and compares the resources that it returns
// with what the sandbox sent: every member must survive decoding and encoding.
func CheckGolden(t *testing.T, c *hiring.Client, o operations.Operation, shape Shape) {
	t.Helper()
	checked := 0
	for _, ids := range append([][]string{o.IDs}, o.OtherIDs...) {
		var raw hiring.Response
		result, err := o.Call(hiring.WithResponse(t.Context(), &raw), c, ids)
		require.NoError(t, err)
		if result == nil {
			return // A call such as Assessments.Delete returns no resource, whatever the response contains.
		}
		got := reflect.ValueOf(result)
		sent := []json.RawMessage{DataOf(t, raw.Body)}
		if page := got.FieldByName("Items"); page.IsValid() {
			require.NoError(t, json.Unmarshal(sent[0], &sent))
			got = page
		} else {
			one := reflect.MakeSlice(reflect.SliceOf(got.Type()), 0, 1)
			got = reflect.Append(one, got)
		}
		require.Equal(t, len(sent), got.Len())
		for i, item := range sent {
			golden(t, shape, item, got.Index(i), i < 25)
			checked++
		}
	}
	require.Positive(t, checked)
}
