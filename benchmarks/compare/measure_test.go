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

// measure runs do n times, after once more, because the collection empties pools.
func measure(tb testing.TB, n int, do func() error) cost {
	tb.Helper()
	runtime.GC()
	if err := do(); err != nil {
		tb.Fatal(err)
	}
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

// interleave measures everything in turn, so that other load of the machine affects all
// alike. It returns the samples of each function by round. A sample takes about as long as
// budget says. Its ratio compares it with the first function in the same round.
func interleave(tb testing.TB, rounds int, budget time.Duration, all []func() error) (samples [][]cost) {
	tb.Helper()
	counts, samples := make([]int, len(all)), make([][]cost, len(all))
	for i, do := range all {
		// The first calls are slower, and so are those that the machine interrupts. A count
		// from them alone would give samples so short that they include no garbage collection.
		one := budget
		for range 4 {
			one = max(1, min(one, measure(tb, max(3, counts[i]), do).time))
			counts[i] = max(1, int(budget/one))
		}
	}
	for round := range rounds {
		for i, do := range all {
			c := measure(tb, counts[i], do)
			samples[i] = append(samples[i], c)
			samples[i][round].ratio = float64(samples[0][round].time) / float64(c.time)
		}
	}
	return samples
}

// medians returns the medians over the rounds.
func medians(samples [][]cost) []cost {
	all := make([]cost, len(samples))
	for i, costs := range samples {
		all[i] = cost{
			time:   median(costs, func(c cost) time.Duration { return c.time }),
			allocs: median(costs, func(c cost) float64 { return c.allocs }),
			bytes:  median(costs, func(c cost) float64 { return c.bytes }),
			ratio:  median(costs, func(c cost) float64 { return c.ratio }),
		}
	}
	return all
}

// least returns the least allocations and bytes of the samples: a collection and background
// goroutines only add to them.
func least(samples []cost) cost {
	l := samples[0]
	for _, c := range samples {
		l.allocs, l.bytes = min(l.allocs, c.allocs), min(l.bytes, c.bytes)
	}
	return l
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
	return text.String()
}
