package hiring

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// planned is a round in the middle of a watch, under a quota that nothing is
// known of: there are 900 requests an hour for it.
func planned(t *testing.T) *round {
	t.Helper()
	client, err := New("https://hiring.test", "sk_test_x")
	require.NoError(t, err)
	r := &round{state: new(watchState), options: WatchOptions{Lookback: defaultLookback}}
	r.submissions = client.Submissions
	r.pause = interval{30 * time.Second, time.Minute}
	r.now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r.state.At, r.state.Before, r.state.Floor = r.now, r.now.Add(-time.Minute), r.now.Add(-time.Hour)
	return r
}

func entries(n int) deliveries {
	d := make(deliveries, n)
	for i := range n {
		d[uint64(i)] = delivery{}
	}
	return d
}

func TestGrantFollowsTheClock(t *testing.T) {
	for name, c := range map[string]struct {
		since   time.Duration
		meaning sinceOn
		want    [levels]float64
	}{
		"a while":     {40 * time.Second, sinceUnknown, [levels]float64{common: 7, late: 2.2, lookback: 2.2}},
		"later":       {40 * time.Second, sinceLater, [levels]float64{common: 7, late: 2.2, lookback: 1.4}},
		"a long idle": {10 * time.Hour, sinceIgnored, [levels]float64{common: 30, late: 10, lookback: 10}},
		"put back":    {-time.Hour, sinceUnknown, [levels]float64{common: 1, late: 1, lookback: 1}},
	} {
		r := planned(t)
		r.meaning, r.state.At = c.meaning, r.now.Add(-c.since)
		for level := common; level < levels; level++ {
			r.state.Scans[level].Credit = 1
		}
		r.grant()
		for level, want := range c.want {
			assert.InDelta(t, want, r.state.Scans[level].Credit, 1e-9, "%s, level %d", name, level)
		}
		assert.Equal(t, r.now, r.state.At, name)
		r.now = time.Time{} // No reply has told it.
		before := *r.state
		r.grant()
		assert.Equal(t, before, *r.state, name)
	}
}

func TestDue(t *testing.T) {
	ago := func(d time.Duration) func(*round, *scan) { return func(r *round, s *scan) { s.Began = r.now.Add(-d) } }
	both := func(a, b func(*round, *scan)) func(*round, *scan) {
		return func(r *round, s *scan) { a(r, s); b(r, s) }
	}
	for name, c := range map[string]struct {
		level int
		given func(*round, *scan)
		want  bool
	}{
		"the first":            {late, func(*round, *scan) {}, true},
		"no credit":            {late, func(_ *round, s *scan) { s.Credit = 0.9 }, false},
		"too early":            {late, ago(5*time.Minute - 1), false},
		"in time":              {late, ago(5 * time.Minute), true},
		"lookback too early":   {lookback, ago(15*time.Minute - 1), false},
		"lookback in time":     {lookback, ago(15 * time.Minute), true},
		"common too early":     {common, ago(30*time.Second - 1), false},
		"common in time":       {common, ago(30 * time.Second), true},
		"the clock went back":  {late, ago(-time.Second), true},
		"running":              {late, both(ago(time.Second), func(_ *round, s *scan) { s.Running = true }), true},
		"merged":               {late, func(_ *round, s *scan) { s.Cost = 1 }, false},
		"a deeper one merged":  {common, func(r *round, _ *scan) { r.state.Scans[lookback].Cost = 1 }, false},
		"a lesser one merged":  {lookback, func(r *round, _ *scan) { r.state.Scans[late].Cost = 1 }, true},
		"nearly too many":      {late, func(r *round, _ *scan) { r.state.Delivered = entries(tooMany) }, true},
		"too many":             {late, func(r *round, _ *scan) { r.state.Delivered = entries(tooMany + 1) }, false},
		"too many for credit":  {lookback, func(r *round, s *scan) { s.Credit, r.state.Delivered = 0, entries(tooMany+1) }, true},
		"too many for a pause": {lookback, both(ago(0), func(r *round, _ *scan) { r.state.Delivered = entries(tooMany + 1) }), true},
	} {
		r := planned(t)
		r.state.Scans[c.level].Credit = 1
		c.given(r, &r.state.Scans[c.level])
		assert.Equal(t, c.want, r.due(c.level), name)
	}
}

