package limits_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

func TestTakeCountsAnEighthMore(t *testing.T) {
	for name, c := range map[string]struct {
		left, take int64
		ok         bool
	}{
		"as much as there is": {900, 800, true},
		"one more":            {899, 800, false},
		"nothing of nothing":  {0, 0, true},
	} {
		b := limits.Bound{Left: c.left}
		assert.Equal(t, c.ok, b.Take(c.take), name)
		assert.Equal(t, c.ok, b.Step(), name)
		if !c.ok {
			assert.Equal(t, limits.ErrMemory, b.Stopped, name)
		}
	}
}

func TestTheFirstReasonToStopIsKept(t *testing.T) {
	late := errors.New("late")
	b := limits.Bound{Left: 10, Stopped: late}
	assert.False(t, b.Take(100))
	assert.Equal(t, late, b.Stopped)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b = limits.Bound{Left: 10, Until: ctx, Stopped: limits.ErrMemory}
	for range 10_000 {
		assert.False(t, b.Step())
	}
	assert.Equal(t, limits.ErrMemory, b.Stopped)
}

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

// TestMembersOfAMap checks that the first member allocates the map, the ninth another
// kind of map, and later ones make it grow.
func TestMembersOfAMap(t *testing.T) {
	for n, want := range map[int]bool{0: true, 1: false, 2: false, 7: false, 8: true, 9: true, 100: true} {
		b := limits.Bound{Left: 1 << 20}
		require.True(t, b.TakeMember(n))
		assert.Equal(t, want, b.Left < 1<<20, "the member after %d", n)
	}
	for n := range 1000 {
		b := limits.Bound{Left: 10}
		assert.Equal(t, n > 0 && n < 8, b.TakeMember(n), "no memory for the member after %d", n)
	}
}

// TestUnmarshalersCountFromAbove checks that a value is rejected before it is allocated.
func TestUnmarshalersCountFromAbove(t *testing.T) {
	type large struct{ A [100]int64 }
	read := func(left int64, text string, v any) error {
		b := limits.Bound{Left: left}
		err := json.Unmarshal([]byte(text), v, json.WithUnmarshalers(b.Unmarshalers([]byte(text), nil)))
		if b.Stopped != nil {
			return b.Stopped
		}
		return err
	}
	// The least size of each, and the most that may be counted.
	for name, c := range map[string]struct {
		text        string
		into        func() any
		least, most int64
	}{
		"a value":            {`{}`, func() any { return new(large) }, 800, 1000},
		"elements of a list": {`[{}]`, func() any { return new([]large) }, 7 * 800, 7*1000 + 500},
		"a map":              {`{}`, func() any { return new(map[string]int) }, 450, 700},
		"members of a map":   {`{"a":1,"b":2,"c":3}`, func() any { return new(map[string]int) }, 450 + 3*200, 2000},
		"members of a struct are no map's": {`{"A":{"B":{"C":1}}}`, func() any {
			return new(struct{ A struct{ B struct{ C int } } })
		}, 4 * 8, 200},
		"a map in a map":         {`{"a":{"b":{}}}`, func() any { return new(map[string]map[string]struct{}) }, 2*450 + 2*200, 2000},
		"large members of a map": {`{"a":{}}`, func() any { return new(map[string]large) }, 450 + 2*200 + 800, 2000},
		"maps in a list":         {`[{}]`, func() any { return new([]map[string]int) }, 450 + 7*24, 1000},
		"a map, then a list": {`{"m":{"a":1},"l":[1]}`, func() any {
			return new(struct {
				M map[string]int `json:"m"`
				L []int          `json:"l"`
			})
		}, 450 + 200, 1250},
	} {
		require.NoError(t, read(c.most+c.most/8, c.text, c.into()), "%s: that will do", name)
		assert.Equal(t, limits.ErrMemory, read(c.least, c.text, c.into()), "%s: that is too little", name)
		require.NoError(t, read(math.MaxInt64, c.text, c.into()), name)
	}
	require.Error(t, read(1<<20, `{"A":7}`, new(large)), "what is wrong stays wrong")
	assert.Equal(t, limits.ErrMemory, read(10, `"aaaaaaaaaaaaaaaa"`, new(string)), "a text counts as its JSON")
}
