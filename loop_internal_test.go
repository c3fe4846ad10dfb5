package hiring

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestJitter checks that polls are spread over the interval, and that a short wait stays short.
func TestJitter(t *testing.T) {
	between := interval{30 * time.Second, 60 * time.Second}
	for wait, most := range map[time.Duration]time.Duration{time.Hour: 30 * time.Second, 30 * time.Second: 30 * time.Second, 3 * time.Second: 3 * time.Second} {
		longest := time.Duration(0)
		for range 1000 {
			longest = max(longest, between.jitter(wait))
		}
		assert.InDelta(t, most, longest, float64(most)/10, "%s", wait)
	}
}
