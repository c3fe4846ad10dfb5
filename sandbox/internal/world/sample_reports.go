package world

import (
	"cmp"
	"math"
	"slices"
)

// sampleGrading is the grading of a submission of test mode.
type sampleGrading struct {
	attempt *Attempt
	result  Report
	ranking Rank
}

func (g *sampleGrading) report() Report          { return g.result }
func (g *sampleGrading) rank() (Rank, bool)      { return g.ranking, g.result.Evaluated }
func (*sampleGrading) extra() map[string]RawJSON { return nil }
func (*sampleGrading) hasArchive() bool          { return false }
func (g *sampleGrading) unevaluated() *Attempt   { return g.attempt } // Test mode never changes.

// gradeDrafts returns the submissions with their reports and ranks.
func gradeDrafts(drafts []*draft) []*Attempt {
	attempts := make([]*Attempt, len(drafts))
	var ranked []*sampleGrading
	for i, d := range drafts {
		g := &sampleGrading{result: d.report()}
		attempts[i] = &Attempt{Record: *newRecord(d.submission.ID, d.submission.CreatedAt, d.submission), log: d.log, grading: g}
		g.attempt = attempts[i]
		if g.result.Evaluated {
			ranked = append(ranked, g)
		}
	}
	slices.SortFunc(ranked, func(a, b *sampleGrading) int {
		return cmp.Or(cmp.Compare(*b.result.ShipScore, *a.result.ShipScore), cmp.Compare(a.result.SubmissionID, b.result.SubmissionID))
	})
	rank := 1
	for i, g := range ranked {
		if i > 0 && *g.result.ShipScore < *ranked[i-1].result.ShipScore {
			rank = i + 1 // Equal scores share the better rank.
		}
		g.ranking = Rank{Rank: rank, Total: len(ranked)}
		if g.result.Percentile != nil {
			*g.result.Percentile = math.Round(1000*float64(len(ranked)-rank)/float64(len(ranked))) / 10
		}
	}
	return attempts
}

// report returns the report of a draft, without rank and percentile.
func (d *draft) report() Report {
	r := Report{Pillars: pillars[:]}
	if d.stage == evaluated {
		r = data.Reports[(d.number-1)%len(data.Reports)]
	}
	r.SubmissionID, r.Status, r.Pillars = d.submission.ID, d.submission.Status, slices.Clone(r.Pillars)
	r.Facts.TimeAllottedMinutes, r.Facts.AIExchangeCount = d.assessment.TimeLimitMinutes, d.promptCount
	r.Facts.BudgetUsedDollars, r.Facts.BudgetAllottedDollars = d.submission.Budget.DollarsUsed, d.submission.Budget.DollarsCap
	if d.stage == evaluated {
		d.individualize(&r)
	}
	return r
}

// individualize changes what differs between the evaluated submissions that share a report.
func (d *draft) individualize(r *Report) {
	shift := d.number*13%9 - 4 // The same for ship score and pillars, so that they agree.
	r.Evaluated, r.ShipScore, r.GeneratedAt = true, shiftScore(r.ShipScore, shift), d.submission.EvaluatedAt
	r.Verdict = verdictFor(*r.ShipScore)
	r.VerdictLabel = verdictLabel(r.Verdict)
	for i := range r.Pillars {
		r.Pillars[i].Score = shiftScore(r.Pillars[i].Score, shift)
	}
	if !d.challenge.IsMultiTask {
		r.Tasks = nil
	}
	if r.Facts.TimeUsedMinutes != nil {
		r.Facts.TimeUsedMinutes = d.submission.minutesWorked()
	}
	if d.promptCount == 0 {
		if r.Facts.AIAuthoredPct != nil {
			r.Facts.AIAuthoredPct = new(float64)
		}
		fluency := &r.Pillars[slices.IndexFunc(r.Pillars, func(p Pillar) bool { return p.ID == "ai_fluency" })]
		fluency.Score, fluency.LowConfidence, fluency.Summary = nil, true, ""
	}
	if r.Percentile != nil {
		r.Percentile = new(float64)
	}
}

// shiftScore adds to a score, within 0 and 100. Nil stays nil.
func shiftScore(score *int, by int) *int {
	if score == nil {
		return nil
	}
	return new(min(max(*score+by, 0), 100))
}
