// Package fastjson reads JSON into structs, several times as fast as a general
// decoder, by doing less.
//
// It goes once over a body, of which it keeps nothing. How to read a type is
// found out once, from the struct tags that json/v2 reads, and written down as a
// plan (plan.go). Members are expected in the order of the fields, as they come;
// only another name is looked up. Unknown members go into the field that is
// tagged for them. The scanner (scan.go) sees to the syntax, eight bytes at a
// time within strings. What is kept is copied (keep.go): short strings are
// shared, raw values lie in chunks of a few KB.
//
// It gives exactly what json/v2 gives under the options of Reader, or refuses:
// json/v2, reading the body again, says why. What a plan does not know, such as a
// type that reads itself, json/v2 reads piece by piece.
package fastjson

import (
	"cmp"
	"errors"
	"math"
	"reflect"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

// Reader reads values. It is safe for concurrent use.
type Reader struct {
	Own     reflect.Type // An interface of the structs whose own methods are bypassed.
	Raw     reflect.Type // A type of bytes that keeps a value as it came.
	Options json.Options // Of json/v2: duplicate names and invalid UTF-8 must be allowed.
	plans   sync.Map     // Of reflect.Type to *plan.
}

// state is that of one Read.
type state struct {
	*limits.Bound
	list     reflect.Type // Of a slice that may have
	most     int          // so many elements.
	options  json.Options
	spare    reflect.Value
	b, chunk []byte
	known    [128][2]string // Short strings seen lately, two by two of one hash.
}

var states = sync.Pool{New: func() any { return new(state) }}

// ErrRefused is for json/v2 to explain. ErrItems is a slice that is too long.
var (
	ErrRefused = errors.New("the JSON is not what was expected")
	ErrItems   = errors.New("there are too many items")
)

// Read decodes b into v, a pointer, within the bound. On an error, that of the
// bound or one of those above, v holds what was read so far. The first slice of
// spare's type uses its memory, and each of that type has at most so many
// elements; 0 for any number.
func (r *Reader) Read(b []byte, v, spare any, most int, within *limits.Bound) error {
	d := states.Get().(*state)
	defer states.Put(d)
	d.Bound, d.most = within, most
	d.options, d.b, d.spare = r.Options, b, reflect.ValueOf(spare)
	if d.list = nil; spare != nil {
		d.list = d.spare.Type()
	}
	target := reflect.ValueOf(v).Elem()
	end := d.value(r.planOf(target.Type()), target, space(b, 0), 0)
	d.b, d.chunk, d.spare, d.Bound = nil, nil, reflect.Value{}, nil
	if within.Stopped == nil && (end < 0 || space(b, end) != len(b)) {
		return ErrRefused
	}
	return within.Stopped
}

// value reads the value at i, which lies in depth objects and arrays, into v. As
// in the scanner, all of these return its end, or -1.
func (d *state) value(p *plan, v reflect.Value, i, depth int) int {
	if !d.Step() {
		return -1
	}
	first := at(d.b, i)
	if first == 'n' && p.kind != raw && p.kind != foreign {
		v.SetZero()
		return literal(d.b, i, "null")
	}
	switch p.kind {
	case text:
		end, plain := quoted(d.b, i)
		if end >= 0 {
			v.SetString(d.share(d.unquote(d.b[i:end], plain)))
		}
		return end
	case boolean:
		v.SetBool(first == 't')
		return max(literal(d.b, i, "true"), literal(d.b, i, "false"))
	case integer:
		return d.integer(v, i)
	case float:
		end := max(i, number(d.b, i))
		f, err := strconv.ParseFloat(string(d.b[i:end]), 64)
		if v.SetFloat(f); err != nil {
			return -1
		}
		return end
	case instant:
		return d.instant(v, i)
	case raw, payload:
		end := d.skip(i, depth)
		if end >= 0 {
			v.SetBytes(d.keep(d.b[i:end]))
		}
		return end
	case pointer:
		if v.IsNil() {
			if !d.Take(int64(p.of.Size())) { //nolint:gosec // no type is that large
				return -1
			}
			v.Set(reflect.New(p.of))
		}
		return d.value(p.elem, v.Elem(), i, depth)
	case slice:
		return d.slice(p, v, i, depth+1)
	case object:
		return d.object(p, v, i, depth+1)
	}
	return d.foreign(v, i, depth)
}

func (d *state) foreign(v reflect.Value, i, depth int) int {
	end := d.skip(i, depth)
	if end < 0 || json.Unmarshal(d.b[i:end], v.Addr().Interface(), d.options) != nil {
		return -1
	}
	return end
}

// object reads an object. A member that comes again is read over the first.
func (d *state) object(p *plan, v reflect.Value, i, depth int) int {
	b := d.b
	if at(b, i) != '{' {
		return -1
	}
	if i = space(b, i+1); at(b, i) == '}' {
		return i + 1
	}
	for next, more := 0, true; more; next++ {
		name, value := []byte(nil), -1
		if next < len(p.fields) {
			value = space(b, literal(b, i, p.fields[next].start))
		}
		if value < 0 {
			end, plain := quoted(b, i)
			if value = colon(b, end); value < 0 {
				return -1
			}
			name = d.unquote(b[i:end], plain)
			next = p.byName[string(name)] - 1
		}
		if next >= 0 {
			i = d.value(p.fields[next].plan, v.Field(p.fields[next].index), value, depth)
		} else {
			i = d.unknown(p, v, name, value, depth)
		}
		i, more = after(b, i, '}')
	}
	return i
}

// unknown reads the value of a member that has no field.
func (d *state) unknown(p *plan, v reflect.Value, name []byte, i, depth int) int {
	end := d.skip(i, depth)
	if end < 0 || p.extra < 0 {
		return end
	}
	extra, _ := reflect.TypeAssert[*extraMap](v.Field(p.extra).Addr())
	if !d.TakeMember(len(*extra)) || !d.Step() {
		return -1
	}
	if *extra == nil {
		*extra = make(extraMap)
	}
	(*extra)[d.share(name)] = d.keep(d.b[i:end])
	return end
}

// slice reads an array. One that comes again replaces the first.
func (d *state) slice(p *plan, v reflect.Value, i, depth int) int {
	b := d.b
	if at(b, i) != '[' {
		return -1
	}
	v.Set(p.empty)
	if d.spare.IsValid() && d.spare.Type() == v.Type() && d.spare.Cap() > 0 {
		v.Set(d.spare.Slice(0, d.spare.Cap()))
		v.Clear()
		v.SetLen(0)
		d.spare = reflect.Value{}
	}
	if i = space(b, i+1); at(b, i) == ']' {
		return i + 1
	}
	// As many as lately, but no more memory at once than the rest of the body has.
	usual := max(1, min(int(p.usual.Load()), (len(b)-i)/int(p.of.Size()+1)))
	if size := usual * int(p.of.Size()); v.Cap() == 0 && size <= maxGuess {
		if !d.Take(int64(size)) {
			return -1
		}
		v.Grow(usual)
	}
	n := 0
	for more := true; more; n++ {
		if n == v.Len() && !d.room(p, v, i, depth) {
			return -1
		}
		i, more = after(b, d.value(p.elem, v.Index(n), i, depth), ']')
	}
	v.SetLen(n)
	if usual = int(p.usual.Load()); n > usual || n < usual/2 {
		p.usual.Store(int64(n))
	}
	return i
}

// maxGuess is how many bytes are set aside without knowing that they are used.
const maxGuess = 128 << 10

// room makes v longer: as long as there is memory for, and then as long as the
// array is, which is counted, because growing leaves garbage behind.
func (d *state) room(p *plan, v reflect.Value, i, depth int) bool {
	n, most := v.Len(), math.MaxInt
	if d.most > 0 && v.Type() == d.list {
		most = d.most
	}
	if n >= most {
		d.Stopped = cmp.Or(d.Stopped, ErrItems)
		return false
	}
	if n == v.Cap() {
		all := n + min(d.count(i, depth), most-n)
		if !d.Take(int64(all) * int64(p.of.Size())) { //nolint:gosec // no type is that large
			return false
		}
		longer := reflect.MakeSlice(v.Type(), all, all)
		reflect.Copy(longer, v)
		v.Set(longer)
	}
	v.SetLen(min(v.Cap(), most))
	return true
}
