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

var update = flag.Bool("update", false, "write the table of TestCompare to the results folder")

// TestCompare measures each kind of work with all peers in turn and prints one table. It fails
// when the client allocates more than its limit and, with HIRING_LONG=1, which takes enough
// samples, when the client is slower than ogen.
func TestCompare(t *testing.T) {
	long := os.Getenv("HIRING_LONG") != ""
	if *update && !long {
		t.Fatal("-update needs HIRING_LONG=1")
	}
	rounds, budget := 6, 2*time.Millisecond
	if long {
		rounds, budget = 40, 25*time.Millisecond
	}
	cells := [][]any{{"work", "transport", "peer", "µs", "times net-http", "allocs", "limit", "bytes", "limit"}}
	for i, transport := range transports {
		peers := connect(t, i)
		for _, w := range works {
			do := make([]func() error, len(peers))
			for j, p := range peers {
				do[j] = func() error { return w.do(p, t.Context()) }
			}
			samples := interleave(t, rounds, budget, do)
			for j, c := range medians(samples) {
				row := []any{w.name, transport.name, makers[j].name, c.time, c.ratio, int(c.allocs), "", int(c.bytes), ""}
				if j == hiringPeer && i == 0 { // Over loopback, those of the transport count too.
					least := least(samples[j])
					assert.LessOrEqual(t, least.allocs, w.allocs+1, "allocations of %s", w.name)
					assert.LessOrEqual(t, least.bytes, 1.01*w.bytes, "bytes of %s", w.name)
					row[6], row[8] = int(w.allocs), int(w.bytes)
				}
				cells = append(cells, row)
			}
			if long {
				assert.False(t, slower(samples[hiringPeer], samples[ogenPeer]), "%s over %s: the client is slower than ogen", w.name, transport.name)
			}
		}
	}
	text := machine() + "\n" + table(cells)
	t.Log("\n" + text)
	if *update && !t.Failed() {
		require.NoError(t, os.WriteFile("results/"+runtime.GOOS+"-"+runtime.GOARCH+".txt", []byte(text), 0o644))
	}
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

// machine describes where the table was measured.
func machine() string {
	return fmt.Sprintf("%s, %s/%s, %d cores", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU()) +
		found("/proc/cpuinfo", `model name\s*: (.*)`, "") + found("/proc/loadavg", `(\S+)`, "load ")
}

// found returns what a file of Linux says, after a comma, or "" on other systems.
func found(file, pattern, name string) string {
	info, _ := os.ReadFile(file) // Other systems have no such file.
	if match := regexp.MustCompile(pattern).FindSubmatch(info); match != nil {
		return ", " + name + string(match[1])
	}
	return ""
}
