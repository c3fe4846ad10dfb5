package world

import (
	"cmp"
	"math"
	"slices"
)

// seedReport is the part of a report that several submissions share.
type seedReport struct {
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
	Strengths          []Text
	Flags              []Text
	InterviewQuestions []Text
	ScopeExclusions    []Text
	Tasks              []Text
}

// sampleGrading is the grading of a submission of test mode.
type sampleGrading struct {
	of    *Attempt
	found Report
	place Rank
}

func (f *sampleGrading) report() Report        { return f.found }
func (f *sampleGrading) rank() (Rank, bool)    { return f.place, f.found.Evaluated }
func (*sampleGrading) extra() map[string]any   { return nil }
func (*sampleGrading) stored() bool            { return false }
func (f *sampleGrading) unevaluated() *Attempt { return f.of } // Test mode never changes.

// graded returns the submissions with their reports and ranks.
func graded(drafts []*draft) []*Attempt {
	attempts := make([]*Attempt, len(drafts))
	var ranked []*sampleGrading
	for i, d := range drafts {
		f := &sampleGrading{found: d.report()}
		attempts[i] = &Attempt{Record: *newRecord(d.submission.ID, d.submission.CreatedAt, d.submission), log: d.log, of: f}
		f.of = attempts[i]
		if f.found.Evaluated {
			ranked = append(ranked, f)
		}
	}
	slices.SortFunc(ranked, func(a, b *sampleGrading) int {
		return cmp.Or(cmp.Compare(*b.found.ShipScore, *a.found.ShipScore), cmp.Compare(a.found.SubmissionID, b.found.SubmissionID))
	})
	rank := 1
	for i, f := range ranked {
		if i > 0 && *f.found.ShipScore < *ranked[i-1].found.ShipScore {
			rank = i + 1 // Equal scores share the better rank.
		}
		f.place = Rank{Rank: rank, Total: len(ranked)}
		if f.found.Percentile != nil {
			*f.found.Percentile = math.Round(1000*float64(len(ranked)-rank)/float64(len(ranked))) / 10
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
			AIExchangeCount: d.prompts,
		},
	}
	if d.stage == evaluated {
		sampleReports[(d.n-1)%len(sampleReports)].fill(&r, d)
	}
	return r
}

func (seed *seedReport) fill(r *Report, d *draft) {
	shift := d.n*13%9 - 4 // Also for the pillars, so that they agree with the ship score.
	r.Evaluated, r.ShipScore, r.GeneratedAt = true, shifted(&seed.ShipScore, shift), d.submission.EvaluatedAt
	r.Verdict, r.VerdictLabel, r.Confidence = seed.Verdict, seed.VerdictLabel, seed.Confidence
	r.Summary, r.ScoredAsRole, r.IntegrityStatus = seed.Summary, seed.ScoredAsRole, seed.IntegrityStatus
	r.Pillars = slices.Clone(seed.Pillars)
	for i := range r.Pillars {
		r.Pillars[i].Score = shifted(r.Pillars[i].Score, shift)
	}
	r.Strengths, r.Flags, r.InterviewQuestions = seed.Strengths, seed.Flags, seed.InterviewQuestions
	r.ScopeExclusions = seed.ScopeExclusions
	if d.challenge.IsMultiTask {
		r.Tasks = seed.Tasks
	}
	if seed.TimeKnown {
		r.Facts.TimeUsedMinutes = new(float64(minutesUsed(d.n)) - 0.5)
	}
	r.Facts.AIAuthoredPct, r.Facts.ChurnPct = seed.AIAuthoredPct, seed.ChurnPct
	if d.prompts == 0 {
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

func shifted(score *int, by int) *int {
	if score == nil {
		return nil
	}
	return new(min(max(*score+by, 0), 100))
}
