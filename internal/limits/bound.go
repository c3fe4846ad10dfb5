package limits

import (
	"errors"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrMemory ends what would allocate more than it may.
var ErrMemory = errors.New("the reply takes more memory than it may")

// Bound is what a reader of JSON has left. Whoever allocates asks before it does,
// so that a short text cannot become a large value; what becomes garbage counts
// as well, because nobody knows when it is collected.
type Bound struct {
	Left    int64                    // Bytes that may still be allocated.
	Until   interface{ Err() error } // A context, asked from time to time; nil: for ever.
	Stopped error                    // Why nothing more is read.
	steps   uint
}

// Step is called for every value, and tells whether to go on.
func (b *Bound) Step() bool {
	if b.steps++; b.steps%4096 == 0 && b.Until != nil && b.Stopped == nil {
		b.Stopped = b.Until.Err()
	}
	return b.Stopped == nil
}

// Take asks for n bytes. An allocation is up to an eighth larger than asked for.
func (b *Bound) Take(n int64) bool {
	if b.Left -= n + n/8; b.Left < 0 && b.Stopped == nil {
		b.Stopped = ErrMemory
	}
	return b.Stopped == nil
}

// What a map of strings costs in bytes: with its first eight members, with the
// ninth, which makes it another kind of map, and with each from there on. It
// doubles, and what it had before is garbage.
const (
	newMap   = 450
	ninth    = 1000
	mapEntry = 200
)

// TakeMember asks for the memory of one more member of a map that has n.
func (b *Bound) TakeMember(n int) bool {
	switch {
	case n == 0:
		return b.Take(newMap)
	case n == 8:
		return b.Take(ninth)
	case n > 8:
		return b.Take(mapEntry)
	}
	return true
}

// grown is how much of a slice is allocated when it grows an element at a time.
const grown = 7

// Unmarshalers count what json/v2 allocates, from above, before anything else
// applies. Texts count as their JSON, once for all.
func (b *Bound) Unmarshalers(text int, others *json.Unmarshalers) *json.Unmarshalers {
	b.Take(int64(text))
	var inMap []bool // By depth: the members there are those of a map.
	return json.JoinUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, v any) error {
		depth := d.StackDepth()
		t := reflect.TypeOf(v).Elem()
		size := int64(t.Size()) + 16 //nolint:gosec // no type is that large
		if parent, _ := d.StackIndex(depth); parent == '[' {
			size *= grown
		}
		if depth < len(inMap) && inMap[depth] {
			size += mapEntry
		}
		for len(inMap) < depth+2 {
			inMap = append(inMap, false)
		}
		if inMap[depth+1] = t.Kind() == reflect.Map; inMap[depth+1] {
			size += newMap
		}
		if !b.Take(size) || !b.Step() {
			return b.Stopped
		}
		return Skip
	}), others)
}
