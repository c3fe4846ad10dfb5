package fastjson

import (
	"cmp"
	"encoding/json"
	"math"
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

// Field returns the member with a name, which must need no escapes. read reads the value
// at index i, as a Reader does, into a field of the struct.
func Field[P any](name string, read func(d *Decoder, to P, i, depth int) int) Member[P] {
	return Member[P]{`"` + name + `":`, read}
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
	for next := 0; ; next++ {
		name, value := []byte(nil), -1
		if next < len(o.members) {
			value = space(b, literal(b, i, o.members[next].start))
		}
		if value < 0 {
			end, plain := quoted(b, i)
			value = colon(b, end)
			if value < 0 || !d.Step() {
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
		// As in after, but without a call, which would take up to 5 % of the time of a page.
		i = space(b, i)
		switch at(b, i) {
		case ',':
			i = space(b, i+1)
		case '}':
			return i + 1
		default:
			return -1
		}
	}
}

// unknown stores or skips the value of a member without a field.
func (o *object[P]) unknown(d *Decoder, to P, name []byte, i, depth int) int {
	end := d.skip(i, depth)
	if end < 0 || o.extra == nil {
		return end
	}
	extra := o.extra(to)
	if !d.TakeMember(len(*extra)) || !d.Step() {
		return -1
	}
	if *extra == nil {
		*extra = make(Extra)
	}
	(*extra)[d.share(name)] = d.keep(d.b[i:end])
	return end
}

// slice reads arrays into a []T.
type slice[T any] struct {
	element Reader[T]
	size    int64        // Of a T.
	usual   atomic.Int64 // Length of a recent slice.
}

// Slice returns the reader of a slice. It replaces the elements of an earlier member with
// the same name.
func Slice[T any](element Reader[T]) Reader[[]T] {
	s := &slice[T]{element: element, size: sizeOf[T]()}
	return s.read
}

// maxGuess is the largest allocation in bytes that is made before the array's length is
// known.
const maxGuess = 128 << 10

func (s *slice[T]) read(d *Decoder, to *[]T, i, depth int) int {
	b := d.b
	if at(b, i) != '[' {
		return null(d, to, i)
	}
	items := []T{}
	if spare, ok := d.spare.([]T); ok && cap(spare) > 0 {
		items = spare[:cap(spare)]
		clear(items)
		items, d.spare = items[:0], nil
	}
	i = space(b, i+1)
	if at(b, i) == ']' {
		*to = items
		return i + 1
	}
	// The length of recent slices, limited by the size of the remaining body.
	usual := max(1, min(s.usual.Load(), int64(len(b)-i)/(s.size+1)))
	if usual*s.size <= maxGuess && cap(items) == 0 {
		if !d.Take(usual * s.size) {
			return -1
		}
		items = make([]T, 0, usual)
	}
	n := 0
	for more := true; more; n++ {
		if !d.Step() || n == len(items) && !s.room(d, &items, i, depth+1) {
			return -1
		}
		i, more = after(b, s.element(d, &items[n], i, depth+1), ']')
	}
	*to = items[:n]
	if usual := s.usual.Load(); int64(n) > usual || int64(n) < usual/2 {
		s.usual.Store(int64(n))
	}
	return i
}

// room makes items longer. It first uses their capacity. It then counts the remaining
// elements and allocates once, because repeated growing leaves garbage.
func (s *slice[T]) room(d *Decoder, items *[]T, i, depth int) bool {
	n, most := len(*items), math.MaxInt
	if _, ok := d.list.Spare.([]T); ok && d.list.Most > 0 {
		most = d.list.Most
	}
	if n >= most {
		d.Stopped = cmp.Or(d.Stopped, ErrItems)
		return false
	}
	if n == cap(*items) {
		all := n + min(d.count(i, depth), most-n)
		if !d.Take(int64(all) * s.size) {
			return false
		}
		longer := make([]T, all)
		copy(longer, *items)
		*items = longer
	}
	*items = (*items)[:min(cap(*items), most)]
	return true
}

// Pointer reads a value into a pointer, which null makes nil.
func Pointer[T any](d *Decoder, to **T, i, depth int, read Reader[T]) int {
	if at(d.b, i) == 'n' {
		return null(d, to, i)
	}
	if *to == nil {
		if !d.Take(sizeOf[T]()) {
			return -1
		}
		*to = new(T)
	}
	return read(d, *to, i, depth)
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
