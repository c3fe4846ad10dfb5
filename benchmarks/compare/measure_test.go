package compare

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// cost is what one operation takes, on average over those of a sample.
type cost struct {
	time          time.Duration
	allocs, bytes float64
	ratio         float64 // How many times faster than the first of its round.
}

// measure runs do n times.
func measure(tb testing.TB, n int, do func() error) cost {
	tb.Helper()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range n {
		if err := do(); err != nil {
			tb.Fatal(err)
		}
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return cost{
		time:   took / time.Duration(n),
		allocs: float64(after.Mallocs-before.Mallocs) / float64(n),
		bytes:  float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
	}
}

// interleave measures everything in turn, so that what else the machine does
// meets all alike, and returns the medians over the rounds. Each sample takes
// about as long as budget says.
func interleave(tb testing.TB, rounds int, budget time.Duration, all []func() error) []cost {
	tb.Helper()
	counts, taken := make([]int, len(all)), make([][]cost, len(all))
	for i, do := range all {
		warm := measure(tb, 3, do)
		counts[i] = max(1, int(budget/max(1, warm.time)))
	}
	for round := range rounds {
		for i, do := range all {
			c := measure(tb, counts[i], do)
			taken[i] = append(taken[i], c)
			taken[i][round].ratio = float64(taken[0][round].time) / float64(c.time)
		}
	}
	medians := make([]cost, len(all))
	for i, costs := range taken {
		medians[i] = cost{
			time:   median(costs, func(c cost) time.Duration { return c.time }),
			allocs: median(costs, func(c cost) float64 { return c.allocs }),
			bytes:  median(costs, func(c cost) float64 { return c.bytes }),
			ratio:  median(costs, func(c cost) float64 { return c.ratio }),
		}
	}
	return medians
}

func median[T time.Duration | float64](costs []cost, of func(cost) T) T {
	values := make([]T, len(costs))
	for i, c := range costs {
		values[i] = of(c)
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// table lines up rows of cells.
func table(rows [][]any) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		for _, cell := range row {
			switch cell := cell.(type) {
			case time.Duration:
				fmt.Fprintf(w, "%.1f\t", float64(cell)/float64(time.Microsecond))
			case float64:
				fmt.Fprintf(w, "%.2f\t", cell)
			default:
				fmt.Fprintf(w, "%v\t", cell)
			}
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // Into memory.
	return "\n" + text.String()
}
