package console

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestDraw checks that the shortest span is chosen that covers everything, with now at
// the right.
func TestDraw(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 30, 0, time.UTC)
	assert.Empty(t, newDiagram(nil, now).Bars)
	for ago, span := range map[time.Duration]time.Duration{
		0: time.Second, 59 * time.Second: time.Second, 61 * time.Second: 2 * time.Second, 10 * time.Minute: 30 * time.Second, 59 * time.Minute: time.Minute,
		48 * time.Hour: time.Hour, 300 * 24 * time.Hour: 24 * time.Hour,
	} {
		d := newDiagram([]requestPoint{{at: now.Add(-ago)}, {at: now, refused: true}, {at: now, fault: true}}, now)
		assert.Equal(t, span, d.BarDuration, ago)
		assert.True(t, d.From.Before(now) && d.To.After(now), ago)
		last := d.Bars[barCount-1]
		assert.Equal(t, [2]int{1, 1}, [2]int{last.Refused, last.Faults}, ago)
		assert.Equal(t, diagramHeight, last.Height, "the most requests take the whole height")
		if ago < barCount*24*time.Hour {
			assert.Equal(t, 3, d.Requests, ago)
		} else {
			assert.Equal(t, 2, d.Requests, "what is too long ago is left out")
		}
	}
}

func TestReadableTimes(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0 s", 59 * time.Second: "59 s", 90 * time.Second: "1 min 30 s", 25 * time.Hour: "1 d 1 h", 2 * time.Hour: "2 h"} {
		assert.Equal(t, want, formatWait(d))
	}
	for d, want := range map[time.Duration]string{900 * time.Nanosecond: "0 µs", 1500 * time.Microsecond: "1 ms", 2 * time.Second: "2.0 s"} {
		assert.Equal(t, want, formatElapsed(d))
	}
	assert.Equal(t, "ab…", shorten(3, "abcd"))
	assert.Equal(t, "éé", shorten(2, "éé"))
}
