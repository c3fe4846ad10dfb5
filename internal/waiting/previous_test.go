package waiting_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// previous is a state that the previous release saved while it watched an emulated stream
// since noon, with its deliveries.
type previous struct {
	Since     emulator.Since  `json:"since"`
	Filter    emulator.Filter `json:"filter"`
	PageSize  int             `json:"page_size"`
	Lag       time.Duration   `json:"lag"`
	ADay      int             `json:"a_day"`
	Grading   time.Duration   `json:"grading"`
	Saved     time.Time       `json:"saved"`
	Delivered []int           `json:"delivered"` // By index in the stream.
	State     string          `json:"state"`
}

// TestStatesOfThePreviousRelease resumes them at once, and after six hours without a
// process. No delivery is lost, repeated or late.
func TestStatesOfThePreviousRelease(t *testing.T) {
	span := atLength(10*h, 2*day)
	files, err := filepath.Glob("testdata/previous-release/*.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 7)
	for _, file := range files {
		for name, stopped := range map[string]time.Duration{"at once": 0, "after six hours": 6 * h} {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".json")+"/"+name, func(t *testing.T) {
				t.Parallel()
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				var p previous
				require.NoError(t, json.Unmarshal(text, &p))
				all := emulator.Stream(1, noon.Add(-33*day), 38*day, p.ADay, emulator.Life{Grading: p.Grading})
				o := usualOptions()
				o.Start = p.Saved // The start in the state takes precedence.
				sim := &simulation{
					service: emulator.New(emulator.Behavior{Since: p.Since, Filter: p.Filter, PageSize: p.PageSize, Lag: p.Lag}, 1, all),
					options: o, begin: p.Saved.Add(stopped), over: span, restart: 5 * h,
				}
				sim.machine, err = waiting.Resume(o, p.State)
				require.NoError(t, err)
				sim.delivered = make(map[string]time.Time)
				for _, i := range p.Delivered {
					sim.delivered[all[i].ID] = noon
				}
				sim.run()
				until := sim.begin.Add(span - 2*h)
				require.NoError(t, sim.err)
				assert.Zero(t, sim.twice, "twice")
				assert.Zero(t, sim.lost(all, noon, until), "lost")
				for _, it := range all {
					if at := sim.delivered[it.ID]; sim.awaits(it, noon, until) && at.After(p.Saved) {
						assert.Less(t, at.Sub(later(sim.begin, it.Evaluated.Add(p.Lag))), h)
					}
				}
			})
		}
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
