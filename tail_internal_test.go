package hiring

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestOutlasts(t *testing.T) {
	over, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	assert.True(t, outlasts(over, 1))
	assert.False(t, outlasts(over, 0), "nothing was asked for")
	assert.False(t, outlasts(t.Context(), time.Hour))
	soon, cancel := context.WithDeadline(t.Context(), time.Now().Add(time.Hour))
	defer cancel()
	assert.False(t, outlasts(soon, 30*time.Minute))
	assert.True(t, outlasts(soon, time.Hour))
}

func TestTailIntervalsGrow(t *testing.T) {
	for idle, seconds := range [][2]int{{60, 65}, {60, 70}, {65, 75}, {70, 80}, {75, 80}, {80, 80}, {80, 80}} {
		wantLeast, wantMost := time.Duration(seconds[0])*time.Second, time.Duration(seconds[1])*time.Second
		f := follower{idle: idle}
		f.interval = interval{60 * time.Second, 80 * time.Second}
		least, most := time.Hour, time.Duration(0)
		for range 200 {
			pause := f.nextInterval()
			least, most = min(least, pause), max(most, pause)
		}
		assert.InDelta(t, wantLeast, least, float64(time.Second), "%d", idle)
		assert.InDelta(t, wantMost, most, float64(time.Second), "%d", idle)
		assert.GreaterOrEqual(t, least, wantLeast, "%d", idle)
		assert.LessOrEqual(t, most, wantMost, "%d", idle)
	}
}
