package waiting

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestALateItemThatSingleReadsDoNotFindIsDelivered: listings show it evaluated, so it exists. A
// listing delivers it without its report after an hour of such reads.
func TestALateItemThatSingleReadsDoNotFindIsDelivered(t *testing.T) {
	t.Parallel()
	m, shown := awaitingReport()
	delivered := time.Time{}
	for now := midday; now.Before(midday.Add(4*time.Hour)) && delivered.IsZero(); {
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
			response.NotFound = true
		}
		ready, err := m.Handle(now, response)
		require.NoError(t, err)
		if len(ready) > 0 {
			delivered = now
		}
	}
	require.NotZero(t, delivered)
	assert.GreaterOrEqual(t, delivered.Sub(midday), time.Hour)
	assert.Less(t, delivered.Sub(midday), 2*time.Hour)
}

// TestA404BeforeTheEvaluationIsNoReadWithoutReport: the hour of reads without a report begins later.
func TestA404BeforeTheEvaluationIsNoReadWithoutReport(t *testing.T) {
	t.Parallel()
	m, _ := awaitingReport()
	_, err := m.handleSingleRead(midday, "x", Response{NotFound: true})
	require.NoError(t, err)
	assert.NotZero(t, m.Set.Items["x"].NoReportAt)
	m.Set.add("unfinished", midday)
	_, err = m.handleSingleRead(midday, "unfinished", Response{NotFound: true})
	require.NoError(t, err)
	require.Contains(t, m.Set.Items, "unfinished")
	assert.Zero(t, m.Set.Items["unfinished"].NoReportAt)
}
