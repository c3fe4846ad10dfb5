package hiring

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestHistogramQuantile: what is between the bounds of a bin counts, because a
// scan that reaches too far back costs pages.
func TestHistogramQuantile(t *testing.T) {
	var h histogram
	assert.Zero(t, h.quantile(0.5))
	for d := time.Minute; d <= 1000*time.Minute; d += time.Minute {
		h.add(d)
	}
	for _, share := range []float64{0.1, 0.5, 0.9, 0.98} {
		assert.InEpsilon(t, share*1000, h.quantile(share).Minutes(), 0.1, "%v", share)
	}
	assert.GreaterOrEqual(t, h.quantile(1), 1000*time.Minute)
}

// TestHistogramFollowsChanges: what is old counts less and less.
func TestHistogramFollowsChanges(t *testing.T) {
	var h histogram
	for range 10 * histogramFull {
		h.add(100 * time.Hour)
	}
	assert.Less(t, h.Total, histogramFull)
	for range 2 * histogramFull {
		h.add(time.Minute)
	}
	assert.Less(t, h.quantile(0.7), time.Hour)
	h.add(1 << 62)
	assert.Equal(t, 1, h.Counts[histogramSize-1], "the last bin holds all beyond")
}
