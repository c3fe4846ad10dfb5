package doctor

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// member is what the client reads of an object: the assumption itself, for it is
// taken from the type that the client decodes into.
type member struct {
	name    string
	kind    string       // As JSON schema calls it; empty: any.
	maybe   bool         // Null or absent at times.
	of      reflect.Type // Of an object, or of the objects in an array; else nil.
	isArray bool
}

// membersOf returns the members of a resource of the client.
func membersOf(t reflect.Type) []member {
	var members []member
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			continue // Extra holds what is not known here.
		}
		m := kindOf(field.Type)
		m.name = name
		m.maybe = m.maybe || strings.Contains(options, "omitzero") && field.Type != reflect.TypeFor[time.Time]()
		members = append(members, m)
	}
	return members
}

func kindOf(t reflect.Type) member {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return member{kind: "string"}
	case t == reflect.TypeFor[json.RawMessage](), t == reflect.TypeFor[hiring.RawValue]():
		return member{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		m := kindOf(t.Elem())
		m.maybe = true
		return m
	case reflect.Struct:
		return member{kind: "object", of: t}
	case reflect.Slice:
		return member{kind: "array", isArray: true, of: kindOf(t.Elem()).of}
	case reflect.String:
		return member{kind: "string"}
	case reflect.Bool:
		return member{kind: "boolean"}
	case reflect.Float64:
		return member{kind: "number"}
	default:
		return member{kind: "integer"}
	}
}

// difference is how what the service has differs from what the client reads, by
// path, as in report.pillars[].score.
type difference struct {
	missing, mistyped, more []string
	there                   []string // What the client reads and what was there.
}

func (d *difference) add(other difference) {
	d.missing = append(d.missing, other.missing...)
	d.mistyped = append(d.mistyped, other.mistyped...)
	d.more = append(d.more, other.more...)
	d.there = append(d.there, other.there...)
}

// seenIn leaves out what is missing in the document only.
func (d difference) seenIn(replies difference) difference {
	d.missing = slices.DeleteFunc(d.missing, func(path string) bool { return slices.Contains(replies.there, path) })
	d.add(replies)
	return d
}

func (d *difference) sort() {
	for _, paths := range []*[]string{&d.missing, &d.mistyped, &d.more} {
		slices.Sort(*paths)
		*paths = slices.Compact(*paths)
	}
}

// ofSchema compares the document's schema of a resource with it.
func ofSchema(s schema, t reflect.Type, path string) (d difference) {
	members, known := s.properties(), make(map[string]bool)
	if len(members) == 0 {
		return d // Nothing is said.
	}
	for _, m := range membersOf(t) {
		known[m.name] = true
		has, ok := members[m.name]
		types := has.types()
		switch at := path + m.name; {
		case !ok:
			d.missing = append(d.missing, at)
		case m.kind != "" && len(types) > 0 && !m.mayBe(types):
			d.mistyped = append(d.mistyped, at+" is "+strings.Join(types, " or ")+", not "+m.kind)
		case m.of != nil && m.isArray:
			d.add(ofSchema(has.items(), m.of, at+"[]."))
		case m.of != nil:
			d.add(ofSchema(has, m.of, at+"."))
		}
	}
	for name := range members {
		if !known[name] {
			d.more = append(d.more, path+name)
		}
	}
	return d
}

// mayBe tells whether one of some types is the member's: an integer is a number too.
func (m member) mayBe(types []string) bool {
	return slices.Contains(types, m.kind) || m.kind == "number" && slices.Contains(types, "integer")
}

// ofReply compares a resource that came with what the client reads of it. What is
// null or absent at times is not missed.
func ofReply(raw json.RawMessage, t reflect.Type, path string) (d difference) {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return difference{mistyped: []string{strings.TrimRight(path, ".") + " is no object"}}
	}
	for _, m := range membersOf(t) {
		value, ok := object[m.name]
		delete(object, m.name)
		at, isNull := path+m.name, string(value) == "null"
		if ok {
			d.there = append(d.there, at)
		}
		switch {
		case !ok && !m.maybe:
			d.missing = append(d.missing, at)
		case !ok || isNull:
		case !fits(value, m.kind):
			d.mistyped = append(d.mistyped, at+" is not "+m.kind)
		case m.of != nil && m.isArray:
			var items []json.RawMessage
			_ = json.Unmarshal(value, &items)
			for _, item := range items {
				d.add(ofReply(item, m.of, at+"[]."))
			}
		case m.of != nil:
			d.add(ofReply(value, m.of, at+"."))
		}
	}
	for name := range maps.Keys(object) {
		d.more = append(d.more, path+name)
	}
	return d
}

// fits tells whether a value is of a kind, by how it begins.
func fits(value json.RawMessage, kind string) bool {
	begins := map[string]string{"string": `"`, "object": "{", "array": "[", "boolean": "tf", "integer": "-0123456789", "number": "-0123456789"}
	return kind == "" || len(value) > 0 && strings.IndexByte(begins[kind], value[0]) >= 0
}