func TestMergedIsTheDeepestOfOnePage(t *testing.T) {
	for _, c := range []struct {
		cost [levels]int
		want int
	}{
		{[levels]int{}, increments},
		{[levels]int{increments: 1}, increments},
		{[levels]int{common: 1}, common},
		{[levels]int{common: 1, late: 1, lookback: 2}, late},
		{[levels]int{common: 2, late: 1, lookback: 1}, lookback},
	} {
		r := planned(t)
		for level, cost := range c.cost {
			r.state.Scans[level].Cost = cost
		}
		assert.Equal(t, c.want, r.merged(), "%v", c.cost)
	}
}

func TestReach(t *testing.T) {
	const day = 24 * time.Hour
	all := func(d time.Duration) (h histogram) {
		for range enoughSamples {
			h.add(d)
		}
		return h
	}
	for name, c := range map[string]struct {
		given func(*round)
		want  [levels]time.Duration
	}{
		"nothing known":        {func(*round) {}, [levels]time.Duration{0, 2 * day, 7 * day, 30 * day}},
		"nothing known, later": {func(r *round) { r.meaning = sinceLater }, [levels]time.Duration{0, time.Hour, day, 30 * day}},
		"a short lookback":     {func(r *round) { r.options.Lookback = 3 * day }, [levels]time.Duration{0, 2 * day, 3 * day, 3 * day}},
		"a tiny lookback":      {func(r *round) { r.options.Lookback = time.Minute }, [levels]time.Duration{0, time.Minute, time.Minute, time.Minute}},
		"hardly anything known": {func(r *round) {
			r.state.Ages = all(time.Second)
			r.state.Ages.Total--
		}, [levels]time.Duration{0, 2 * day, 7 * day, 30 * day}},
		"at once": {func(r *round) { r.state.Ages = all(time.Second) }, [levels]time.Duration{0, 10 * time.Minute, 10 * time.Minute, 30 * day}},
		"the other is known": {func(r *round) {
			r.meaning, r.state.Ages = sinceLater, all(time.Second)
		}, [levels]time.Duration{0, time.Hour, day, 30 * day}},
		"later at once": {func(r *round) {
			r.meaning, r.state.Gradings = sinceLater, all(time.Second)
		}, [levels]time.Duration{0, 10 * time.Minute, 10 * time.Minute, 30 * day}},
	} {
		r := planned(t)
		c.given(r)
		for level, want := range c.want {
			assert.Equal(t, want, r.reach(level), "%s, level %d", name, level)
		}
	}
	r := planned(t)
	for d := time.Minute; d <= 1000*time.Minute; d += time.Minute {
		r.state.Ages.add(d)
	}
	assert.Equal(t, r.state.Ages.quantile(0.98), r.reach(common))
	assert.Equal(t, r.state.Ages.quantile(0.997), r.reach(late))
}

func TestSinceBeginsWhereTheScanBeforeWas(t *testing.T) {
	r := planned(t)
	s := r.state
	s.Before = s.Before.Add(1234567 * time.Nanosecond)
	before := s.Before.Truncate(time.Millisecond)
	assert.Equal(t, before, r.since(increments))
	assert.Equal(t, before.Add(-48*time.Hour), r.since(common))
	assert.Equal(t, s.Floor.Add(-defaultLookback), r.since(lookback))
	s.Scans[late].Cost = 1
	assert.Equal(t, before.Add(-7*24*time.Hour), r.since(increments), "as far as the merged one")
	s.Floor = firstTime.Add(time.Hour)
	assert.Equal(t, firstTime, r.since(lookback))
}
