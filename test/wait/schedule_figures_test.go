package wait_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

// TestScheduleFigures measures Poll in series, with its state, for
// docs/internals/waiting-figures.md. HIRING_LONG measures all rows, ONLY=text those whose name has
// the text. Each result comes in the next series, except where the rate limit does not
// allow it.
func TestScheduleFigures(t *testing.T) {
	t.Parallel()
	only := os.Getenv("ONLY")
	if os.Getenv("HIRING_LONG") == "" {
		only = "each 6h0m0s, 150 a day, bare true"
	}
	for _, every := range []time.Duration{20 * time.Minute, time.Hour, 6 * time.Hour, day} {
		for _, aDay := range []int{150, 2000} {
			for _, bare := range []bool{false, true} {
				for _, on := range everySince[:3] {
					name := fmt.Sprintf("each %s, %d a day, bare %t, on %s", every, aDay, bare, on)
					if !strings.Contains(name, only) {
						continue
					}
					inBubble(t, name, func(t *testing.T) {
						over := max(day, 4*every)
						limit := 3 * time.Hour
						if every > time.Hour {
							limit = 2 * day
						}
						s := schedule{every: every, over: over, knobs: emulator.Behavior{Since: on, Bare: bare}, all: stream(over, aDay, graded)}
						o := s.run(t, min(limit, every+time.Hour))
						t.Log(name, o)
						if aDay == 150 || every <= time.Hour {
							assert.Zero(t, o.lost)
							assert.LessOrEqual(t, quantile(o.lates, 1), every+5*time.Minute)
						}
					})
				}
			}
		}
	}
}
