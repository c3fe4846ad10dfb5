package wait_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

// TestWrongDateDoesNotEndTheWaitForAReport: a submission is yielded with the report
// that comes 50 minutes after its status, whatever the Date of responses says.
func TestWrongDateDoesNotEndTheWaitForAReport(t *testing.T) {
	for name, wrong := range map[string]time.Time{
		"1970": time.Unix(0, 0), "9999": time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), "2 hours ahead": {},
	} {
		inBubble(t, name, func(t *testing.T) {
			begun := time.Now()
			skew := func(now time.Time) time.Duration {
				switch {
				case now.Sub(begun) < 15*time.Minute || now.Minute()%3 != 0:
					return 0
				case wrong.IsZero():
					return 2 * time.Hour
				}
				return wrong.Sub(now)
			}
			all := emulator.Batch(1, begun.Add(10*time.Minute), 20, time.Minute)
			client := emulated(t, emulator.Knobs{Since: emulator.OnCreation, Bare: true, Lag: 50 * time.Minute, Skew: skew}, all)
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
			defer cancel()
			came := make(map[string]bool)
			for s, err := range client.Submissions.Watch(ctx, hiring.WatchOptions{}) {
				if err != nil {
					break
				}
				assert.False(t, came[s.ID])
				came[s.ID] = true
				assert.True(t, s.Report.Ready(), "after %s", time.Since(begun))
			}
			assert.Len(t, came, len(all))
		})
	}
}
