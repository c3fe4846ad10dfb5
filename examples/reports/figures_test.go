package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
)

func evaluated(score *int, confidence hiring.Confidence, pillars ...hiring.Pillar) hiring.Submission {
	return hiring.Submission{Status: hiring.SubmissionEvaluated, Report: &hiring.Report{Evaluated: true, ShipScore: score, Confidence: confidence, Pillars: pillars}}
}

func TestScores(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		submissions []hiring.Submission
		want        spread
	}{
		"none":                 {nil, spread{}},
		"one":                  {[]hiring.Submission{evaluated(new(40), "high")}, spread{Median: 40, Lower: 40, Upper: 40, Scored: 1}},
		"null is not 0":        {[]hiring.Submission{evaluated(new(40), "high"), evaluated(nil, "high")}, spread{Median: 40, Lower: 40, Upper: 40, Scored: 1, None: 1}},
		"0 is 0":               {[]hiring.Submission{evaluated(new(0), "high")}, spread{Scored: 1}},
		"low confidence":       {[]hiring.Submission{evaluated(new(40), "high"), evaluated(new(90), "low")}, spread{Median: 40, Lower: 40, Upper: 40, Scored: 1, Thin: 1}},
		"low confidence, null": {[]hiring.Submission{evaluated(nil, "low")}, spread{None: 1}},
		"beyond the scale":     {[]hiring.Submission{evaluated(new(-5), ""), evaluated(new(1000), "")}, spread{Median: -5, Lower: -5, Upper: 1000, Scored: 2}},
		"quartiles": {
			[]hiring.Submission{evaluated(new(4), ""), evaluated(new(1), ""), evaluated(new(3), ""), evaluated(new(2), "")},
			spread{Median: 2, Lower: 1, Upper: 3, Scored: 4},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, bins := scores(c.submissions)
			require.Equal(t, c.want, got)
			drawn := 0
			for _, b := range bins {
				drawn += b.Sure + b.Thin
			}
			require.Equal(t, got.Scored+got.Thin, drawn)
		})
	}
}

func TestBins(t *testing.T) {
	t.Parallel()
	for score, want := range map[int]int{-5: 0, 0: 0, 9: 0, 10: 1, 19: 1, 89: 8, 90: 9, 100: 9, 1000: 9} {
		_, bins := scores([]hiring.Submission{evaluated(&score, "high")})
		for i, b := range bins {
			require.Equal(t, i == want, b.Sure == 1, "score %d in bin %d", score, i)
		}
	}
}

func TestAreasAreAnOpenSet(t *testing.T) {
	t.Parallel()
	got := areas([]hiring.Submission{
		evaluated(nil, "", hiring.Pillar{ID: "teamwork", Label: "Teamwork", Score: new(50)}, hiring.Pillar{ID: hiring.PillarCraft, Label: "Craft", Score: new(10), LowConfidence: true}),
		evaluated(nil, "", hiring.Pillar{ID: "teamwork", Score: new(60)}, hiring.Pillar{ID: "unnamed"}),
	})
	require.Equal(t, []area{
		{id: "correctness", Label: "correctness", spread: spread{None: 2}},
		{id: "craft", Label: "Craft", spread: spread{Thin: 1, None: 1}},
		{id: "ai_fluency", Label: "ai_fluency", spread: spread{None: 2}},
		{id: "rigor", Label: "rigor", spread: spread{None: 2}},
		{id: "teamwork", Label: "Teamwork", spread: spread{Median: 50, Lower: 50, Upper: 60, Scored: 2}},
		{id: "unnamed", Label: "unnamed", spread: spread{None: 2}},
	}, got)
}

func TestUnfinishedAreCounted(t *testing.T) {
	t.Parallel()
	f := figuresOf([]hiring.Submission{
		{Status: "started"}, {Status: "submitted", Report: &hiring.Report{}}, {Status: "started"},
		evaluated(new(50), "high"), {Status: hiring.SubmissionEvaluated, Report: &hiring.Report{}},
	})
	require.Equal(t, 5, f.Total)
	require.Equal(t, 1, f.Evaluated)
	require.Equal(t, []count{{"evaluated, without a report yet", 1}, {"started", 2}, {"submitted", 1}}, f.Unfinished, "a report that is late is not finished")
}

func TestConfidenceIsAnOpenSet(t *testing.T) {
	t.Parallel()
	var all []hiring.Submission
	for _, c := range []hiring.Confidence{"low", "", "zebra", "high", "certain", "low"} {
		all = append(all, evaluated(nil, c))
	}
	require.Equal(t, []count{{"high", 1}, {"low", 2}, {"certain", 1}, {"not said", 1}, {"zebra", 1}}, confidence(all))
}

func TestPeopleAreSorted(t *testing.T) {
	t.Parallel()
	var all []hiring.Submission
	for _, p := range []struct {
		name       string
		score      *int
		confidence hiring.Confidence
	}{{"none", nil, "high"}, {"thin", new(99), "low"}, {"b", new(70), "high"}, {"a", new(70), "high"}, {"zero", new(0), "high"}, {"best", new(90), ""}} {
		s := evaluated(p.score, p.confidence)
		s.Candidate.Name = p.name
		all = append(all, s)
	}
	var names []string
	for _, p := range figuresOf(all).People {
		names = append(names, p.Name)
	}
	require.Equal(t, []string{"best", "a", "b", "zero", "thin", "none"}, names)
}

func TestBarsStayWithinTheDrawing(t *testing.T) {
	t.Parallel()
	for _, b := range areaBars([]area{{spread: spread{Median: 1000, Lower: -7, Upper: 2000, Scored: 3}}, {Label: "a label that is too long to stand beside a bar"}}) {
		require.LessOrEqual(t, b.Bar.X+b.Bar.W, labelWidth+barWidth)
		require.LessOrEqual(t, len([]rune(b.Label)), 16)
	}
	bars := countBars([]count{{"high", 1}, {"low", 1_000_000}})
	require.Equal(t, barWidth, bars[1].Bar.W)
	require.True(t, bars[1].Thin)
}
