package fastjson

import (
	"bytes"
	"hash/maphash"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxDepth  = 10_000 // As in json/v2.
	chunkSize = 4 << 10
	timeChunk = 16
	maxShared = 40 // Bytes of a string that may repeat, such as a status, a name or an id.
)

// keep returns a copy of b. Small copies share a chunk, which saves allocations. A chunk
// is small, because each value in it keeps the whole chunk in memory.
func (d *state) keep(b []byte) []byte {
	if len(b) > chunkSize/4 {
		if !d.Take(int64(len(b))) {
			return nil
		}
		return append(make([]byte, 0, len(b)), b...)
	}
	n := len(d.chunk)
	if len(b) > cap(d.chunk)-n {
		size := min(chunkSize, len(d.b))
		if !d.Take(int64(size)) {
			return nil
		}
		d.chunk, n = make([]byte, 0, size), 0
	}
	d.chunk = append(d.chunk, b...)
	return d.chunk[n:len(d.chunk):len(d.chunk)]
}

var seed = maphash.MakeSeed()

// share returns b as a string. It returns the earlier string if an equal one was read
// recently.
func (d *state) share(b []byte) string {
	if len(b) == 0 || len(b) > maxShared {
		return d.text(b)
	}
	known := &d.known[maphash.Bytes(seed, b)%uint64(len(d.known))]
	if known[1] == string(b) {
		return known[1]
	}
	if known[0] != string(b) {
		known[0], known[1] = d.text(b), known[0]
	}
	return known[0]
}

// allocate points v to a new value. Times share chunks, because a resource has several.
func (d *state) allocate(p *plan, v reflect.Value) bool {
	size := int64(p.of.Size()) //nolint:gosec // no type is that large
	switch {
	case p.elem.kind != instant:
		if !d.Take(size) {
			return false
		}
		v.Set(reflect.New(p.of))
		return true
	case len(d.times) == 0:
		if !d.Take(timeChunk * size) {
			return false
		}
		d.times = make([]time.Time, timeChunk)
	}
	v.Set(reflect.ValueOf(&d.times[0]))
	d.times = d.times[1:]
	return true
}

// text copies b, or returns "" when the memory bound is exceeded.
func (d *state) text(b []byte) string {
	if !d.Take(int64(len(b)) + 7) {
		return ""
	}
	return string(b)
}

// unquote returns the content of a JSON string. plain reports that it has no escapes and
// is ASCII.
func (d *state) unquote(b []byte, plain bool) []byte {
	inner := b[1 : len(b)-1]
	if !plain && (bytes.IndexByte(inner, '\\') >= 0 || !utf8.Valid(inner)) && d.Take(int64(len(b))) {
		// The only possible error is invalid UTF-8, which AppendUnquote replaces.
		inner, _ = jsontext.AppendUnquote(make([]byte, 0, len(b)), b)
	}
	return inner
}
