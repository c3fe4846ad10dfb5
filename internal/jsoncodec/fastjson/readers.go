package fastjson

import (
	"encoding/json"
	"sync/atomic"

	jsonv2 "github.com/go-json-experiment/json"
)

// Extra holds the members of an object that have no field.
type Extra = map[string]json.RawMessage

// Member is a member of the objects that are read into the struct that P points to.
type Member[P any] struct {
	start string // The name with quotes and colon, without white space, as it usually occurs.
	read  func(d *Decoder, to P, i, depth int) int
}

// Field returns the member with a name, which must need no escapes. read, a Reader, reads the
// value into the field that of returns, a pointer. Its type parameters are pointers, as that of
// object.
func Field[P, F any](name string, of func(P) F, read func(d *Decoder, to F, i, depth int) int) Member[P] {
	return Member[P]{`"` + name + `":`, func(d *Decoder, to P, i, depth int) int { return read(d, of(to), i, depth) }}
}

// object reads objects into a struct. Its type parameter is the pointer, because the
// compiler generates the same code for all pointers.
type object[P any] struct {
	members []Member[P]
	byName  map[string]int // Index in members, plus 1.
	extra   func(P) *Extra
	null    func(d *Decoder, to P, i int) int
}

// Object returns the reader of a struct. Members with other names are stored in extra, or
// skipped if extra is nil. The last of several members with the same name applies.
func Object[T any](extra func(*T) *Extra, members ...Member[*T]) Reader[T] {
	o := &object[*T]{members, make(map[string]int), extra, null[T]}
	for i, m := range members {
		o.byName[m.start[1:len(m.start)-2]] = i + 1
	}
	return o.read
}

func (o *object[P]) read(d *Decoder, to P, i, depth int) int {
	b := d.b
	if at(b, i) != '{' {
		return o.null(d, to, i)
	}
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
			i = o.members[next].read(d, to, value, depth+1)
		} else {
			i = o.unknown(d, to, name, value, depth+1)
		}
		i, more = after(b, i, '}')
	}
	return i
}

// unknown stores or skips the value of a member without a field.
func (o *object[P]) unknown(d *Decoder, to P, name []byte, i, depth int) int {
	end := d.skip(i, depth)
	if end < 0 || o.extra == nil {
		return end
	}
	extra := o.extra(to)
	if *extra == nil {
		*extra = make(Extra)
	}
	(*extra)[d.share(name)] = d.keep(d.b[i:end])
	return end
}

// slice reads arrays into a []T.
type slice[T any] struct {
	element Reader[T]
	usual   atomic.Int64 // Length of a recent slice.
}

// Slice returns the reader of a slice. It replaces the elements of an earlier member with
// the same name.
func Slice[T any](element Reader[T]) Reader[[]T] {
	s := &slice[T]{element: element}
	return s.read
}

// maxGuess is the longest slice that is allocated before the array's length is known.
const maxGuess = 1000

func (s *slice[T]) read(d *Decoder, to *[]T, i, depth int) int {
	b := d.b
	if at(b, i) != '[' {
		return null(d, to, i)
	}
	i = space(b, i+1)
	if at(b, i) == ']' {
		*to = []T{}
		return i + 1
	}
	items := make([]T, 0, min(s.usual.Load(), maxGuess, int64(len(b)-i)/2+1)) // An element and its comma have two bytes.
	for more := true; more; {
		items = append(items, *new(T))
		i, more = after(b, s.element(d, &items[len(items)-1], i, depth+1), ']')
	}
	*to = items
	if n, usual := int64(len(items)), s.usual.Load(); n > usual || n < usual/2 {
		s.usual.Store(n)
	}
	return i
}

// Pointer returns the reader of a pointer, which null makes nil.
func Pointer[T any](element Reader[T]) Reader[*T] {
	return func(d *Decoder, to **T, i, depth int) int {
		if at(d.b, i) == 'n' {
			return null(d, to, i)
		}
		if *to == nil {
			*to = new(T)
		}
		return element(d, *to, i, depth)
	}
}

// JSON reads a value with json/v2.
func JSON[T any](d *Decoder, to *T, i, depth int) int {
	end := d.skip(i, depth)
	if end < 0 || jsonv2.Unmarshal(d.b[i:end], to, d.options) != nil {
		return -1
	}
	return end
}

// null reads a null, which sets to its zero value.
func null[T any](d *Decoder, to *T, i int) int {
	end := literal(d.b, i, "null")
	if end >= 0 {
		*to = *new(T)
	}
	return end
}
