package report

import (
	"cmp"
	"fmt"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// NotEnoughData is shown instead of a score without enough evidence, which is not a zero.
const NotEnoughData = "not enough data"

// View is a report as texts, for every medium.
type View struct {
	Candidate, Email, Challenge string // Empty when unknown.

	Ready         bool
	Status        string // Of the submission.
	Verdict       string
	Score         string // NotEnoughData when there is none.
	LowConfidence bool   // The confidence is low.
	Details       string // Confidence, role, rank and percentile.
	Integrity     string
	Summary       string
	Pillars       []Pillar
	Sections      []Section
}

// Pillar is a scored area.
type Pillar struct {
	Label       string
	Score       int
	Reliable    bool // False means NotEnoughData.
	Summary     string
	NotAssessed string
}

// Section is a list with a title.
type Section struct {
	Title string
	Items []string
}

// Of returns the view of a submission's report. A submission without a report is shown as
// not ready.
func Of(s hiring.Submission) View {
	v := View{Candidate: s.Candidate.Name, Email: s.Candidate.Email, Challenge: s.Challenge.Name, Status: string(s.Status)}
	r := s.Report
	if !r.Ready() {
		return v
	}
	v.Ready = true
	v.Verdict = cmp.Or(r.VerdictLabel, string(r.Verdict))
	v.Score = NotEnoughData
	if score, ok := r.Score(); ok {
		v.Score = fmt.Sprint(score)
	}
	v.LowConfidence = r.Confidence == hiring.ConfidenceLow
	v.Details, v.Integrity, v.Summary = details(*r), string(r.IntegrityStatus), r.Summary
	for _, p := range r.Pillars {
		score, reliable := p.ReliableScore()
		v.Pillars = append(v.Pillars, Pillar{
			Label: p.Label, Score: score, Reliable: reliable, Summary: p.Summary, NotAssessed: strings.Join(p.NotAssessed, ", "),
		})
	}
	v.Sections = []Section{
		{"Strengths", texts(r.Strengths)},
		{"Flags", texts(r.Flags)},
		{"Interview questions", texts(r.InterviewQuestions)},
	}
	for _, rare := range []Section{{"Tasks", texts(r.Tasks)}, {"Not in scope", texts(r.ScopeExclusions)}} {
		if len(rare.Items) > 0 { // The other sections are shown also when they are empty.
			v.Sections = append(v.Sections, rare)
		}
	}
	v.Sections = append(v.Sections, Section{"Facts", facts(r.Facts)})
	return v
}

func details(r hiring.Report) string {
	var parts []string
	if r.Confidence != "" {
		parts = append(parts, "confidence "+string(r.Confidence))
	}
	if r.ScoredAsRole != nil {
		parts = append(parts, "scored as "+*r.ScoredAsRole)
	}
	if r.PipelineRank != nil {
		parts = append(parts, fmt.Sprintf("rank %d of %d", r.PipelineRank.Rank, r.PipelineRank.Total))
	}
	if r.Percentile != nil {
		parts = append(parts, "percentile "+number(*r.Percentile))
	}
	return strings.Join(parts, ", ")
}

func facts(f hiring.Facts) []string {
	var all []string
	if f.TimeUsedMinutes != nil {
		all = append(all, fmt.Sprintf("%s of %d minutes used", number(*f.TimeUsedMinutes), f.TimeAllottedMinutes))
	}
	all = append(all, fmt.Sprintf("$%.2f of $%.2f spent on AI", f.BudgetUsedDollars, f.BudgetAllottedDollars))
	all = append(all, fmt.Sprintf("%d exchanges with the AI", f.AIExchangeCount))
	if f.AIAuthoredPct != nil {
		all = append(all, number(*f.AIAuthoredPct)+" % written by the AI")
	}
	if f.ChurnPct != nil {
		all = append(all, number(*f.ChurnPct)+" % churn")
	}
	return all
}
