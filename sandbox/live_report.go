package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
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
	report, reports []byte // before the rank and after it; nil after one that the result gave
}

func (c *candidate) json() *liveJSON {
	if c.rendered == nil {
		head := bytes.TrimSuffix(render(c.submission.wire), []byte(`null,"report":null}`))
		report := render(c.report())
		before, after, _ := bytes.Cut(report, []byte(`"pipeline_rank":null`))
		if len(c.result.Extra) > 0 {
			before, after = overlaid(report, c.result.Extra)
		}
		c.rendered = &liveJSON{head, before, after}
	}
	return c.rendered
}

// overlaid gives a report other and further members, and splits it where its
// rank belongs unless that is one of them.
func overlaid(report []byte, extra map[string]any) (before, after []byte) {
	names, values := takeApart(report)
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if i := slices.Index(names, name); i >= 0 {
			values[i] = render(extra[name])
			continue
		}
		names, values = append(names, name), append(values, render(extra[name]))
	}
	_, ranked := extra["pipeline_rank"]
	b := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		if name == "pipeline_rank" && !ranked {
			before, b = b, []byte{}
			continue
		}
		b = append(append(append(b, render(name)...), ':'), values[i]...)
	}
	if b = append(b, '}'); ranked {
		return b, nil
	}
	return before, b
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
	if parts.reports == nil {
		return b
	}
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
	r.Verdict = cmp.Or(c.result.Verdict, verdictFor(c.result.ShipScore))
	r.VerdictLabel = strings.ReplaceAll(r.Verdict, "_", " ")
	r.VerdictLabel = strings.ToUpper(r.VerdictLabel[:1]) + r.VerdictLabel[1:]
	r.Summary = cmp.Or(c.result.Summary, "Scored "+strconv.Itoa(c.result.ShipScore)+" of 100 in the sandbox.")
	r.IntegrityStatus = cmp.Or(c.result.IntegrityStatus, "clear")
	sure := 0
	for i := range r.Pillars {
		p := &r.Pillars[i]
		score, found := c.result.Pillars[p.ID]
		if found {
			p.Score, p.Summary = &score, "Scored "+strconv.Itoa(score)+" of 100."
		}
		if p.LowConfidence = !found || slices.Contains(c.result.LowConfidence, p.ID); !p.LowConfidence {
			sure++
		}
	}
	r.Confidence = cmp.Or(c.result.Confidence, [...]string{"low", "low", "medium", "medium", "high"}[sure])
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
