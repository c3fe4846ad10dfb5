package sandbox

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
)

// seedReport is a report without what belongs to one submission.
type seedReport struct {
	ShipScore          int               `json:"ship_score"`
	Verdict            string            `json:"verdict"`
	VerdictLabel       string            `json:"verdict_label"`
	Confidence         string            `json:"confidence"`
	Summary            string            `json:"summary"`
	ScoredAsRole       *string           `json:"scored_as_role"`
	IntegrityStatus    string            `json:"integrity_status"`
	Percentile         bool              `json:"percentile"`
	TimeKnown          bool              `json:"time_known"`
	AIAuthoredPct      *float64          `json:"ai_authored_pct"`
	ChurnPct           *float64          `json:"churn_pct"`
	Pillars            []wirePillar      `json:"pillars"`
	Strengths          []json.RawMessage `json:"strengths"`
	Flags              []json.RawMessage `json:"flags"`
	InterviewQuestions []json.RawMessage `json:"interview_questions"`
	ScopeExclusions    []json.RawMessage `json:"scope_exclusions"`
	Tasks              []json.RawMessage `json:"tasks"`
}

// grade finishes the submissions: each gets its report, and those evaluated
// their rank among all.
func (s *seeds) grade(attempts []*attempt) []wireSubmission {
	reports := make([]wireReport, len(attempts))
	var ranked []*wireReport
	for i, a := range attempts {
		a.finish()
		if reports[i] = s.report(a); reports[i].Evaluated {
			ranked = append(ranked, &reports[i])
		}
	}
	slices.SortFunc(ranked, func(a, b *wireReport) int {
		return cmp.Or(cmp.Compare(*b.ShipScore, *a.ShipScore), cmp.Compare(a.SubmissionID, b.SubmissionID))
	})
	rank := 1
	for i, r := range ranked {
		if i > 0 && *r.ShipScore < *ranked[i-1].ShipScore {
			rank = i + 1 // those with the same score share the better rank
		}
		r.PipelineRank = &wireRank{Rank: rank, Total: len(ranked)}
		if r.Percentile != nil {
			*r.Percentile = math.Round(1000*float64(len(ranked)-rank)/float64(len(ranked))) / 10
		}
	}
	submissions := make([]wireSubmission, len(attempts))
	for i, a := range attempts {
		a.submission.Report = render(reports[i])
		submissions[i] = a.submission
	}
	return submissions
}

// finish fills in what a submission has of its challenge.
func (a *attempt) finish() {
	a.submission.Challenge = wireChallengeRef{Name: a.challenge.Name, Slug: a.challenge.Slug}
	limit := a.challenge.BudgetDollarsCap
	if a.assessment.BudgetDollarsCap != nil {
		limit = *a.assessment.BudgetDollarsCap
	}
	spent := math.Round(limit*float64(a.n*29%100)) / 100
	a.submission.Budget = wireBudget{DollarsUsed: spent, DollarsCap: limit}
}

func (s *seeds) report(a *attempt) wireReport {
	r := wireReport{
		SubmissionID: a.submission.ID, Status: a.submission.Status,
		Pillars: slices.Clone(s.reports[0].Pillars),
		Facts: wireFacts{
			TimeAllottedMinutes: a.assessment.TimeLimitMinutes,
			BudgetUsedDollars:   a.submission.Budget.DollarsUsed, BudgetAllottedDollars: a.submission.Budget.DollarsCap,
			AIExchangeCount: a.prompts,
		},
		Strengths: []json.RawMessage{}, Flags: []json.RawMessage{}, InterviewQuestions: []json.RawMessage{},
		ScopeExclusions: []json.RawMessage{}, Tasks: []json.RawMessage{},
	}
	if a.stage != evaluated {
		for i := range r.Pillars {
			r.Pillars[i].Score, r.Pillars[i].Summary, r.Pillars[i].NotAssessed = nil, "", []string{}
		}
		return r
	}
	s.reports[(a.n-1)%len(s.reports)].fill(&r, a)
	return r
}

func (seed *seedReport) fill(r *wireReport, a *attempt) {
	shift := a.n*13%9 - 4 // the same for the pillars, so that a report agrees with itself
	r.Evaluated, r.ShipScore, r.GeneratedAt = true, shifted(&seed.ShipScore, shift), a.submission.EvaluatedAt
	r.Verdict, r.VerdictLabel, r.Confidence = seed.Verdict, seed.VerdictLabel, seed.Confidence
	r.Summary, r.ScoredAsRole, r.IntegrityStatus = seed.Summary, seed.ScoredAsRole, seed.IntegrityStatus
	r.Pillars = slices.Clone(seed.Pillars)
	for i := range r.Pillars {
		r.Pillars[i].Score = shifted(r.Pillars[i].Score, shift)
	}
	r.Strengths, r.Flags, r.InterviewQuestions = seed.Strengths, seed.Flags, seed.InterviewQuestions
	r.ScopeExclusions = seed.ScopeExclusions
	if a.challenge.IsMultiTask {
		r.Tasks = seed.Tasks
	}
	if seed.TimeKnown {
		r.Facts.TimeUsedMinutes = new(float64(minutesUsed(a.n)) - 0.5)
	}
	r.Facts.AIAuthoredPct, r.Facts.ChurnPct = seed.AIAuthoredPct, seed.ChurnPct
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
