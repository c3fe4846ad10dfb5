package limits

import (
	"errors"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrMemory is returned when decoding would exceed the memory bound.
var ErrMemory = errors.New("the response takes more memory than allowed")

// Bound limits the memory and time of decoding one response. A decoder calls Take before
// each allocation, so that a short text cannot become a large value. Memory that becomes
// garbage still counts, because it may not be collected in time.
type Bound struct {
	Left    int64                    // Bytes that may still be allocated.
	Until   interface{ Err() error } // Context whose error ends decoding; nil means none.
	Stopped error                    // Why decoding must end; nil while it may continue.
	steps   uint
}

// Step reports whether decoding may continue. It checks the context at every 4096th call.
// A decoder calls it for every value, or at least for every element of an array and for
// every member that is not in the expected order.
func (b *Bound) Step() bool {
	b.steps++
	if b.steps%4096 == 0 {
		b.checkTime() // In a function of its own, so that Step is inlined.
	}
	return b.Stopped == nil
}

func (b *Bound) checkTime() {
	if b.Until != nil && b.Stopped == nil {
		b.Stopped = b.Until.Err()
	}
}

// Take deducts n bytes, and an eighth more because the allocator rounds sizes up. It
// reports whether decoding may continue.
func (b *Bound) Take(n int64) bool {
	b.Left -= n + n/8
	if b.Left < 0 && b.Stopped == nil {
		b.Stopped = ErrMemory
	}
	return b.Stopped == nil
}

// Cost of a map of strings in bytes: for its first eight members, for the ninth, which
// changes the map's internal layout, and for each further member. The costs include the
// memory that growing the map leaves behind.
const (
	newMap   = 450
	ninth    = 1000
	mapEntry = 200
)

// TakeMember deducts the memory for one more member of a map that has n members.
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

// grown is the memory allocated by growing a slice one element at a time, as a multiple of
// its final size.
const grown = 7

// Unmarshalers deducts an upper bound of what json/v2 allocates for each value, then runs
// others. The length of the JSON bounds the memory of all strings, except of those that are
// not UTF-8. The pointer in an error has a bound of its own.
func (b *Bound) Unmarshalers(text []byte, others *json.Unmarshalers) *json.Unmarshalers {
	b.Take(int64(len(text)) + replacedByte*int64(InvalidBytes(text)) + pathByte*int64(longestPath(text)))
	var inMap []bool // By depth: whether the parent is a map.
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
		inMap[depth+1] = t.Kind() == reflect.Map
		if inMap[depth+1] {
			size += newMap
		}
		if !b.Take(size) || !b.Step() {
			return b.Stopped
		}
		return Skip
	}), others)
}
