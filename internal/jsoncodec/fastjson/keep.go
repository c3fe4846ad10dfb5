package fastjson

import (
	"bytes"
	"hash/maphash"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxDepth  = 10_000 // As in json/v2.
	chunkSize = 4 << 10
	maxShared = 40 // Bytes of a string that may come again: a status, a name, an id.
)

// keep returns a copy of b. Small ones lie together, which saves allocations;
// a chunk is small, because one value that is kept keeps all of it.
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

// share returns b as a string: the one that came before, if that is not long ago.
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

// text copies b, unless there is no memory for it.
func (d *state) text(b []byte) string {
	if !d.Take(int64(len(b)) + 7) {
		return ""
	}
	return string(b)
}

// unquote returns what a string stands for.
func (d *state) unquote(b []byte, plain bool) []byte {
	inner := b[1 : len(b)-1]
	if !plain && (bytes.IndexByte(inner, '\\') >= 0 || !utf8.Valid(inner)) && d.Take(int64(len(b))) {
		// Its error can only be about invalid UTF-8, which it has replaced.
		inner, _ = jsontext.AppendUnquote(make([]byte, 0, len(b)), b)
	}
	return inner
}
