package fastjson

import (
	"encoding"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	stdjson "encoding/json"

	"github.com/go-json-experiment/json"
)

// kind is the way in which a value of a type is read.
type kind int

const (
	viaJSON kind = iota // By json/v2.
	boolean
	text
	integer
	float
	instant // A time.Time.
	raw     // JSON as received, also null.
	payload // JSON as received; null becomes nil.
	pointer
	slice
	object
)

// plan describes how to read values of one type. Only usual changes after construction.
type plan struct {
	kind kind
	// For a pointer or slice.
	elem  *plan
	of    reflect.Type  // Type of elem.
	empty reflect.Value // An empty slice that is not nil.
	usual atomic.Int64  // Length of a recent slice of this type.
	// For an object.
	fields []field
	byName map[string]int // Index in fields, plus 1.
	extra  int            // Index of the struct field for unknown members, or -1 to skip them.
}

type field struct {
	start string // The name with quotes and colon, without white space, as it usually occurs.
	index int    // Index of the struct field.
	plan  *plan
}

type extraMap = map[string]stdjson.RawMessage

// Types with one of these methods are read by json/v2.
var methods = []reflect.Type{
	reflect.TypeFor[stdjson.Unmarshaler](), reflect.TypeFor[json.UnmarshalerFrom](), reflect.TypeFor[encoding.TextUnmarshaler](),
}

func (r *Reader) planOf(t reflect.Type) *plan {
	p, ok := r.plans.Load(t)
	if !ok {
		p, _ = r.plans.LoadOrStore(t, r.newPlan(t, nil))
	}
	return p.(*plan)
}

// newPlan builds the plan of t, which is nested in the types of outer. A recursive type is
// read by json/v2.
func (r *Reader) newPlan(t reflect.Type, outer []reflect.Type) *plan {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return &plan{kind: instant}
	case t == reflect.TypeFor[stdjson.RawMessage]():
		return &plan{kind: payload}
	case t == r.Raw:
		return &plan{kind: raw}
	case slices.Contains(outer, t), !t.Implements(r.Own) && slices.ContainsFunc(methods, reflect.PointerTo(t).Implements):
		return &plan{}
	}
	outer = append(outer, t)
	switch t.Kind() {
	case reflect.Bool:
		return &plan{kind: boolean}
	case reflect.String:
		return &plan{kind: text}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &plan{kind: integer}
	case reflect.Float64:
		return &plan{kind: float}
	case reflect.Pointer:
		return &plan{kind: pointer, elem: r.newPlan(t.Elem(), outer), of: t.Elem()}
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return &plan{kind: slice, elem: r.newPlan(t.Elem(), outer), of: t.Elem(), empty: reflect.MakeSlice(t, 0, 0)}
		}
	case reflect.Struct:
		return r.newObject(t, outer)
	}
	return &plan{}
}

// newObject builds the plan of a struct. A struct with tag options that the API's
// resources do not use is read by json/v2.
func (r *Reader) newObject(t reflect.Type, outer []reflect.Type) *plan {
	p := &plan{kind: object, byName: make(map[string]int), extra: -1}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() && !f.Anonymous, name == "-" && options == "":
		case options == "unknown,embed" && f.Type == reflect.TypeFor[extraMap]():
			p.extra = i
		case f.Anonymous, name == "", strings.ContainsAny(name, `"'\`), options != "" && options != "omitzero" && options != "omitempty":
			return &plan{}
		default:
			p.fields = append(p.fields, field{`"` + name + `":`, i, r.newPlan(f.Type, outer)})
			p.byName[name] = len(p.fields)
		}
	}
	return p
}
