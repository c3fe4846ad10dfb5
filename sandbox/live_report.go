package sandbox

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// pillars are the four, without what is found about them.
var pillars = [...]wirePillar{
	{ID: "correctness", Label: "Correctness", NotAssessed: []string{}},
	{ID: "craft", Label: "Craft", NotAssessed: []string{}},
	{ID: "ai_fluency", Label: "AI Fluency", NotAssessed: []string{}},
	{ID: "rigor", Label: "Rigor", NotAssessed: []string{}},
}

// liveJSON is a submission's JSON but for two places: the link to its archive,
// which is a new one each time, and its rank, which others can change.
type liveJSON struct {
	head            []byte // up to the link
	report, reports []byte // before the rank and after it
}

func (c *candidate) json() *liveJSON {
	if c.rendered == nil {
		head := bytes.TrimSuffix(render(c.submission.wire), []byte(`null,"report":null}`))
		before, after, _ := bytes.Cut(render(c.report()), []byte(`"pipeline_rank":null`))
		c.rendered = &liveJSON{head, before, after}
	}
	return c.rendered
}

func (o *organization) appendSubmission(b []byte, s *submission, call *call) []byte {
	b = append(b, s.of.json().head...)
	b = call.appendArchiveLink(b, s)
	b = append(b, `,"report":`...)
	return append(o.appendReport(b, s), '}')
}

func (o *organization) appendReport(b []byte, s *submission) []byte {
	parts := s.of.json()
	b = append(b, parts.report...)
	if s.of.stage != evaluated {
		b = append(b, `"pipeline_rank":null`...)
		return append(b, parts.reports...)
	}
	rank := 1 // those with the same score share the better rank
	for _, better := range o.scores[s.of.result.ShipScore+1:] {
		rank += better
	}
	b = append(b, `"pipeline_rank":{"rank":`...)
	b = strconv.AppendInt(b, int64(rank), 10)
	b = append(b, `,"total":`...)
	b = strconv.AppendInt(b, int64(o.evaluated), 10)
	b = append(b, '}')
	return append(b, parts.reports...)
}

func (c *candidate) report() wireReport {
	s := &c.submission.wire
	none := []json.RawMessage{}
	r := wireReport{
		SubmissionID: s.ID, Status: s.Status, Pillars: append([]wirePillar(nil), pillars[:]...),
		Strengths: none, Flags: none, InterviewQuestions: none, ScopeExclusions: none, Tasks: none,
		Facts: wireFacts{
			TimeAllottedMinutes: c.minutes, AIExchangeCount: c.prompts,
			BudgetUsedDollars: s.Budget.DollarsUsed, BudgetAllottedDollars: s.Budget.DollarsCap,
		},
	}
	if c.stage != evaluated {
		return r
	}
	c.grade(&r)
	r.Evaluated, r.GeneratedAt = true, s.EvaluatedAt
	r.Facts.TimeUsedMinutes = new(cents(s.SubmittedAt.Sub(s.StartedAt.Time).Minutes()))
	r.Facts.AIAuthoredPct, r.Facts.ChurnPct = new(float64(c.n*17%101)), new(float64(c.n*7%41))
	return r
}

// grade fills in what the result says and what follows from it.
func (c *candidate) grade(r *wireReport) {
	r.ShipScore = new(c.result.ShipScore)
	if r.Verdict = c.result.Verdict; r.Verdict == "" {
		r.Verdict = verdictFor(c.result.ShipScore)
	}
	r.VerdictLabel = strings.ReplaceAll(r.Verdict, "_", " ")
	r.VerdictLabel = strings.ToUpper(r.VerdictLabel[:1]) + r.VerdictLabel[1:]
	r.Confidence = [...]string{"low", "low", "medium", "medium", "high"}[len(c.result.Pillars)]
	r.Summary = "Scored " + strconv.Itoa(c.result.ShipScore) + " of 100 in the sandbox."
	r.IntegrityStatus = "clear"
	for i := range r.Pillars {
		p := &r.Pillars[i]
		score, found := c.result.Pillars[p.ID]
		if p.LowConfidence = !found; found {
			p.Score, p.Summary = &score, "Scored "+strconv.Itoa(score)+" of 100."
		}
	}
	r.InterviewQuestions = []json.RawMessage{json.RawMessage(`"What would you do next, given another hour?"`)}
}

func verdictFor(score int) string {
	switch {
	case score >= 80:
		return "strong_yes"
	case score >= 60:
		return "yes"
	case score >= 40:
		return "no"
	}
	return "strong_no"
}

// likelyResult is the result of who is evaluated without a hand.
func (c *candidate) likelyResult() Result {
	score := 35 + c.n*37%61
	r := Result{ShipScore: score, Pillars: make(map[string]int, len(pillars))}
	for i, p := range pillars {
		r.Pillars[p.ID] = score - 3 + 2*i
	}
	return r
}

func cents(x float64) float64 { return math.Round(x*100) / 100 }
