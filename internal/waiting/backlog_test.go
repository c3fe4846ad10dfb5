package waiting_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

// submittedAtOnce returns 6,000 attempts of ten days that are submitted within an hour, ten hours after noon. A
// state cannot hold them.
func submittedAtOnce() []*emulator.Submission {
	random := rand.New(rand.NewPCG(1, 1))
	var all []*emulator.Submission
	for i := range 6000 {
		at := noon.Add(10*h + time.Duration(random.Float64()*float64(h)))
		created := noon.Add(-time.Duration(random.Float64() * float64(10*day)))
		all = append(all, &emulator.Submission{ID: fmt.Sprintf("b0000000-0000-4000-8000-%012x", i), Created: created, Submitted: at, Evaluated: at.Add(3 * m)})
	}
	return append(all, emulator.Stream(3, noon.Add(-5*day), 8*day, 100, usualLife)...)
}

// TestALongGradingBeforeABurstComes: memory is short after the burst. A listing since the submission does
// not show what was submitted earlier, so that it does not count as delivered.
func TestALongGradingBeforeABurstComes(t *testing.T) {
	t.Parallel()
	for i := range atLength(1, 8) {
		at := noon.Add(10*h + time.Duration(3+i*3)*m)
		slow := &emulator.Submission{ID: "c0000000-0000-4000-8000-000000000000", Created: noon.Add(-5 * day), Submitted: noon.Add(h), Evaluated: at}
		o := usualOptions()
		o.Start = noon
		all := append(submittedAtOnce(), slow)
		sim := &simulation{service: emulator.New(emulator.Behavior{Since: emulator.OnSubmission, Filter: emulator.Refuses}, 1, all), options: o, begin: noon, over: 15 * h}
		sim.run()
		require.NoError(t, sim.err)
		assert.NotZero(t, sim.delivered[slow.ID], "evaluated at %s", at)
	}
}

// TestWhatWasDroppedComesWithin91Minutes: most of a burst does not fit into the state, and some of it is
// evaluated before each status was listed again.
func TestWhatWasDroppedComesWithin91Minutes(t *testing.T) {
	t.Parallel()
	for _, on := range atLength(created, meanings) {
		t.Run(on.String(), func(t *testing.T) {
			t.Parallel()
			all := submittedAtOnce()
			f := watchAll(emulator.Behavior{Since: on}, all, 2*day, 10*m, nil)
			t.Log(f.String())
			(&limits{rate: 300, p95: 10 * m, p99: 15 * m, max: 91 * m}).check(t, &f)
		})
	}
}

// TestHourlyPollsFindWhatWasDropped: 3,500 attempts are unfinished, more than the state holds, so that each poll drops some.
func TestHourlyPollsFindWhatWasDropped(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	var begun []*emulator.Submission
	for i := range 3500 {
		at := noon.Add(12*h + time.Duration(random.Float64()*float64(60*day)))
		created := noon.Add(-day - time.Duration(random.Float64()*float64(24*day)))
		begun = append(begun, &emulator.Submission{ID: fmt.Sprintf("b0000000-0000-4000-8000-%012x", i), Created: created, Submitted: at, Evaluated: at.Add(10 * m)})
	}
	all := append(emulator.Stream(3, noon.Add(-5*day), 8*day, 200, emulator.Life{Grading: 40 * m}), begun...)
	o := usualOptions()
	o.Start = noon
	sim := &simulation{service: emulator.New(emulator.Behavior{Since: emulator.OnCreation}, 1, all), options: o, begin: noon, over: 2 * day, poll: h}
	sim.run()
	require.NoError(t, sim.err)
	f := sim.measure(all, noon.Add(10*m), noon.Add(40*h))
	t.Log(f.String())
	assert.Zero(t, f.lost+f.twice)
	assert.LessOrEqual(t, f.quantile(1), 6*h)
}
