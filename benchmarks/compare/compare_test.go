package compare

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the results of TestCompareCalls to the results folder and to the README")

// long reports whether to run long enough for reliable figures. Those
// taken under the race detector are not.
func long() bool { return os.Getenv("HIRING_LONG") != "" && !raceDetector }

// row is one kind of work with one transport, as all peers do it.
type row struct {
	work, transport string
	peers           []cost // Medians, in the order of makers.
	behind          bool   // The client is slower than ogen.
}

// TestCompareCalls measures each kind of work with all peers in turn. It fails when the
// client is slower than ogen, or allocates more than its limit.
func TestCompareCalls(t *testing.T) {
	if *update && !long() {
		t.Fatal("-update needs HIRING_LONG=1 and no race detector")
	}
	rounds, budget := 1, time.Millisecond
	if long() {
		rounds, budget = 40, 25*time.Millisecond
	}
	client, ogen := maker("hiring"), maker("ogen")
	var rows []row
	compare := func(work, transport string, do []func() error) {
		samples := interleave(t, rounds, budget, do)
		rows = append(rows, row{work, transport, medians(samples), slower(samples[client], samples[ogen])})
	}
	for i, door := range transports {
		peers := connect(t, i)
		for _, w := range works {
			do := make([]func() error, len(peers))
			for j, p := range peers {
				do[j] = func() error { return w.do(p, t.Context()) }
			}
			compare(w.name, door.name, do)
		}
	}
	do := make([]func() error, len(makers))
	for j, m := range makers {
		p := newWalkPeer(t, m.name)
		do[j] = func() error { return iterate(t.Context(), p, eventsOfWalk, func(int64, []byte) {}) }
	}
	compare("Walk", transports[0].name, do)

	text := results(rows)
	t.Log("\n" + text)
	for _, r := range rows {
		if !long() {
			continue // One sample, and a collection before it has emptied the pools.
		}
		if r.transport == transports[0].name {
			assert.LessOrEqual(t, r.peers[client].allocs, 1.01*most.calls[r.work].allocs, "allocations of %s", r.work)
		}
		assert.False(t, r.behind, "%s over %s: the client is slower than ogen", r.work, r.transport)
	}
	if *update && !t.Failed() {
		require.NoError(t, os.WriteFile("results/"+runtime.GOOS+"-"+runtime.GOARCH+".txt", []byte(text), 0o644))
	}
}

// maker returns the index of a peer.
func maker(name string) int {
	for i, m := range makers {
		if m.name == name {
			return i
		}
	}
	panic("no peer is called " + name)
}

// slower reports whether a was slower than b in at least two thirds of the rounds. With
// equal peers and 40 rounds, that happens once in 50 runs.
func slower(a, b []cost) bool {
	lost := 0
	for i := range a {
		if a[i].time > b[i].time {
			lost++
		}
	}
	return 3*lost >= 2*len(a)
}

// results is the text of the results file.
func results(rows []row) string {
	cells := [][]any{{"work", "transport", "peer", "µs", "times net-http", "allocs", "bytes"}}
	for _, r := range rows {
		for j, c := range r.peers {
			cells = append(cells, []any{r.work, r.transport, makers[j].name, c.time, c.ratio, int(c.allocs), int(c.bytes)})
		}
	}
	machine := fmt.Sprintf("%s, %s/%s, %d cores", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	return machine + found("/proc/cpuinfo", `model name\s*: (.*)`, "") + found("/proc/loadavg", `\S+ \S+ (\S+)`, "load ") + "\n" + table(cells)
}

// found returns what a file of Linux says, after a comma, or "" on other systems.
func found(file, pattern, name string) string {
	info, _ := os.ReadFile(file) // Other systems have no such file.
	if match := regexp.MustCompile(pattern).FindSubmatch(info); match != nil {
		return ", " + name + string(match[1])
	}
	return ""
}
