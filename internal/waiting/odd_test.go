package waiting_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

// TestServicesUnlikeTheSandbox polls servers that behave as the documentation allows.
// Nothing is lost, and delays and costs stay within limits. Each of these servers once
// showed a defect that the sandbox did not show.
func TestServicesUnlikeTheSandbox(t *testing.T) {
	span := atLength(12*h, day)
	for name, c := range map[string]struct {
		life   emulator.Life
		change func(*simulation)
		p95    time.Duration
		max    time.Duration
		rate   float64
	}{
		"a report a minute behind its status":  {usualLife, withBehavior(func(k *emulator.Behavior) { k.Lag = m }), 5 * m, 30 * m, 250},
		"one in ten is listed 5 minutes late":  {emulator.Life{Grading: 3 * m, Late: 0.1}, nil, 15 * m, 30 * m, 165},
		"one in ten is stamped 10 minutes off": {emulator.Life{Grading: 3 * m, Early: 0.1}, nil, 15 * m, 30 * m, 165},
		"an exclusive since":                   {usualLife, withBehavior(func(k *emulator.Behavior) { k.Exclusive = true }), m, 10 * m, 180},
		"pages of 25":                          {usualLife, withBehavior(func(k *emulator.Behavior) { k.PageSize = 25 }), m, 10 * m, 180},
		"a status filter that shows nothing":   {usualLife, withBehavior(func(k *emulator.Behavior) { k.Filter = emulator.ShowsNone }), 2*m + 12*s, 2 * h, 860},
		"a listing in no order":                {usualLife, withBehavior(func(k *emulator.Behavior) { k.Order = emulator.NoOrder }), m, 10 * m, 400},
		"a fifth of requests fails":            {usualLife, withBehavior(func(k *emulator.Behavior) { k.Faults = 0.2 }), 3*m + 30*s, 20 * m, 300},
		"a round an hour":                      {usualLife, func(s *simulation) { s.poll = h }, 2 * h, 3 * h, 300},
	} {
		for i, on := range meanings {
			if !isLong() && i%2 != len(name)%2 { // Each with two meanings.
				continue
			}
			t.Run(name+"/"+on.String(), func(t *testing.T) {
				t.Parallel()
				all := emulator.Stream(1, noon.Add(-5*day), 6*day+h, 500, c.life)
				f := watchAll(emulator.Behavior{Since: on}, all, span, 2*h, c.change)
				(&limits{rate: c.rate, p95: c.p95, p99: c.max, max: c.max}).check(t, &f)
				assert.Greater(t, len(f.late), atLength(100, 300))
			})
		}
	}
}
