package server

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

type drift struct{ seed uint64 }

// driftRules are the changes that drift may make to one kind of object.
type driftRules struct {
	nullable []string               // Members that may become null.
	enums    map[string]string      // Members with an open set of values, and the values that may change, each between spaces.
	nested   map[string]*driftRules // Rules of nested objects and arrays of objects.

	mayBeEmpty string // Member of enums that may also become "".
}

const anyValue = "*"

// noDrift is for operations without an envelope or without a body.
var noDrift = &driftRules{}

// isIdentifier reports whether a member identifies an object.
func isIdentifier(name string) bool { return name == "id" || name == "submission_id" || name == "seq" }

// appendObject appends an object, changed by drift. within is the path of the object. It
// seeds the random choices, so that the same object always drifts in the same way.
func (d *drift) appendObject(b []byte, kind *driftRules, raw []byte, within string) []byte {
	members, values := splitObject(raw)
	if i := slices.IndexFunc(members, isIdentifier); i >= 0 {
		within += "/" + string(values[i])
		if members[i] == "submission_id" {
			within = "/report/" + string(values[i]) // the same one inside its submission
		}
	}
	b = append(b, '{')
	for i, name := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, render(name)...)
		b = append(b, ':')
		b = d.appendValue(b, kind, name, values[i], within)
	}
	return append(d.appendUnknown(b, within, len(members) > 0), '}')
}

func (d *drift) appendValue(b []byte, kind *driftRules, name string, value []byte, within string) []byte {
	inner, isObject := kind.nested[name]
	known, isOpen := kind.enums[name]
	switch chance := d.random(within, name) % 4; {
	case isObject && value[0] == '{':
		return d.appendObject(b, inner, value, within+"/"+name)
	case isObject && value[0] == '[':
		return d.appendArray(b, inner, value, within+"/"+name)
	case chance == 0 && slices.Contains(kind.nullable, name):
		return append(b, "null"...)
	case chance == 0 && isOpen && len(value) > 2 && (known == anyValue || strings.Contains(known, " "+string(value[1:len(value)-1])+" ")):
		value := d.random(within, name) / 4 % 9
		if value == 0 && name == kind.mayBeEmpty {
			return append(b, `""`...)
		}
		return append(b, `"drifted_`+strconv.FormatUint(value, 10)+`"`...)
	}
	return append(b, value...)
}

func (d *drift) appendArray(b []byte, kind *driftRules, raw []byte, within string) []byte {
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
		b = d.appendObject(b, kind, item, within)
	}
	return append(b, ']')
}

// unknownMembers are the members that drift adds.
var unknownMembers = [...]string{
	`"drift_text":"new"`, `"drift_number":12.5`, `"drift_flag":true`, `"drift_nothing":null`,
	`"drift_list":[1,"two",{"three":3}]`, `"drift_object":{"id":7,"status":null}`,
}

// appendUnknown appends some of unknownMembers, or none.
func (d *drift) appendUnknown(b []byte, within string, comma bool) []byte {
	for i, member := range unknownMembers {
		if d.random(within, member)%uint64(len(unknownMembers)) != uint64(i) {
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
func (d *drift) random(within, name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(strconv.AppendUint(nil, d.seed, 10))
	_, _ = h.Write([]byte(within + "\n" + name))
	x := h.Sum64() // The low bits of FNV alone are too regular.
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}
