package compare

import (
	"os"
	"testing"
	"time"
)

// long reports whether to run long enough for reliable figures. Those
// taken under the race detector are not.
func long() bool { return os.Getenv("HIRING_LONG") != "" && !raceDetector }

// TestCompareCalls prints what one call of each kind costs each peer.
func TestCompareCalls(t *testing.T) {
	rounds, budget := 1, time.Millisecond
	if long() {
		rounds, budget = 40, 25*time.Millisecond
	}
	rows := [][]any{{"work", "transport", "peer", "µs", "times net-http", "allocs", "bytes"}}
	for i, door := range doors {
		peers := connect(t, i)
		for _, w := range works {
			all := make([]func() error, len(peers))
			for j, p := range peers {
				all[j] = func() error { return w.do(p, t.Context()) }
			}
			medians := interleave(t, rounds, budget, all)
			for j, m := range medians {
				rows = append(rows, []any{w.name, door.name, makers[j].name, m.time, m.ratio, int(m.allocs), int(m.bytes)})
			}
		}
	}
	t.Log(table(rows))
}
