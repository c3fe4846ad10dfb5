package waiting

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/envelope"
)

var midday = time.Date(2026, time.June, 3, 12, 0, 0, 0, time.UTC)

// awaitingReport returns a watch at midday where since filters on the evaluation and listings are
// bare. It awaits the report of the returned item, which was evaluated before the listings of new
// evaluations look back to.
func awaitingReport() (*Machine, *Item) {
	m := New(Options{Start: midday.Add(-72 * time.Hour), Lookback: 30 * 24 * time.Hour, Min: 30 * time.Second, Max: time.Minute})
	m.OpenedAt, m.Since.Meaning, m.Poll.Bare, m.News.Cutoff = midday, Evaluation, true, midday
	it := &Item{ID: "x", Created: midday.Add(-31 * time.Hour), Evaluated: midday.Add(-30 * time.Hour), Status: Evaluated}
	m.awaitReport(midday, it.ID, it)
	return m, it
}

// TestALateItemSurvivesASingleReadThatCannotBeDecoded: the read shows no status. The item is
// delivered, because a sweep shows it.
func TestALateItemSurvivesASingleReadThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	m, shown := awaitingReport()
	reads, delivered := 0, time.Time{}
	for now := midday; now.Before(midday.Add(2*time.Hour)) && delivered.IsZero(); {
		var response Response
		switch action := m.Next(now, Budget{Left: 900, Whole: 900, Ends: time.Hour}); action.Kind {
		case Wait:
			now = action.Until
			continue
		case List:
			if action.Since.Before(shown.Evaluated) {
				response.Items = []Item{*shown}
			}
		case Get:
			reads++
			it := Item{ID: shown.ID, Unreadable: true}
			if reads > 1 {
				it = *shown
				it.Ready = true
			}
			response.Items = []Item{it}
		}
		ready, err := m.Handle(now, response)
		require.NoError(t, err)
		if len(ready) > 0 {
			delivered = now
		}
	}
	require.NotZero(t, delivered)
	assert.Less(t, delivered.Sub(midday), time.Hour)
	assert.Equal(t, 2, reads)
}

// TestOnlyScheduledReadsHoldListings: a late item whose read is not scheduled waits for a sweep.
func TestOnlyScheduledReadsHoldListings(t *testing.T) {
	t.Parallel()
	for readAt, full := range map[time.Time]bool{midday: true, {}: false} {
		m := New(Options{Start: midday, Lookback: 30 * 24 * time.Hour})
		m.Poll.Bare = true
		for i := range 3000 {
			m.Set.Items[fmt.Sprint(i)] = &pendingItem{AwaitedSince: midday, Unreadable: readAt.IsZero(), UnreadableEvaluated: readAt.IsZero(), ReadAt: readAt}
		}
		assert.Equal(t, full, m.listingsWait(), "read at %v", readAt)
	}
}

// TestALateItemIsReadAfterAnUnfinishedListingShowsIt: the listing may be from a stale replica.
func TestALateItemIsReadAfterAnUnfinishedListingShowsIt(t *testing.T) {
	t.Parallel()
	m, shown := awaitingReport()
	pending := m.Set.Items[shown.ID]
	stale := *shown
	stale.Status, stale.Evaluated = "grading", time.Time{}
	m.trackUnfinished(midday, stale.ID, &stale, &listing{Purpose: unfinished, Status: "grading", Serial: 1})
	m.Set.listed(midday, &listing{Purpose: unfinished, Status: "grading", Serial: 2}, true, time.Minute)
	assert.Equal(t, midday, pending.ReadAt)

	pending.AwaitedSince = time.Time{}
	m.trackUnfinished(midday, stale.ID, &stale, &listing{Purpose: unfinished, Status: "grading", Serial: 3})
	assert.Zero(t, pending.ReadAt, "it awaits its evaluation, which its listing shows")
}

// TestStatesOutOfRangeAreDamaged: a machine with such a state would panic.
func TestStatesOutOfRangeAreDamaged(t *testing.T) {
	t.Parallel()
	o := Options{Start: midday, Lookback: 30 * 24 * time.Hour}
	for name, change := range map[string]func(*state){
		"halvings":       func(s *state) { s.Watch.Sweeps.Halvings = -1 },
		"many halvings":  func(s *state) { s.Watch.Sweeps.Halvings = math.MaxInt },
		"failures":       func(s *state) { s.Pace.Failures = -1 },
		"many failures":  func(s *state) { s.Pace.Failures = math.MaxInt },
		"creation early": func(s *state) { s.Set.Packed = packedItems{"grading": {"x": {time.Time{}.Unix() - 1}}} },
		"creation late":  func(s *state) { s.Set.Packed = packedItems{"grading": {"x": {latestTime.Unix() + 1}}} },
	} {
		s := New(o).state
		change(&s)
		_, err := Resume(o, savedWatch.Seal(&s))
		assert.ErrorIs(t, err, envelope.ErrDamaged, name)
	}
}

