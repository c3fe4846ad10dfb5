package doctor

import (
	"maps"
	"slices"
)

// schema is a JSON schema within its document, with what it refers to.
type schema struct {
	in *document
	node
}

func (d *document) schema(n node) schema { return schema{d, n}.plain() }

// plain is the schema that a reference or a "this or null" stands for.
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

// only is the one alternative that is not null; nil when there is no such choice.
func (s schema) only() node {
	var others []node
	for _, kind := range []string{"anyOf", "oneOf"} {
		for _, raw := range s.list(kind) {
			if n, ok := raw.(map[string]any); ok && node(n).text("type") != "null" {
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

// properties are the members of an object, with those of the schemas that it is
// made up of.
func (s schema) properties() map[string]schema { return s.propertiesWithin(10) }

func (s schema) propertiesWithin(depth int) map[string]schema {
	if s.in == nil || depth == 0 {
		return nil
	}
	all := make(map[string]schema)
	for _, raw := range s.list("allOf") {
		if part, ok := raw.(map[string]any); ok {
			maps.Copy(all, s.in.schema(part).propertiesWithin(depth-1))
		}
	}
	for name, raw := range s.object("properties") {
		part, _ := raw.(map[string]any) // True and false are schemas too, and say nothing here.
		all[name] = s.in.schema(part)
	}
	return all
}

func (s schema) property(name string) schema { return s.properties()[name] }

// names are those of the members, in order.
func (s schema) names() []string { return slices.Sorted(maps.Keys(s.properties())) }

// required are the members that must be there.
func (s schema) required() []string {
	names := s.texts("required")
	if s.in != nil {
		for _, raw := range s.list("allOf") {
			if part, ok := raw.(map[string]any); ok {
				names = append(names, s.in.schema(part).texts("required")...)
			}
		}
	}
	return names
}

// items is the schema of an array's items.
func (s schema) items() schema {
	if s.in == nil {
		return schema{}
	}
	return s.in.schema(s.object("items"))
}

// types are those that a value may have, but null.
func (s schema) types() []string {
	return slices.DeleteFunc(s.texts("type"), func(t string) bool { return t == "null" })
}
