package hiring

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatListingsProve(t *testing.T) {
	since := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	item := func(created, submitted, evaluated time.Duration) Submission {
		s, e := since.Add(submitted), since.Add(evaluated)
		return Submission{CreatedAt: since.Add(created), SubmittedAt: &s, EvaluatedAt: &e}
	}
	const early, edge, late = -time.Hour, -proof, time.Hour
	undated := item(early, early, 0)
	undated.EvaluatedAt = nil
	unsubmitted := item(early, 0, late)
	unsubmitted.SubmittedAt = nil
	for name, c := range map[string]struct {
		before sinceOn
		items  []Submission
		want   sinceOn
	}{
		"nothing listed":         {sinceUnknown, nil, sinceUnknown},
		"nothing proved":         {sinceUnknown, []Submission{item(late, late, late)}, sinceUnknown},
		"created before":         {sinceUnknown, []Submission{item(early, late, late)}, sinceLater},
		"not submitted":          {sinceUnknown, []Submission{unsubmitted}, sinceLater},
		"submitted before":       {sinceUnknown, []Submission{item(early, early, late)}, sinceEvaluation},
		"submitted before it is": {sinceUnknown, []Submission{item(late, early, late)}, sinceUnknown},
		"evaluated before":       {sinceUnknown, []Submission{item(early, early, early)}, sinceIgnored},
		"not quite before":       {sinceUnknown, []Submission{item(edge, edge, edge)}, sinceUnknown},
		"undated":                {sinceUnknown, []Submission{undated}, sinceUnknown},
		"later is no news":       {sinceEvaluation, []Submission{item(early, late, late)}, sinceEvaluation},
		"evaluation is no news":  {sinceIgnored, []Submission{item(early, early, late)}, sinceIgnored},
		"both":                   {sinceUnknown, []Submission{item(early, early, late), item(early, late, late)}, sinceEvaluation},
	} {
		assert.Equal(t, c.want, c.before.learn(c.items, since), name)
		assert.Equal(t, c.before, c.before.learn(c.items, time.Time{}), name)
	}
}

func TestGradingTime(t *testing.T) {
	at := time.Unix(1000, 0)
	before, after := at.Add(-time.Minute), at.Add(time.Minute)
	assert.Equal(t, time.Minute, gradingTime(&Submission{SubmittedAt: &at, EvaluatedAt: &after}))
	for _, s := range []Submission{{SubmittedAt: &at, EvaluatedAt: &before}, {SubmittedAt: &at}, {EvaluatedAt: &at}, {}} {
		assert.Zero(t, gradingTime(&s))
	}
}

// TestPace: of 1000 requests an hour 100 are left to others.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		remaining int
		ends      time.Duration
		rate      float64 // An hour.
		pause     time.Duration
	}{
		{1000, time.Hour, 900, 0},
		{911, time.Hour, 811, 0}, // A tenth ahead.
		{909, time.Hour, 809, 10 * time.Hour / 809},
		{550, time.Hour, 450, 80 * time.Second},
		{550, 30 * time.Minute, 900, 0},
		{700, 30 * time.Minute, 900, 0}, // Never faster than a whole window allows.
		{200, 30 * time.Minute, 200, 3 * time.Minute},
		{100, time.Hour, 0, 0}, // Then ration says how long to wait.
		{50, time.Hour, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := planned(t)
			k := r.submissions.core
			now := time.Now()
			k.family.learn(k.keys.lastUsed().id, "GET", 1, RateLimit{1000, c.remaining, now.Add(c.ends)}, c.ends, now)
			assert.InDelta(t, c.rate, r.rate()*3600, 1e-6, "%+v", c)
			assert.InDelta(t, c.pause, r.pace(10), 1e3, "%+v", c)
		})
	}
}

// TestListingReadsOnUnlessSinceIsIgnored: what was created before may be graded since.
func TestListingReadsOnUnlessSinceIsIgnored(t *testing.T) {
	const page = `{"data":[{"id":"s","created_at":"2026-03-01T10:00:00Z"}],"meta":{"request_id":"req_0a","has_more":true,"next_cursor":"5"}}`
	for meaning, more := range map[sinceOn]bool{sinceUnknown: true, sinceLater: true, sinceEvaluation: true, sinceIgnored: false} {
		synctest.Test(t, func(t *testing.T) {
			r := (&pagesOf{status: 200, body: page, takes: 5 * time.Second}).round(t)
			r.meaning = meaning
			asked := time.Now()
			got, err := r.listing(t.Context(), SubmissionFilter{Since: r.now.Add(-time.Hour)}, "")
			require.NoError(t, err)
			assert.Equal(t, more, got.Next != "", "%d", meaning)
			assert.WithinDuration(t, asked, r.now, 0, "what came meanwhile may not show")
			got, err = r.listing(t.Context(), SubmissionFilter{}, "")
			require.NoError(t, err)
			assert.NotEmpty(t, got.Next)
		})
	}
}

// TestSentIsWhatTheServiceReads: what a layout leaves out proves nothing.
func TestSentIsWhatTheServiceReads(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 34, 56, 789e6, time.UTC)
	r := planned(t)
	assert.Equal(t, at, r.sent(at))
	assert.Zero(t, r.sent(time.Time{}))
	r.submissions.core.dialect.SinceLayout = time.DateOnly
	assert.Equal(t, at.Truncate(24*time.Hour), r.sent(at))
}
