package doctor

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// jsonField is a field that the client reads of an object. It is taken from the Go type
// that the client decodes into.
type jsonField struct {
	name     string
	kind     string       // The type in JSON schema; empty when any type is accepted.
	optional bool         // It may be null or absent.
	of       reflect.Type // The Go type of an object or of an array's items, or nil.
}

// jsonFields returns the fields that the client reads of a resource.
func jsonFields(t reflect.Type) []jsonField {
	var members []jsonField
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			continue // Extra has the unknown fields.
		}
		m := kindOf(field.Type)
		m.name = name
		m.optional = m.optional || strings.Contains(options, "omitzero") && field.Type != reflect.TypeFor[time.Time]()
		members = append(members, m)
	}
	return members
}

// fieldsIn returns how many fields the client reads of a resource, and how many of them an
// object has.
func fieldsIn[V any](object map[string]V, t reflect.Type) (present, all int) {
	fields := jsonFields(t)
	for _, m := range fields {
		if _, ok := object[m.name]; ok {
			present++
		}
	}
	return present, len(fields)
}

func kindOf(t reflect.Type) jsonField {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return jsonField{kind: "string"}
	case t == reflect.TypeFor[json.RawMessage](), t == reflect.TypeFor[hiring.RawValue]():
		return jsonField{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		m := kindOf(t.Elem())
		m.optional = true
		return m
	case reflect.Struct:
		return jsonField{kind: "object", of: t}
	case reflect.Slice:
		return jsonField{kind: "array", of: kindOf(t.Elem()).of}
	case reflect.String:
		return jsonField{kind: "string"}
	case reflect.Bool:
		return jsonField{kind: "boolean"}
	case reflect.Float64:
		return jsonField{kind: "number"}
	default:
		return jsonField{kind: "integer"}
	}
}

// difference holds how the server's fields differ from those that the client reads. Fields
// are paths, as in report.pillars[].score.
type difference struct {
	missing, mistyped, added []string
	present                  []string // Fields that the client reads and that were present.
}

func (d *difference) add(other difference) {
	d.missing = append(d.missing, other.missing...)
	d.mistyped = append(d.mistyped, other.mistyped...)
	d.added = append(d.added, other.added...)
	d.present = append(d.present, other.present...)
}

// confirmedBy removes the missing fields that responses have, and adds the differences of
// the responses.
func (d difference) confirmedBy(replies difference) difference {
	d.missing = without(d.missing, replies.present)
	d.add(replies)
	return d
}

// compare adds the expected names that are missing and the present names that are unknown,
// with a prefix.
func (d *difference) compare(prefix string, expected, known, present []string) {
	for _, name := range without(expected, present) {
		d.missing = append(d.missing, prefix+name)
	}
	for _, name := range without(present, slices.Concat(expected, known)) {
		d.added = append(d.added, prefix+name)
	}
}

func (d *difference) sort() {
	for _, paths := range []*[]string{&d.missing, &d.mistyped, &d.added} {
		slices.Sort(*paths)
		*paths = slices.Compact(*paths)
	}
}

// schemaDifference compares a schema of the document with a resource of the client.
func schemaDifference(s schema, t reflect.Type, path string) (d difference) {
	members, known := s.properties(), make(map[string]bool)
	if len(members) == 0 {
		return d // The document does not describe the fields.
	}
	for _, m := range jsonFields(t) {
		known[m.name] = true
		has, ok := members[m.name]
		types := has.types()
		switch at := path + m.name; {
		case !ok:
			d.missing = append(d.missing, at)
		case m.kind != "" && len(types) > 0 && !m.accepts(types):
			d.mistyped = append(d.mistyped, at+" is "+strings.Join(types, " or ")+", not "+m.kind)
		case m.of != nil && m.kind == "array":
			d.add(schemaDifference(has.items(), m.of, at+"[]."))
		case m.of != nil:
			d.add(schemaDifference(has, m.of, at+"."))
		}
	}
	for name := range members {
		if !known[name] {
			d.added = append(d.added, path+name)
		}
	}
	return d
}

// accepts reports whether the field takes one of some types. An integer is a number too.
func (m jsonField) accepts(types []string) bool {
	return slices.Contains(types, m.kind) || m.kind == "number" && slices.Contains(types, "integer")
}

// responseDifference compares a resource in a response with the fields that the client
// reads. Optional fields may be absent.
func responseDifference(raw json.RawMessage, t reflect.Type, path string) (d difference) {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return difference{mistyped: []string{strings.TrimRight(path, ".") + " is not an object"}}
	}
	for _, m := range jsonFields(t) {
		value, ok := object[m.name]
		delete(object, m.name)
		at, isNull := path+m.name, string(value) == "null"
		if ok {
			d.present = append(d.present, at)
		}
		switch {
		case !ok && !m.optional:
			d.missing = append(d.missing, at)
		case !ok || isNull:
		case !fits(value, m.kind):
			d.mistyped = append(d.mistyped, at+" is not "+m.kind)
		case m.of != nil && m.kind == "array":
			var items []json.RawMessage
			_ = json.Unmarshal(value, &items)
			for _, item := range items {
				d.add(responseDifference(item, m.of, at+"[]."))
			}
		case m.of != nil:
			d.add(responseDifference(value, m.of, at+"."))
		}
	}
	for name := range object {
		d.added = append(d.added, path+name)
	}
	return d
}

// fits reports whether a value has a type, judged by its first character.
func fits(value json.RawMessage, kind string) bool {
	begins := map[string]string{"string": `"`, "object": "{", "array": "[", "boolean": "tf", "integer": "-0123456789", "number": "-0123456789"}
	return kind == "" || len(value) > 0 && strings.IndexByte(begins[kind], value[0]) >= 0
}
