package waiting_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// TestIntervalsAreAtMostMaxInterval polls servers where nothing is evaluated for two days.
func TestIntervalsAreAtMostMaxInterval(t *testing.T) {
	for name, o := range map[string]waiting.Options{
		"watch, minutes":      {Start: noon, Min: 10 * time.Minute, Max: 20 * time.Minute},
		"watch, seconds":      {Start: noon, Min: 5 * time.Second, Max: 40 * time.Second},
		"known ids, minutes":  {Known: []string{"a", "b"}, Min: 10 * time.Minute, Max: 20 * time.Minute},
		"known ids, seconds":  {Known: []string{"a", "b"}, Min: 5 * time.Second, Max: 40 * time.Second},
		"known ids, patient":  {Known: []string{"a", "b"}, Min: 30 * time.Second, Max: time.Minute, Patient: true},
		"no ids, one minute":  {Start: noon, Min: time.Minute, Max: time.Minute},
		"known ids, the same": {Known: []string{"a"}, Min: time.Minute, Max: time.Minute},
	} {
		o.Lookback = 30 * day
		machine := waiting.New(o)
		longest := time.Duration(0)
		for now := noon; now.Before(noon.Add(2 * day)); {
			action := machine.Next(now, plenty)
			if action.Kind == waiting.Wait {
				longest = max(longest, action.Until.Sub(now))
				now = action.Until
				continue
			}
			response := waiting.Response{Items: []waiting.Item{
				{ID: "a", Created: noon.Add(-h), Status: "grading"}, {ID: "b", Created: noon.Add(-h), Status: "grading"},
			}}
			if action.Kind == waiting.Get {
				response.Items = []waiting.Item{{ID: action.ID, Created: noon.Add(-h), Status: "grading"}}
			}
			_, err := machine.Handle(now, response)
			require.NoError(t, err, name)
			now = now.Add(latency)
		}
		if o.Patient {
			assert.Greater(t, longest, 10*time.Minute, name)
			assert.LessOrEqual(t, longest, 15*time.Minute, name)
			continue
		}
		assert.LessOrEqual(t, longest, o.Max, name)
		assert.Greater(t, longest, o.Min-time.Second, name)
	}
}
