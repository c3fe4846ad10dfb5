package world_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// evaluatedWith returns the evaluated submission of a new candidate.
func evaluatedWith(t *testing.T, l *world.Live, o *world.Organization, r world.Result) *world.Attempt {
	t.Helper()
	invitation, err := l.Invite(o.Assessments().Newest(0).ID, "b@candidates.test", "B", noon)
	require.NoError(t, err)
	submission, err := l.Begin(invitation, noon)
	require.NoError(t, err)
	require.NoError(t, l.Evaluate(submission, noon, r))
	return o.Submissions().Find(submission)
}

func TestVerdictFollowsFromTheScore(t *testing.T) {
	l, o, _ := invited(world.Timeline{})
	for score, want := range map[int]string{0: "strong_no", 39: "strong_no", 40: "no", 59: "no", 60: "yes", 79: "yes", 80: "strong_yes", 100: "strong_yes"} {
		assert.Equal(t, want, evaluatedWith(t, l, o, world.Result{ShipScore: score}).Report().Verdict, score)
	}
	given := map[string]*int{"rigor": new(50), "craft": new(100), "ai_fluency": nil}
	report := evaluatedWith(t, l, o, world.Result{ShipScore: 99, Pillars: given, LowConfidence: []string{"craft"}}).Report()
	for _, p := range report.Pillars {
		assert.Equal(t, p.ID != "rigor", p.LowConfidence, p.ID)
		assert.Equal(t, given[p.ID], p.Score, p.ID)
	}
	assert.Equal(t, "low", report.Confidence)
	for i, p := range evaluatedWith(t, l, o, world.Result{ShipScore: 96}).Report().Pillars {
		assert.Equal(t, []any{[]int{93, 95, 97, 99}[i], false}, []any{*p.Score, p.LowConfidence}, "close to the ship score")
	}
	none := evaluatedWith(t, l, o, world.Result{Extra: map[string]world.RawJSON{"ship_score": "null"}}).Report()
	for _, p := range none.Pillars {
		assert.Nil(t, p.Score, "without a score there is not enough evidence")
	}
	assert.NotEmpty(t, none.Verdict)
}

// TestRanks checks that equal scores have equal ranks, and that only better ones count.
func TestRanks(t *testing.T) {
	l, o, _ := invited(world.Timeline{})
	scores := []int{70, 90, 70, 100, 0}
	var all []*world.Attempt
	for _, score := range scores {
		all = append(all, evaluatedWith(t, l, o, world.Result{ShipScore: score}))
	}
	for i, want := range []int{3, 2, 3, 1, 5} {
		rank, ok := all[i].Rank()
		assert.True(t, ok)
		assert.Equal(t, world.Rank{Rank: want, Total: len(scores)}, rank, scores[i])
	}
}

// TestNumbersThatAreMadeUp checks that generated facts are plausible for many candidates,
// and vary.
func TestNumbersThatAreMadeUp(t *testing.T) {
	made := world.NewLive(world.NewSample, world.Timeline{Open: time.Minute, Begin: time.Minute})
	l := &made
	o := l.Organization("", noon)
	posting := o.AddAssessment("Backend", "")
	for range 120 {
		_, err := l.Invite(posting, "b@candidates.test", "B", noon)
		require.NoError(t, err)
	}
	l.Organization("", noon.Add(2*time.Minute))
	seen := map[string]map[float64]bool{"budget": {}, "authored": {}, "churn": {}, "score": {}, "pillar": {}}
	number := func(what string, x, most float64) {
		t.Helper()
		assert.True(t, x >= 0 && x <= most, "%s: %v", what, x)
		assert.Equal(t, math.Round(x*100)/100, x, what) //nolint:testifylint // Rounded to cents.
		seen[what][x] = true
	}
	require.Equal(t, 120, o.Submissions().Len())
	n := 0
	for a := range o.Submissions().All() {
		n++
		require.NoError(t, l.Append(a.ID, noon.Add(3*time.Minute), "ai_prompt", make([]world.RawJSON, n)...))
		require.NoError(t, l.Append(a.ID, noon.Add(3*time.Minute), "file_edit", "{}"))
		require.NoError(t, l.EvaluateInvented(a.ID, noon.Add(3*time.Minute+30*time.Second)))
		r := a.Report()
		assert.Equal(t, n, r.Facts.AIExchangeCount)
		assert.Positive(t, r.Facts.BudgetUsedDollars)
		assert.Positive(t, *r.Facts.AIAuthoredPct)
		number("budget", r.Facts.BudgetUsedDollars, r.Facts.BudgetAllottedDollars)
		number("authored", *r.Facts.AIAuthoredPct, 100)
		number("churn", *r.Facts.ChurnPct, 100)
		number("score", float64(*r.ShipScore), 100)
		for _, p := range r.Pillars {
			number("pillar", float64(*p.Score), 100)
		}
		assert.Equal(t, 1.5, *r.Facts.TimeUsedMinutes) //nolint:testifylint // Exactly.
	}
	idle := evaluatedWith(t, l, o, world.Result{}).Report()
	assert.Equal(t, []any{0, 0.0, 0.0}, []any{idle.Facts.AIExchangeCount, idle.Facts.BudgetUsedDollars, *idle.Facts.AIAuthoredPct}, "nothing came from an assistant")
	assert.Nil(t, idle.Facts.ChurnPct, "nothing was edited")
	for what, numbers := range seen {
		assert.Greater(t, len(numbers), 10, what)
	}
}

func TestAReportWithADelayHasNoVerdictBefore(t *testing.T) {
	l, o, _ := invited(world.Timeline{})
	for delay, want := range map[time.Duration]string{time.Hour: "", -1: "yes"} {
		report := evaluatedWith(t, l, o, world.Result{ShipScore: 70, Verdict: "yes", ReportDelay: delay}).Report()
		assert.Equal(t, []any{false, want}, []any{report.Evaluated, report.Verdict}, "a verdict alone shows a report that is never ready")
	}
}

func TestWhoseTimeIsOverSubmitsWithoutAnEffect(t *testing.T) {
	l, o, id := invited(world.Timeline{})
	submission, err := l.Begin(id, noon)
	require.NoError(t, err)
	require.NoError(t, l.Submit(submission, noon.Add(24*time.Hour)))
	assert.Equal(t, noon.Add(75*time.Minute), o.Submissions().Find(submission).Value.SubmittedAt.Time())
	require.NoError(t, l.Evaluate(submission, noon.Add(25*time.Hour), world.Result{}))
	require.EqualError(t, l.Submit(submission, noon.Add(26*time.Hour)), "the attempt was submitted before")
}
