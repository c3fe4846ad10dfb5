package doctor

import (
	"maps"
	"slices"
)

// schema is a JSON schema together with its document. The zero value is an unknown schema.
type schema struct {
	in *document
	node
}

func (d *document) schema(n node) schema { return schema{d, n}.plain() }

// plain resolves references and schemas of the form "this or null".
func (s schema) plain() schema {
	for range 10 {
		if s.in == nil || s.node == nil {
			return schema{}
		}
		s.node = s.in.resolve(s.node)
		only := s.only()
		if only == nil {
			return s
		}
		s.node = only
	}
	return s
}

// only returns the single alternative that is not null, or nil.
func (s schema) only() node {
	var others []node
	for _, kind := range []string{"anyOf", "oneOf"} {
		for _, n := range s.objects(kind) {
			if n.text("type") != "null" {
				others = append(others, n)
			}
		}
	}
	if len(others) != 1 || s.object("properties") != nil {
		return nil
	}
	return others[0]
}

func (s schema) known() bool { return len(s.node) > 0 }

// properties returns the properties of an object, those of its allOf schemas included.
func (s schema) properties() map[string]schema { return s.propertiesWithin(10) }

func (s schema) propertiesWithin(depth int) map[string]schema {
	if depth == 0 {
		return nil
	}
	all := make(map[string]schema)
	for _, part := range s.objects("allOf") {
		maps.Copy(all, s.in.schema(part).propertiesWithin(depth-1))
	}
	properties := s.object("properties")
	for name := range properties {
		all[name] = s.in.schema(properties.object(name)) // The schemas true and false have no properties.
	}
	return all
}

func (s schema) property(name string) schema { return s.properties()[name] }

// names returns the names of the properties in order.
func (s schema) names() []string { return slices.Sorted(maps.Keys(s.properties())) }

// required returns the names of the required properties.
func (s schema) required() []string {
	names := s.texts("required")
	for _, part := range s.objects("allOf") {
		names = append(names, s.in.schema(part).texts("required")...)
	}
	return names
}

// items returns the schema of an array's items.
func (s schema) items() schema { return s.in.schema(s.object("items")) }

func (s schema) isArray() bool { return slices.Contains(s.types(), "array") }

// resource returns the schema of an array's items, or else the schema itself.
func (s schema) resource() schema {
	if s.isArray() {
		return s.items()
	}
	return s
}

// types returns the types of a value, except null.
func (s schema) types() []string {
	return slices.DeleteFunc(s.texts("type"), func(t string) bool { return t == "null" })
}
