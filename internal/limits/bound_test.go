package limits_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

// TestStepAsksForTheTimeNowAndThen checks that the time is checked often enough, and not
// at each step.
func TestStepAsksForTheTimeNowAndThen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	clock := &countingContext{Context: ctx}
	b := limits.Bound{Until: clock}
	for range 10_000 {
		require.True(t, b.Step())
	}
	assert.Equal(t, 2, clock.times)
	cancel()
	steps := 0
	for steps < 10_000 && b.Step() {
		steps++
	}
	assert.Less(t, steps, 4096)
	assert.Equal(t, context.Canceled, b.Stopped)
}

type countingContext struct {
	context.Context

	times int
}

func (a *countingContext) Err() error {
	a.times++
	return a.Context.Err()
}
