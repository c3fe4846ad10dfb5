package poll_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/poll"
)

// TestOutage has polls that fail, each after the pause that the one before asked for, and whether they are redirected.
func TestOutage(t *testing.T) {
	const n, r = false, true
	for _, c := range []struct {
		redirected []bool
		pauses     []int // In minutes; the longest is 40.
		news       []bool
		ended      bool // The last poll ends the call.
	}{
		{[]bool{n, n, n, n, n, n, n}, []int{1, 2, 4, 8, 16, 32, 40}, []bool{r, n, n, n, n, n, r}, false},
		{[]bool{r, r, r, r, r, r, r}, []int{1, 2, 4, 8, 16, 32, 40}, []bool{r, n, n, n, n, n, r}, true},
		{[]bool{r, r, r, r, n, r, r}, []int{1, 2, 4, 8, 16, 32, 40}, []bool{r, n, n, n, n, n, r}, false},
	} {
		var o poll.Outage
		now := time.Unix(1, 0)
		for i, redirected := range c.redirected {
			assert.Equal(t, c.ended && i == len(c.redirected)-1, o.Add(now, redirected), "%d", i)
			pause := o.Pause(40 * time.Minute)
			assert.Equal(t, time.Duration(c.pauses[i])*time.Minute, pause)
			assert.Equal(t, c.news[i], o.ShouldLog(now), "%d", i)
			now = now.Add(pause)
		}
		assert.Equal(t, time.Unix(1, 0), o.Began)
	}
}