// TestEveryTimeOfAResponseCanBeSaved: a time in another zone may be in the year -1 or 10000 in UTC.
func TestEveryTimeOfAResponseCanBeSaved(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0000-01-01T00:00:00Z", "0000-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-14:00"} {
		at, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		m, _ := awaitingReport()
		m.Poll.Listings, m.requested = []listing{{Purpose: sweep, Resumes: true}}, Action{Kind: List}
		_, err = m.Handle(midday, Response{Cursor: "1", Items: []Item{
			{ID: "y", Created: at, Evaluated: midday, Status: Evaluated}, {ID: "z", Created: midday, Submitted: at, Evaluated: at, Status: Evaluated},
		}})
		require.NoError(t, err)
		m.searchEvaluated(m.Set.Items["y"].Created.Add(-time.Hour), 1)
		m.Watch.addCoverage(m.Poll.Listings[0].LastCreated.Add(time.Second), midday)
		resumed, err := Resume(m.Options, m.String())
		require.NoError(t, err, text)
		assert.Equal(t, m.Set.Items["y"].Created, resumed.Set.Items["y"].Created, text)
	}
}

// TestASnapshotOfTwoPollsWasNotReadAtOnce: an item that moved between them may be missing in a
// listing without an order.
func TestASnapshotOfTwoPollsWasNotReadAtOnce(t *testing.T) {
	t.Parallel()
	pages := []Response{
		{Items: []Item{{ID: "a", Created: midday.Add(-2 * time.Hour)}, {ID: "b", Created: midday.Add(-time.Hour)}}, Cursor: "1"},
		{Items: []Item{{ID: "c", Created: midday.Add(-3 * time.Hour)}}},
	}
	for pollBefore, all := range []time.Time{midday, {}, midday} { // The first page, the second page, and no page.
		m := New(Options{Start: midday, Lookback: 30 * 24 * time.Hour})
		m.Poll.Listings = []listing{{Purpose: sweep, Level: deepest, AtOnce: true, Resumes: true, CreatedSince: m.planner.oldest()}}
		for i, page := range pages {
			if i == pollBefore {
				m.Poll.abandon()
				m.Poll.begin(midday, 0)
			}
			_, err := m.handlePage(midday, page)
			require.NoError(t, err)
		}
		require.True(t, m.Watch.Sweeps.Unordered)
		assert.Equal(t, all, m.Watch.Sweeps.AllListedAt, "the second poll begins before page %d", pollBefore)
	}
}

func TestReportsAreJudgedByListings(t *testing.T) {
	page := func(n int, it Item) []Item {
		it.Status = Evaluated
		return slices.Repeat([]Item{it}, n)
	}
	var p poll
	var first listing
	for _, c := range []struct {
		l     *listing
		items []Item
		want  bool
	}{
		{new(listing), page(minBare-1, Item{}), false},
		{&first, page(minBare-1, Item{}), false},
		{&first, page(minBare, Item{Unreadable: true}), false},
		{&first, page(1, Item{}), true},
		{&first, page(minBare-1, Item{}), true},
		{&first, append(page(minBare, Item{}), page(1, Item{Ready: true})...), false},
		{&first, page(minBare-1, Item{}), false},
	} {
		p.judgeReports(c.l, c.items)
		assert.Equal(t, c.want, p.Bare)
	}
}

