// Package fastjson decodes JSON into structs several times as fast as json/v2.
//
// It scans the body once. The first decoding of a type builds a plan from its json tags
// (plan.go). Members are expected in the order of the fields, and other names are looked
// up. Unknown members are stored in the field that is tagged for them. The scanner
// (scan.go) checks the syntax and reads strings eight bytes at a time. Decoded values are
// copies (keep.go): short strings are shared, and raw values and times share chunks.
//
// The result equals that of json/v2 with the options of Reader. On an error, Read returns
// ErrRefused, and the caller decodes again with json/v2 for a description. Types without a
// plan, such as those with their own methods, are decoded by json/v2.
package fastjson

import (
	"cmp"
	"errors"
	"math"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

// Reader decodes values. It is safe for concurrent use.
type Reader struct {
	Own     reflect.Type // An interface. The JSON methods of structs that implement it are not called.
	Raw     reflect.Type // A byte slice type that stores a value's JSON unchanged.
	Options json.Options // Options of json/v2, which must allow duplicate names and invalid UTF-8.
	plans   sync.Map     // reflect.Type to *plan.
}

// state is the state of one Read.
type state struct {
	*limits.Bound
	list     reflect.Type // Slice type whose length is limited
	most     int          // to most elements.
	options  json.Options
	spare    reflect.Value
	b, chunk []byte
	known    [128][2]string // Recent short strings: two per hash value.
	dates    [16]date       // Recent dates, by their last digit.
	times    []time.Time    // Unused elements of a chunk.
}

var states = sync.Pool{New: func() any { return new(state) }}

// ErrRefused is returned for JSON that fastjson cannot decode. ErrItems is returned for a
// slice that is too long.
var (
	ErrRefused = errors.New("the JSON is not what was expected")
	ErrItems   = errors.New("there are too many items")
)

// Read decodes b into v, a pointer, within the bound. Its errors are the bound's error,
// ErrRefused and ErrItems. After an error, v holds what was read so far. The first slice
// with spare's type reuses the memory of spare. The parameter most limits the elements of
// each slice of that type; 0 means no limit.
func (r *Reader) Read(b []byte, v, spare any, most int, within *limits.Bound) error {
	d := states.Get().(*state)
	defer states.Put(d)
	d.Bound, d.most = within, most
	d.options, d.b, d.spare, d.list = r.Options, b, reflect.ValueOf(spare), reflect.TypeOf(spare)
	target := reflect.ValueOf(v).Elem()
	end := d.value(r.planOf(target.Type()), target, space(b, 0), 0)
	d.b, d.chunk, d.times, d.spare, d.Bound = nil, nil, nil, reflect.Value{}, nil
	if within.Stopped == nil && (end < 0 || space(b, end) != len(b)) {
		return ErrRefused
	}
	return within.Stopped
}

// value reads the value at i into v. depth is the number of enclosing objects and arrays.
// All methods that read return the end of what they read, or -1, like the functions in
// scan.go.
func (d *state) value(p *plan, v reflect.Value, i, depth int) int {
	first := at(d.b, i)
	if first == 'n' && p.kind != raw && p.kind != viaJSON {
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
		if v.IsNil() && !d.allocate(p, v) {
			return -1
		}
		return d.value(p.elem, v.Elem(), i, depth)
	case slice:
		return d.slice(p, v, i, depth+1)
	case object:
		return d.object(p, v, i, depth+1)
	}
	return d.viaJSON(v, i, depth)
}

func (d *state) viaJSON(v reflect.Value, i, depth int) int {
	end := d.skip(i, depth)
	if end < 0 || json.Unmarshal(d.b[i:end], v.Addr().Interface(), d.options) != nil {
		return -1
	}
	return end
}

// object reads an object. The last of several members with the same name applies.
func (d *state) object(p *plan, v reflect.Value, i, depth int) int {
	b := d.b
	if at(b, i) != '{' {
		return -1
	}
	i = space(b, i+1)
	if at(b, i) == '}' {
		return i + 1
	}
	for next := 0; ; next++ {
		name, value := []byte(nil), -1
		if next < len(p.fields) {
			value = space(b, literal(b, i, p.fields[next].start))
		}
		if value < 0 {
			end, plain := quoted(b, i)
			value = colon(b, end)
			if value < 0 || !d.Step() {
				return -1
			}
			name = d.unquote(b[i:end], plain)
			next = p.byName[string(name)] - 1
		}
		if next >= 0 {
			f := &p.fields[next]
			i = d.value(f.plan, v.Field(f.index), value, depth)
		} else {
			i = d.unknown(p, v, name, value, depth)
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

// slice reads an array. It replaces the elements of an earlier member with the same name.
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
	i = space(b, i+1)
	if at(b, i) == ']' {
		return i + 1
	}
	// The length of recent slices of the type, limited by the size of the remaining body.
	usual := max(1, min(int(p.usual.Load()), (len(b)-i)/int(p.of.Size()+1)))
	if size := usual * int(p.of.Size()); v.Cap() == 0 && size <= maxGuess {
		if !d.Take(int64(size)) {
			return -1
		}
		v.Grow(usual)
	}
	n := 0
	for more := true; more; n++ {
		if !d.Step() || n == v.Len() && !d.room(p, v, i, depth) {
			return -1
		}
		i, more = after(b, d.value(p.elem, v.Index(n), i, depth), ']')
	}
	v.SetLen(n)
	usual = int(p.usual.Load())
	if n > usual || n < usual/2 {
		p.usual.Store(int64(n))
	}
	return i
}

// maxGuess is the largest allocation in bytes that is made before the array's length is
// known.
const maxGuess = 128 << 10

// room makes v longer. It first uses the capacity of v. It then counts the remaining
// elements and allocates once, because repeated growing leaves garbage.
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
