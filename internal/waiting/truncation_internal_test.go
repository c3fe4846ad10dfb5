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
