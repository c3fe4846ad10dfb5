package waiting

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestATruncationEndsWhereSinceFiltersOnTheSubmission: a watch that lists new evaluations still
// lists each status once after a truncation. Otherwise it would list all of Lookback every 75
// minutes forever.
func TestATruncationEndsWhereSinceFiltersOnTheSubmission(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.June, 3, 12, 0, 0, 0, time.UTC)
	for truncatedAt, listed := range map[time.Time]bool{{}: false, now.Add(-time.Hour): true} {
		m := New(Options{Start: now.Add(-time.Hour), Lookback: 30 * 24 * time.Hour})
		m.Set.Statuses = map[string]*status{"started": {Pages: 1}}
		m.Set.TruncatedAt = truncatedAt
		m.planHandedIn(now)
		assert.Equal(t, listed, m.Poll.findListing(unfinished, "started") != nil, truncatedAt)
	}
}

// TestARefusedFilterIsOffInItsPoll: the poll that finds the filter refused, long after it began,
// does not use it again.
func TestARefusedFilterIsOffInItsPoll(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, time.June, 3, 12, 0, 0, 0, time.UTC)
	m := New(Options{Start: began, Lookback: 30 * 24 * time.Hour})
	m.Poll.StartedAt = began
	l := &listing{Status: m.Poll.evaluatedFilter()}
	require.NoError(t, m.filterRejected(began.Add(time.Minute), l))
	assert.Empty(t, m.Poll.evaluatedFilter())
}

// TestASweepEndsATruncation: what was dropped may be evaluated before its status is listed again, and no
// listing of the unfinished shows it then. A sweep shows it that begins after each status was listed,
// unless more was dropped meanwhile.
func TestASweepEndsATruncation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		listed, dropped bool // Each status was listed before the sweep; more was dropped during the sweep.
		truncated       bool
	}{
		"listed":             {listed: true},
		"not listed":         {truncated: true},
		"dropped meanwhile":  {listed: true, dropped: true, truncated: true},
		"nothing was listed": {dropped: true, truncated: true},
	} {
		m := New(Options{Start: midday.Add(-time.Hour), Lookback: 30 * 24 * time.Hour, Min: 30 * time.Second, Max: time.Minute})
		m.OpenedAt, m.Since.Meaning, m.Poll.StartedAt = midday, Other, midday
		m.Pace.setWindow(Budget{Left: 900, Whole: 900, Ends: time.Minute})
		m.Set.Statuses = map[string]*status{"started": {Pages: 1}}
		m.Set.TruncatedAt = midday.Add(-time.Minute)
		if c.listed {
			m.Set.Statuses["started"].ListedAt = midday
		}
		m.Watch.planDeepSweep(midday)
		sweep := m.Poll.findListing(sweep, Evaluated)
		require.NotNil(t, sweep, name)
		sweep.StartedAt = midday
		m.Set.Statuses["started"].ListedAt = midday
		if c.dropped {
			m.Pace.RespondedAt = midday.Add(time.Second)
			m.Set.Items["x"] = &pendingItem{Status: "started"}
			m.Watch.dropItems(0)
		}
		m.Watch.sweepEnded(sweep)
		assert.Equal(t, c.truncated, !m.Set.TruncatedAt.IsZero(), name)
	}
}

// TestDroppedSubmissionsThatAnotherStatusShows count as a truncation only if polls were irregular before each status
// was listed again.
func TestDroppedSubmissionsThatAnotherStatusShows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		regularSince, listedAt, truncatedBefore, truncatedAt time.Time
		dropped                                              bool
	}{
		"regular, not listed": {midday.Add(-h1), midday.Add(-h1), time.Time{}, time.Time{}, true},
		"regular, listed":     {midday.Add(-h1), midday.Add(h1), time.Time{}, time.Time{}, false},
		"irregular":           {midday.Add(h1), midday, time.Time{}, midday.Add(h1), false},
		"truncated since":     {midday.Add(h1), midday, midday.Add(2 * h1), midday.Add(2 * h1), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := waitingSet{DroppedAt: midday, TruncatedAt: c.truncatedBefore, Statuses: map[string]*status{"started": {ListedAt: c.listedAt}}}
			s.reviewDropped(c.regularSince)
			assert.Equal(t, c.truncatedAt, s.TruncatedAt)
			assert.Equal(t, c.dropped, !s.DroppedAt.IsZero())
		})
	}
}

const h1 = time.Hour

// TestASweepGoesOnWithoutSpareReads: where the rate limit leaves no reads to spare, a sweep over all of Lookback reads
// a page an hour, or a truncation would never end.
func TestASweepGoesOnWithoutSpareReads(t *testing.T) {
	t.Parallel()
	for since, begins := range map[time.Duration]bool{59 * time.Minute: false, time.Hour: true} {
		m := New(Options{Start: midday.Add(-time.Hour), Lookback: 30 * 24 * time.Hour, Min: 30 * time.Second, Max: time.Minute})
		m.OpenedAt, m.Since.Meaning, m.Poll.StartedAt = midday, Other, midday
		m.Pace.setWindow(Budget{Left: 90, Whole: 90, Ends: time.Hour})
		m.Pace.setWindow(Budget{Left: 40, Whole: 90, Ends: 30 * time.Minute})
		require.Negative(t, m.Pace.spareReads())
		m.Set.TruncatedAt, m.Watch.Sweeps.LookbackPageAt = midday.Add(-2*time.Hour), midday.Add(-since)
		m.Watch.planDeepSweep(midday)
		assert.Equal(t, begins, m.Poll.findListing(sweep, "") != nil, since)
	}
}

// TestAStatusThatLeadsToEvaluationsIsListedSoon: evaluations come directly from a status, after another status had
// preceded thousands of them.
func TestAStatusThatLeadsToEvaluationsIsListedSoon(t *testing.T) {
	t.Parallel()
	s := new(status)
	for range 5000 {
		s.countLeavers(0, 1)
	}
	require.False(t, s.listedEveryPoll())
	for range 6 {
		s.countLeavers(1, 0)
	}
	assert.True(t, s.listedEveryPoll())
}
