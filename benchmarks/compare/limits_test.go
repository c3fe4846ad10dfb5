package compare

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

// most is what the client may allocate. Times depend on the machine, so TestCompareCalls
// compares them with those of ogen.
var most = struct {
	calls map[string]cost
	size  float64 // Bytes of a stripped program, above one that uses net/http.
}{
	calls: map[string]cost{
		"Account":     {allocs: 28, bytes: 3_900},
		"Invitations": {allocs: 550, bytes: 60_000},
		"Submissions": {allocs: 2_300, bytes: 230_000},
		"Events":      {allocs: 70, bytes: 75_000},
		"Walk":        {allocs: 1_250, bytes: 750_000},
	},
	size: 1.6e6,
}

// TestLimits counts what a call allocates with everything on, from memory. It uses the
// smallest of several counts, because a busy machine can only increase them, and rounds it
// down, because an allocation in the background of each count is not one of each call.
func TestLimits(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // A collection empties pools.
	client := connect(t, 0)[len(makers)-1]
	check := func(name string, do func() error) {
		got := measure(t, 3, do)
		for range 5 { // Moving to another processor and background goroutines only add allocations.
			c := measure(t, 50, do)
			got.allocs, got.bytes = min(got.allocs, c.allocs), min(got.bytes, c.bytes)
		}
		got.allocs = math.Floor(got.allocs)
		assert.LessOrEqual(t, got.allocs, most.calls[name].allocs, "allocations of %s", name)
		assert.LessOrEqual(t, got.bytes, most.calls[name].bytes, "bytes of %s", name)
		t.Logf("%s: %.0f allocations, %.0f bytes", name, got.allocs, got.bytes)
	}
	for _, w := range works {
		check(w.name, func() error { return w.do(client, t.Context()) })
	}
	p := newWalkPeer(t, "hiring")
	check("Walk", func() error { return iterate(t.Context(), p, eventsOfWalk, func(int64, []byte) {}) })
}
