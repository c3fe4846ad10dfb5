package fastjson

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	jsonv2 "github.com/go-json-experiment/json"
)

// reader reads the value at index i of the body into the variable at to, which is of the reader's
// type. depth is the number of enclosing objects and arrays. It returns the index after the value,
// or -1 when there is no such value.
type reader func(d *Decoder, to unsafe.Pointer, i, depth int) int

var readers sync.Map // reader by reflect.Type.

// readerOf returns the reader of a type.
func readerOf(t reflect.Type) reader {
	known, ok := readers.Load(t)
	if !ok {
		known, _ = readers.LoadOrStore(t, newReader(t))
	}
	return known.(reader)
}

// newReader returns the reader of a type by its kind. Types of other kinds, with methods of their
// own or with unusual tags are read with json/v2.
func newReader(t reflect.Type) reader {
	switch t {
	case reflect.TypeFor[time.Time]():
		return typed(readTime)
	case reflect.TypeFor[*time.Time]():
		return typed(readTimePointer)
	case reflect.TypeFor[json.RawMessage]():
		return typed(readRawMessage)
	}
	pointer := reflect.PointerTo(t)
	decodesJSON := pointer.Implements(reflect.TypeFor[json.Unmarshaler]())
	hasMethods := decodesJSON || pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
	switch kind := t.Kind(); {
	case kind == reflect.Struct && hasNames(t):
		return (&object{of: t}).read
	case decodesJSON && kind == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return typed(readRaw)
	case hasMethods:
	case kind == reflect.Bool:
		return typed(readBool)
	case kind == reflect.String:
		return typed(readString)
	case kind == reflect.Int:
		return typed(readInt[int])
	case kind == reflect.Int64:
		return typed(readInt[int64])
	case kind == reflect.Float64:
		return typed(readFloat)
	case kind == reflect.Pointer:
		return pointerReader(t)
	case kind == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return (&slice{of: t, element: readerOf(t.Elem()), size: int(t.Elem().Size())}).read
	}
	return func(d *Decoder, to unsafe.Pointer, i, depth int) int {
		return d.readJSON(reflect.NewAt(t, to), i, depth)
	}
}

// typed makes the function that reads a T a reader. It serves all types that are a T in memory.
func typed[T any](read func(d *Decoder, to *T, i, depth int) int) reader {
	return func(d *Decoder, to unsafe.Pointer, i, depth int) int { return read(d, (*T)(to), i, depth) }
}

// object reads objects into a struct.
type object struct {
	of      reflect.Type
	once    sync.Once // Makes the members, at the first object: a struct may contain a pointer to its own type.
	members []member
	byName  map[string]int // The index in members plus 1, by name.
	extra   uintptr        // Offset of the field for members that have no other field.
	keeps   bool           // There is a field for members that have no other field. Otherwise they are skipped.
}

// member is a member of an object that has a field.
type member struct {
	start  string // The name with quotes and colon, without white space, as it usually occurs.
	offset uintptr
	read   reader
}

// Extra holds the members of an object that have no field.
type Extra = map[string]json.RawMessage

// extraTag is the json tag of the field for members that have no other field.
const extraTag = ",unknown,embed"

// nameOf returns the name of a field's member, "" without one.
func nameOf(field reflect.StructField) string {
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "-" || !slices.Contains([]string{"", "omitzero", "omitempty"}, options) {
		return ""
	}
	return name
}

// hasNames reports whether all fields of a struct have a tag with the name of their member.
func hasNames(t reflect.Type) bool {
	for field := range t.Fields() {
		tag := field.Tag.Get("json")
		if field.IsExported() && tag != extraTag && tag != "-" && nameOf(field) == "" {
			return false
		}
	}
	return true
}

func (o *object) makeMembers() {
	o.byName = make(map[string]int)
	for field := range o.of.Fields() {
		if field.Tag.Get("json") == extraTag {
			o.extra, o.keeps = field.Offset, true
		} else if name := nameOf(field); name != "" {
			o.members = append(o.members, member{`"` + name + `":`, field.Offset, readerOf(field.Type)})
			o.byName[name] = len(o.members)
		}
	}
}

