package world

import (
	"cmp"
	"math"
	"slices"
)

// reportTemplate is the part of a report that several submissions share.
type reportTemplate struct {
	ShipScore          int
	Verdict            string
	VerdictLabel       string
	Confidence         string
	Summary            string
	ScoredAsRole       *string
	IntegrityStatus    string
	Percentile         bool
	TimeKnown          bool
	AIAuthoredPct      *float64
	ChurnPct           *float64
	Pillars            []Pillar
	Strengths          []RawJSON
	Flags              []RawJSON
	InterviewQuestions []RawJSON
	ScopeExclusions    []RawJSON
	Tasks              []RawJSON
}

// sampleGrading is the grading of a submission of test mode.
type sampleGrading struct {
	attempt *Attempt
	result  Report
	ranking Rank
}

func (f *sampleGrading) report() Report        { return f.result }
func (f *sampleGrading) rank() (Rank, bool)    { return f.ranking, f.result.Evaluated }
func (*sampleGrading) extra() map[string]any   { return nil }
func (*sampleGrading) hasArchive() bool        { return false }
func (f *sampleGrading) unevaluated() *Attempt { return f.attempt } // Test mode never changes.

// gradeDrafts returns the submissions with their reports and ranks.
func gradeDrafts(drafts []*draft) []*Attempt {
	attempts := make([]*Attempt, len(drafts))
	var ranked []*sampleGrading
	for i, d := range drafts {
		f := &sampleGrading{result: d.report()}
		attempts[i] = &Attempt{Record: *newRecord(d.submission.ID, d.submission.CreatedAt, d.submission), log: d.log, grading: f}
		f.attempt = attempts[i]
		if f.result.Evaluated {
			ranked = append(ranked, f)
		}
	}
	slices.SortFunc(ranked, func(a, b *sampleGrading) int {
		return cmp.Or(cmp.Compare(*b.result.ShipScore, *a.result.ShipScore), cmp.Compare(a.result.SubmissionID, b.result.SubmissionID))
	})
	rank := 1
	for i, f := range ranked {
		if i > 0 && *f.result.ShipScore < *ranked[i-1].result.ShipScore {
			rank = i + 1 // Equal scores share the better rank.
		}
		f.ranking = Rank{Rank: rank, Total: len(ranked)}
		if f.result.Percentile != nil {
			*f.result.Percentile = math.Round(1000*float64(len(ranked)-rank)/float64(len(ranked))) / 10
		}
	}
	return attempts
}

func (d *draft) report() Report {
	r := Report{
		SubmissionID: d.submission.ID, Status: d.submission.Status, Pillars: slices.Clone(pillars[:]),
		Facts: Facts{
			TimeAllottedMinutes: d.assessment.TimeLimitMinutes,
			BudgetUsedDollars:   d.submission.Budget.DollarsUsed, BudgetAllottedDollars: d.submission.Budget.DollarsCap,
			AIExchangeCount: d.promptCount,
		},
	}
	if d.stage == evaluated {
		sampleReports[(d.number-1)%len(sampleReports)].fill(&r, d)
	}
	return r
}

func (seed *reportTemplate) fill(r *Report, d *draft) {
	shift := d.number*13%9 - 4 // Also for the pillars, so that they agree with the ship score.
	r.Evaluated, r.ShipScore, r.GeneratedAt = true, shiftScore(&seed.ShipScore, shift), d.submission.EvaluatedAt
	r.Verdict, r.VerdictLabel, r.Confidence = seed.Verdict, seed.VerdictLabel, seed.Confidence
	r.Summary, r.ScoredAsRole, r.IntegrityStatus = seed.Summary, seed.ScoredAsRole, seed.IntegrityStatus
	r.Pillars = slices.Clone(seed.Pillars)
	for i := range r.Pillars {
		r.Pillars[i].Score = shiftScore(r.Pillars[i].Score, shift)
	}
	r.Strengths, r.Flags, r.InterviewQuestions = seed.Strengths, seed.Flags, seed.InterviewQuestions
	r.ScopeExclusions = seed.ScopeExclusions
	if d.challenge.IsMultiTask {
		r.Tasks = seed.Tasks
	}
	if seed.TimeKnown {
		r.Facts.TimeUsedMinutes = new(float64(minutesUsed(d.number)) - 0.5)
	}
	r.Facts.AIAuthoredPct, r.Facts.ChurnPct = seed.AIAuthoredPct, seed.ChurnPct
	if d.promptCount == 0 {
		if seed.AIAuthoredPct != nil {
			r.Facts.AIAuthoredPct = new(float64)
		}
		fluency := &r.Pillars[slices.IndexFunc(r.Pillars, func(p Pillar) bool { return p.ID == "ai_fluency" })]
		fluency.Score, fluency.LowConfidence, fluency.Summary = nil, true, ""
	}
	if seed.Percentile {
		r.Percentile = new(float64)
	}
}

func shiftScore(score *int, by int) *int {
	if score == nil {
		return nil
	}
	return new(min(max(*score+by, 0), 100))
}
