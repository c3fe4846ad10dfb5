package server

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

type drift struct{ seed uint64 }

// shape says what of a kind of object may drift.
type shape struct {
	null []string          // may be null at any time
	open map[string]string // open sets of values, and those (spaces around each) that may become another
	in   map[string]*shape // objects and arrays of objects within

	blank string // an open one that may also become empty
}

const anyValue = "*"

// nothing drifts of an operation that answers without an envelope, or without a body.
var nothing = &shape{}

// identifies reports whether a member distinguishes objects of one kind.
func identifies(name string) bool { return name == "id" || name == "submission_id" || name == "seq" }

// object appends a resource with its drift.
func (d *drift) object(b []byte, kind *shape, raw []byte, within string) []byte {
	members, values := takeApart(raw)
	if i := slices.IndexFunc(members, identifies); i >= 0 {
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
		b = d.value(b, kind, name, values[i], within)
	}
	return append(d.news(b, within, len(members) > 0), '}')
}

func (d *drift) value(b []byte, kind *shape, name string, value []byte, within string) []byte {
	inner, isObject := kind.in[name]
	known, isOpen := kind.open[name]
	switch chance := d.roll(within, name) % 4; {
	case isObject && value[0] == '{':
		return d.object(b, inner, value, within+"/"+name)
	case isObject && value[0] == '[':
		return d.array(b, inner, value, within+"/"+name)
	case chance == 0 && slices.Contains(kind.null, name):
		return append(b, "null"...)
	case chance == 0 && isOpen && len(value) > 2 && (known == anyValue || strings.Contains(known, " "+string(value[1:len(value)-1])+" ")):
		value := d.roll(within, name) / 4 % 9
		if value == 0 && name == kind.blank {
			return append(b, `""`...)
		}
		return append(b, `"drifted_`+strconv.FormatUint(value, 10)+`"`...)
	}
	return append(b, value...)
}

func (d *drift) array(b []byte, kind *shape, raw []byte, within string) []byte {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		panic(err) // the server's own JSON
	}
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		if item[0] != '{' { // a test's own report may have anything
			b = append(b, item...)
			continue
		}
		b = d.object(b, kind, item, within)
	}
	return append(b, ']')
}

// The values of unknown members.
var news = [...]string{
	`"drift_text":"new"`, `"drift_number":12.5`, `"drift_flag":true`, `"drift_nothing":null`,
	`"drift_list":[1,"two",{"three":3}]`, `"drift_object":{"id":7,"status":null}`,
}

// news appends some members, or none.
func (d *drift) news(b []byte, within string, comma bool) []byte {
	for i, member := range news {
		if d.roll(within, member)%uint64(len(news)) != uint64(i) {
			continue
		}
		if comma {
			b = append(b, ',')
		}
		b, comma = append(b, member...), true
	}
	return b
}

// roll is what chance says about a place.
func (d *drift) roll(within, name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(strconv.AppendUint(nil, d.seed, 10))
	_, _ = h.Write([]byte(within + "\n" + name))
	x := h.Sum64() // its low bits alone are too regular
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}
