package sandbox

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// drift adds unknown members and values to responses.
type drift struct{ seed uint64 }

// driftRules are the changes that drift may make to one kind of object.
type driftRules struct {
	nullable []string               // Members that may become null.
	enums    map[string]string      // Members with an open set of values, and the values that may change, each between spaces.
	nested   map[string]*driftRules // Rules of nested objects and arrays of objects.
}

// anyValue in enums means that every value may change.
const anyValue = "*"

// noDrift is for operations without an envelope or without a body.
var noDrift = &driftRules{}

// isIdentifier reports whether a member identifies an object.
func isIdentifier(name string) bool { return name == "id" || name == "submission_id" || name == "seq" }

// appendObject appends an object, changed by drift. path is the path of the object and seeds
// the random choices, so that the same object always drifts in the same way.
func (d *drift) appendObject(b []byte, rules *driftRules, raw []byte, path string) []byte {
	members, values := splitObject(raw)
	if i := slices.IndexFunc(members, isIdentifier); i >= 0 {
		path += "/" + string(values[i])
		if members[i] == "submission_id" {
			path = "/report/" + string(values[i]) // The same path as inside its submission.
		}
	}
	b = append(b, '{')
	for i, name := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, encodeJSON(name)...)
		b = append(b, ':')
		b = d.appendValue(b, rules, name, values[i], path)
	}
	return append(d.appendUnknown(b, path, len(members) > 0), '}')
}

// appendValue appends the value of a member, changed by drift.
func (d *drift) appendValue(b []byte, rules *driftRules, name string, value []byte, path string) []byte {
	inner, isObject := rules.nested[name]
	values, isOpen := rules.enums[name]
	switch chance := d.random(path, name) % 4; {
	case isObject && value[0] == '{':
		return d.appendObject(b, inner, value, path+"/"+name)
	case isObject && value[0] == '[':
		return d.appendArray(b, inner, value, path+"/"+name)
	case chance == 0 && slices.Contains(rules.nullable, name):
		return append(b, "null"...)
	case chance == 0 && isOpen && len(value) > 2 && (values == anyValue || strings.Contains(values, " "+string(value[1:len(value)-1])+" ")):
		return append(b, `"drifted_`+strconv.FormatUint(d.random(path, name)/4%9, 10)+`"`...)
	}
	return append(b, value...)
}

// appendArray appends an array of objects, changed by drift.
func (d *drift) appendArray(b []byte, rules *driftRules, raw []byte, path string) []byte {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		panic(err) // The server encoded it.
	}
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		if item[0] != '{' { // Result.Extra may have any values.
			b = append(b, item...)
			continue
		}
		b = d.appendObject(b, rules, item, path)
	}
	return append(b, ']')
}

// unknownMembers are the members that drift adds.
var unknownMembers = [...]string{
	`"drift_text":"new"`, `"drift_number":12.5`, `"drift_flag":true`, `"drift_nothing":null`,
	`"drift_list":[1,"two",{"three":3}]`, `"drift_object":{"id":7,"status":null}`,
}

// appendUnknown appends some of unknownMembers, or none.
func (d *drift) appendUnknown(b []byte, path string, comma bool) []byte {
	for i, member := range unknownMembers {
		if d.random(path, member)%uint64(len(unknownMembers)) != uint64(i) {
			continue
		}
		if comma {
			b = append(b, ',')
		}
		b, comma = append(b, member...), true
	}
	return b
}

// random returns a random number that depends only on the seed and the arguments.
func (d *drift) random(path, name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(strconv.AppendUint(nil, d.seed, 10))
	_, _ = h.Write([]byte(path + "\n" + name))
	x := h.Sum64() // The low bits of FNV alone are too regular.
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}
