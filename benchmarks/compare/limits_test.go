package compare

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

// most is what the client may cost. Times are printed and not judged: they are
// another machine's on every machine.
var most = struct {
	calls map[string]cost
	size  float64 // Bytes of a stripped program, above one that uses net/http.
}{
	calls: map[string]cost{
		"Account":     {allocs: 29, bytes: 3_700},
		"Invitations": {allocs: 850, bytes: 60_000},
		"Submissions": {allocs: 2_600, bytes: 230_000},
		"Events":      {allocs: 70, bytes: 75_000},
	},
	size: 1.55e6,
}

// TestLimits counts what a call allocates with everything on, from memory.
func TestLimits(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // A collection empties pools.
	client := connect(t, 0)[len(makers)-1]
	for _, w := range works {
		measure(t, 3, func() error { return w.do(client, t.Context()) })
		got := measure(t, 200, func() error { return w.do(client, t.Context()) })
		assert.LessOrEqual(t, got.allocs, most.calls[w.name].allocs, "allocations of %s", w.name)
		assert.LessOrEqual(t, got.bytes, most.calls[w.name].bytes, "bytes of %s", w.name)
		t.Logf("%s: %.1f allocations, %.0f bytes", w.name, got.allocs, got.bytes)
	}
}
