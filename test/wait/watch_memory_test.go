package wait_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// meteredCheckpoint keeps a state in memory and records its largest size.
type meteredCheckpoint struct {
	memoryCheckpoint
	saves, largest int
	every          int // Saves between two measurements of the heap.
	baseline, heap uint64
}

func (c *meteredCheckpoint) Save(ctx context.Context, state string) error {
	c.largest = max(c.largest, len(state))
	c.saves++
	if c.every > 0 && c.saves%c.every == 0 {
		c.heap = max(c.heap, max(apitest.HeapInUse(), c.baseline)-c.baseline)
	}
	return c.memoryCheckpoint.Save(ctx, state)
}

// TestWatchNeedsLittleMemory watches very many submissions for a long time.
func TestWatchNeedsLittleMemory(t *testing.T) {
	day := 24 * time.Hour
	cases := []struct {
		on    sandbox.SinceField
		n     int
		over  time.Duration
		limit int
	}{
		{sandbox.SinceEvaluated, 3000, 3 * time.Hour, 1000},
		{sandbox.SinceCreated, 500, 8 * time.Hour, 150},
	}
	if apitest.Long() {
		cases[0].n, cases[0].over = 1_000_000, 30*day
		cases[1].n, cases[1].over, cases[1].limit = 50_000, 30*day, 1000
	}
	for _, c := range cases {
		synctest.Test(t, func(t *testing.T) {
			crowd := newLargeService(c.on, c.n, c.over, lognormal(3*time.Hour, 72*time.Hour, 20*day))
			crowd.limit = c.limit
			got := newDelivered(crowd)
			got.log = make([]delivery, 0, c.n)
			client := crowd.client(t)
			kept := &meteredCheckpoint{every: 1 + c.n/50, baseline: apitest.HeapInUse()}
			ctx, cancel := context.WithTimeout(t.Context(), c.over)
			defer cancel()
			for s, err := range client.Submissions.Watch(ctx, hiring.WatchOptions{Checkpoint: kept}) {
				if err != nil {
					require.ErrorIs(t, err, context.DeadlineExceeded)
					break
				}
				got.take(s.ID)
			}
			missed, twice := got.missed(c.over - 6*time.Hour)
			t.Logf("%d on %s over %s: %d delivered, heap %.1f MiB, state %d bytes, %d requests, p95 %s", c.n, c.on, c.over,
				got.total, float64(kept.heap)/(1<<20), kept.largest, crowd.requests, quantile(got.late(), 0.95).Round(time.Second))
			assert.Zero(t, missed, "missed")
			assert.Zero(t, twice, "delivered more than once")
			assert.Zero(t, crowd.refused, "429")
			assert.Less(t, kept.heap, uint64(32<<20), "bytes of heap")
			assert.LessOrEqual(t, kept.largest, 256<<10, "bytes of state")
			runtime.KeepAlive(crowd)
		})
	}
}