// TestAKeptListingDoesNotReplaceThatOfAChange: where a poll changes from new evaluations to the waiting set while a
// listing of new evaluations of an abandoned poll runs, the listing of the change follows it.
func TestAKeptListingDoesNotReplaceThatOfAChange(t *testing.T) {
	t.Parallel()
	m := New(Options{Start: midday.Add(-72 * time.Hour), Lookback: 30 * 24 * time.Hour, Min: 30 * time.Second, Max: time.Minute})
	m.OpenedAt, m.Since.Meaning, m.News.Listed, m.News.Pages, m.News.ListedAt = midday, Submission, true, 50, midday
	m.Since.NextAt = midday.Add(24 * time.Hour)
	m.Set.Statuses["started"] = &status{Pages: 1}
	m.Poll.addListing(listing{Purpose: fresh, Status: Evaluated, StartedAt: midday.Add(-time.Hour), Depth: 1, Pages: 1, Cursor: "2"})
	begun := 0
	for now := midday; m.Next(now, Budget{Left: 900, Whole: 900, Ends: time.Hour}).Kind == List; now = now.Add(time.Second) {
		if l := m.Poll.currentListing(false); l.Purpose == fresh && l.Pages == 0 {
			begun++
		}
		_, err := m.Handle(now, Response{})
		require.NoError(t, err)
	}
	assert.Equal(t, 1, begun)
	assert.False(t, m.News.Listed)
}

// TestAListingOfAllHasNoSince: where the API refuses the status evaluated, the listing of all submissions has no since,
// which might exclude unfinished submissions.
func TestAListingOfAllHasNoSince(t *testing.T) {
	t.Parallel()
	for _, meaning := range []Meaning{Unknown, Evaluation, Submission, Other} {
		m := New(Options{Start: midday.Add(-72 * time.Hour), Lookback: 30 * 24 * time.Hour, Min: 30 * time.Second, Max: time.Minute})
		m.OpenedAt, m.Since.Meaning, m.Poll.StartedAt, m.Set.UnlistedUntil = midday, meaning, midday, midday
		m.Poll.EvaluatedFilterOffUntil = midday.Add(time.Hour)
		m.Pace.setWindow(Budget{Left: 900, Whole: 900, Ends: time.Minute})
		m.Watch.planDeepSweep(midday)
		all := m.Poll.findListing(sweep, "")
		require.NotNil(t, all)
		assert.Equal(t, meaning == Other, !all.Since.IsZero(), "since filters on %s", meaning)
	}
}

// TestAFailedReadIsNoBurst: while a sweep waits, the poll continues after a failed read. It begins no search for the
// submissions that it does not read any more.
func TestAFailedReadIsNoBurst(t *testing.T) {
	t.Parallel()
	m := New(Options{Start: midday.Add(-72 * time.Hour), Lookback: 30 * 24 * time.Hour, Min: 30 * time.Second, Max: time.Minute})
	m.OpenedAt, m.Since.Meaning, m.Since.NextAt = midday, Other, midday.Add(24*time.Hour)
	m.Poll.begin(midday, maxSingleReads)
	m.Poll.addListing(listing{Purpose: sweep, Level: deepest, Resumes: true, MaxPollPages: 1})
	for _, id := range []string{"a", "b", "c"} {
		m.Set.add(id, midday.Add(-time.Hour)).leaveListing(midday)
	}
	require.Equal(t, Get, m.Next(midday, Budget{Left: 900, Whole: 900, Ends: time.Hour}).Kind)
	_, err := m.Handle(midday, Response{Failed: true})
	require.NoError(t, err)
	then := m.Pace.IntervalEnd.Add(time.Second)
	action := m.Next(then, Budget{Left: 900, Whole: 900, Ends: time.Hour})
	require.Equal(t, List, action.Kind)
	assert.Equal(t, sweep, m.Poll.currentListing(false).Purpose)
	_, err = m.Handle(then, Response{})
	require.NoError(t, err)
	assert.NotEqual(t, Get, m.Next(then, Budget{Left: 900, Whole: 900, Ends: time.Hour}).Kind)
	assert.Nil(t, m.Poll.findListing(search, ""))
}

// TestInterruptWaitsForTheWindow: no poll can begin, because the rate limit is used up or a request failed.
func TestInterruptWaitsForTheWindow(t *testing.T) {
	t.Parallel()
	m := New(Options{Start: midday, Lookback: 30 * 24 * time.Hour, Min: 30 * time.Second, Max: time.Minute})
	assert.WithinDuration(t, midday.Add(20*time.Minute), m.Interrupt(midday, Budget{Whole: 900, Ends: 20 * time.Minute}, 0), 3*time.Second)
	assert.Zero(t, m.Pace.Failures)
	assert.WithinDuration(t, midday.Add(35*time.Second), m.Interrupt(midday, Budget{Left: 900, Whole: 900, Ends: time.Hour}, 0), 5*time.Second)
	assert.Equal(t, 1, m.Pace.Failures)
}
