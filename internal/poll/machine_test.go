package poll_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/poll"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

// TestMembersThatLeaveTogether are found within minutes, although each comparison reads ten at most. Since filters on
// the creation, so that of the short listings only that of their status shows the evaluation of an old submission.
func TestMembersThatLeaveTogether(t *testing.T) {
	const together = begin + 5*time.Hour
	w := &world{api: &emulator.API{Since: "created", OneStatus: true}, lookback: 30 * day, longer: never, end: together + 4*time.Hour}
	add := func(created, evaluated poll.Time) {
		w.subs = append(w.subs, &emulator.Submission{ID: fmt.Sprint(len(w.subs)), Created: created, Submitted: evaluated - time.Minute, Evaluated: evaluated})
	}
	for i := range poll.Time(2000) {
		add(begin-30*day+i*20*time.Minute, begin-29*day+i*20*time.Minute-12*time.Hour)
	}
	add(begin-time.Minute, never)  // The newest page shows the status.
	for i := range poll.Time(50) { // They show that the status pays.
		add(begin-20*day, begin+i*5*time.Minute)
	}
	for range 35 {
		add(begin-20*day, together)
	}
	w.api.Add(w.subs)
	o := w.run()
	assert.Empty(t, o.problems)
	latest := poll.Time(0)
	for _, s := range w.subs[len(w.subs)-35:] {
		assert.Contains(t, o.at, s.ID)
		latest = max(latest, o.at[s.ID]-together)
	}
	assert.Less(t, latest, 4*time.Minute)
}