// read is a reader. The last of several members with the same name applies.
func (o *object) read(d *Decoder, to unsafe.Pointer, i, depth int) int {
	b := d.b
	if at(b, i) != '{' {
		return zero(d, reflect.NewAt(o.of, to), i)
	}
	o.once.Do(o.makeMembers)
	i = space(b, i+1)
	if at(b, i) == '}' {
		return i + 1
	}
	for next, more := 0, true; more; next++ {
		name, value := []byte(nil), -1
		if next < len(o.members) {
			value = space(b, literal(b, i, o.members[next].start))
		}
		if value < 0 {
			end, plain := quoted(b, i)
			value = colon(b, end)
			if value < 0 {
				return -1
			}
			name = d.unquote(b[i:end], plain)
			next = o.byName[string(name)] - 1
		}
		if next >= 0 {
			m := &o.members[next]
			i = m.read(d, unsafe.Add(to, m.offset), value, depth+1)
		} else {
			i = o.unknown(d, to, name, value, depth+1)
		}
		i, more = after(b, i, '}')
	}
	return i
}

// unknown stores or skips the value of a member without a field.
func (o *object) unknown(d *Decoder, to unsafe.Pointer, name []byte, i, depth int) int {
	end := d.skip(i, depth)
	if end < 0 || !o.keeps {
		return end
	}
	extra := (*Extra)(unsafe.Add(to, o.extra))
	if *extra == nil {
		*extra = make(Extra)
	}
	(*extra)[d.share(name)] = d.keep(d.b[i:end])
	return end
}

// slice reads arrays into a slice.
type slice struct {
	of      reflect.Type
	element reader
	size    int          // The size of an element in memory.
	usual   atomic.Int64 // The length of a recent slice.
}

// maxGuess is the longest slice that is allocated before the array's length is known.
const maxGuess = 1000

// read is a reader. It replaces the elements of an earlier member with the same name.
func (s *slice) read(d *Decoder, to unsafe.Pointer, i, depth int) int {
	b, items := d.b, reflect.NewAt(s.of, to)
	if at(b, i) != '[' {
		return zero(d, items, i)
	}
	items = items.Elem()
	i = space(b, i+1)
	if at(b, i) == ']' {
		*(*[]struct{})(to) = []struct{}{} // In memory all empty slices are alike.
		return i + 1
	}
	items.SetZero()
	items.Grow(int(max(1, min(s.usual.Load(), maxGuess, int64(len(b)-i)/2+1)))) // An element and its comma have two bytes.
	n := 0
	for more := true; more; n++ {
		if n == items.Cap() {
			items.SetLen(n)
			items.Grow(1)
		}
		i, more = after(b, s.element(d, unsafe.Add(items.UnsafePointer(), n*s.size), i, depth+1), ']')
	}
	items.SetLen(n)
	if n, usual := int64(n), s.usual.Load(); n > usual || n < usual/2 {
		s.usual.Store(n)
	}
	return i
}

// pointerReader returns the reader of a pointer, which null makes nil.
func pointerReader(t reflect.Type) reader {
	element := readerOf(t.Elem())
	return func(d *Decoder, to unsafe.Pointer, i, depth int) int {
		target := (*unsafe.Pointer)(to)
		if at(d.b, i) == 'n' {
			return null(d, target, i)
		}
		if *target == nil {
			*target = reflect.New(t.Elem()).UnsafePointer()
		}
		return element(d, *target, i, depth)
	}
}

// readJSON reads a value with json/v2 into the variable that to points to.
func (d *Decoder) readJSON(to reflect.Value, i, depth int) int {
	end := d.skip(i, depth)
	if end < 0 || jsonv2.Unmarshal(d.b[i:end], to.Interface(), d.options) != nil {
		return -1
	}
	return end
}

// zero reads a null, which sets the variable that to points to, to its zero value.
func zero(d *Decoder, to reflect.Value, i int) int {
	end := literal(d.b, i, "null")
	if end >= 0 {
		to.Elem().SetZero()
	}
	return end
}

// null is zero for a T.
func null[T any](d *Decoder, to *T, i int) int {
	end := literal(d.b, i, "null")
	if end >= 0 {
		*to = *new(T)
	}
	return end
}
