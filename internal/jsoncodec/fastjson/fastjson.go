// Package fastjson decodes JSON into structs several times as fast as json/v2.
//
// It scans the body once. A Reader decodes values of one type (scalars.go, readers.go).
// The reader of a struct has a function for each member, which calls the reader of a
// field, so that no field is accessed by reflection. Members are expected in the order of
// the fields, and other names are looked up. Unknown members are stored in one field. The
// scanner (scan.go) checks the syntax and reads strings eight bytes at a time. Decoded
// values are copies (keep.go): short strings are shared, and raw values and times share
// chunks.
//
// The result equals that of json/v2 with the given options. On an error, Decode returns
// ErrRefused, and the caller decodes again with json/v2 for a description.
package fastjson

import (
	"errors"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// Reader reads the value at index i of the body into to. depth is the number of enclosing
// objects and arrays. It returns the index after the value, or -1 when there is no such
// value.
type Reader[T any] func(d *Decoder, to *T, i, depth int) int

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
func Decode[T any](b []byte, read Reader[T], v *T, options json.Options) error {
	d := decoders.Get().(*Decoder)
	defer decoders.Put(d)
	d.b, d.options = b, options
	end := read(d, v, space(b, 0), 0)
	d.b, d.chunk, d.times = nil, nil, nil
	if end < 0 || space(b, end) != len(b) {
		return ErrRefused
	}
	return nil
}
