package waiting

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestStringDropsNothingThatFits: a watch without a checkpoint, which never calls String, drops the same.
func TestStringDropsNothingThatFits(t *testing.T) {
	t.Parallel()
	plain := pendingItem{Created: midday, Status: "in progress", Serial: 12345}
	left, awaited := plain, plain
	left.ReadAt, left.LeftListing, left.Misses = midday, true, 12
	awaited.Status, awaited.ReadAt, awaited.AwaitedSince, awaited.NoReportAt, awaited.NoReportLocal = Evaluated, midday, midday, midday, midday
	worst := awaited
	worst.LeftListing, worst.WithoutReport, worst.Misses = true, true, 123
	worst.UnreadableAt, worst.Unreadable, worst.UnreadableEvaluated = midday, true, true
	for name, kinds := range map[string][]pendingItem{
		"plain":                         {plain},
		"left their listing":            {left},
		"one in six awaits its report":  {plain, plain, plain, plain, plain, awaited},
		"half await their report":       {plain, awaited},
		"all await their report":        {awaited},
		"all cannot be decoded as well": {worst},
		"each":                          {plain, left, awaited, worst},
	} {
		for _, delivered := range []int{0, maxDelivered, 2 * maxDelivered, 3 * maxDelivered} {
			m := New(Options{Start: midday, Lookback: 30 * 24 * time.Hour})
			for i := range delivered {
				m.Watch.Memory.Delivered.add(fmt.Sprint(i), &Item{Created: midday, Evaluated: midday})
			}
			for i := range maxStatuses {
				m.Set.Statuses[fmt.Sprintf("%02d", i)+strings.Repeat("x", maxTextLength-2)] = &status{ListedAt: midday, Pages: 10, Direct: 12.5, Indirect: 12.5, HandedIn: true}
			}
			size := 0
			for i := 0; ; i++ { // As many as limitMemory keeps.
				it, id := kinds[i%len(kinds)], fmt.Sprintf("b0000000-0000-4000-8000-%012x", i)
				if size += it.size(id); size > m.Watch.Memory.roomForItems() {
					break
				}
				m.Set.Items[id] = &it
			}
			m.Watch.limitMemory()
			items, deliveries := len(m.Set.Items), len(m.Watch.Memory.Delivered)
			length := len(m.String())
			t.Logf("%s, %d delivered: %d items, %d bytes", name, delivered, items, length)
			assert.Len(t, m.Set.Items, items, "%s, %d delivered", name, delivered)
			assert.Len(t, m.Watch.Memory.Delivered, deliveries, "%s, %d delivered", name, delivered)
		}
	}
}
