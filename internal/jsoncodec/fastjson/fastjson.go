// Package fastjson decodes JSON into structs several times as fast as json/v2.
//
// It scans the body once. The first value of a type makes the reader of the type from its json
// tags (readers.go, scalars.go), which knows where in a struct each field lies. Members are expected in
// the order of the fields, and other names are looked up. Unknown members are stored in the field
// that is tagged for them. The scanner (scan.go) checks the syntax and reads strings eight bytes at a
// time. Decoded values are copies: short strings are shared, and raw values and times share chunks.
//
// The result equals that of json/v2 with the given options. On an error, Decode returns
// ErrRefused, and the caller decodes again with json/v2 for a description.
package fastjson

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
	"reflect"
	"sync"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Decoder is the state of one decoding.
type Decoder struct {
	options  json.Options
	b, chunk []byte
	known    [128][2]string // Recent short strings: two per hash value.
	dates    [16]date       // Recent dates, by their last digit.
	times    []time.Time    // Unused elements of a chunk.
}

var decoders = sync.Pool{New: func() any { return new(Decoder) }}

// ErrRefused is returned for JSON that fastjson cannot decode.
var ErrRefused = errors.New("the JSON is not what was expected")

// Decode decodes b into v. The options are those of json/v2, which must allow duplicate names
// and invalid UTF-8. Its only error is ErrRefused, after which the content of v is undefined.
// Decode is safe for concurrent use.
func Decode[T any](b []byte, v *T, options json.Options) error {
	d := decoders.Get().(*Decoder)
	defer decoders.Put(d)
	d.b, d.options = b, options
	end := readerOf(reflect.TypeFor[T]())(d, unsafe.Pointer(v), space(b, 0), 0) //nolint:gosec // v is of the reader's type
	d.b, d.chunk, d.times = nil, nil, nil
	if end < 0 || space(b, end) != len(b) {
		return ErrRefused
	}
	return nil
}

const (
	chunkSize = 4 << 10
	timeChunk = 16
	maxShared = 40 // Bytes of a string that may repeat, such as a status, a name or an id.
)

// keep returns a copy of b. Small copies share a chunk, which saves allocations. A chunk
// is small, because each value in it keeps the whole chunk in memory.
func (d *Decoder) keep(b []byte) []byte {
	if len(b) > chunkSize/4 {
		return append(make([]byte, 0, len(b)), b...)
	}
	n := len(d.chunk)
	if len(b) > cap(d.chunk)-n {
		size := min(chunkSize, len(d.b))
		d.chunk, n = make([]byte, 0, size), 0
	}
	d.chunk = append(d.chunk, b...)
	return d.chunk[n:len(d.chunk):len(d.chunk)]
}

// hash returns a hash of the first and the last eight bytes of b, in which most ids differ.
func hash(b []byte) uint64 {
	var first, last uint64
	if n := len(b); n >= 8 {
		first, last = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])
	} else {
		for _, c := range b {
			first = first<<8 | uint64(c)
		}
	}
	const golden = 0x9E3779B97F4A7C15 // Its product spreads the bits to the upper ones.
	return (first ^ bits.RotateLeft64(last, 23)) * golden >> 32
}

// share returns b as a string. It returns the earlier string if an equal one was read
// recently.
func (d *Decoder) share(b []byte) string {
	if len(b) == 0 || len(b) > maxShared {
		return string(b)
	}
	known := &d.known[hash(b)%uint64(len(d.known))]
	if known[1] == string(b) {
		return known[1]
	}
	if known[0] != string(b) {
		known[0], known[1] = string(b), known[0]
	}
	return known[0]
}

// newTime returns a zero time.
func (d *Decoder) newTime() *time.Time {
	if len(d.times) == 0 {
		d.times = make([]time.Time, timeChunk)
	}
	t := &d.times[0]
	d.times = d.times[1:]
	return t
}

// unquote returns the content of a JSON string. plain reports that it has no escapes and
// is ASCII.
func (d *Decoder) unquote(b []byte, plain bool) []byte {
	inner := b[1 : len(b)-1]
	if !plain && (bytes.IndexByte(inner, '\\') >= 0 || !utf8.Valid(inner)) {
		// The only possible error is invalid UTF-8, which AppendUnquote replaces.
		inner, _ = jsontext.AppendUnquote(nil, b)
	}
	return inner
}
