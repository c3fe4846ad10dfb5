package world

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

const maxScore = 100

// Result is what grading a submission found.
type Result struct {
	ShipScore       int            // From 0 to 100.
	Verdict         string         // Empty: derived from the score, from strong_no to strong_yes.
	Pillars         map[string]int // From 0 to 100, by id. A missing pillar has a null score and low confidence.
	LowConfidence   []string       // Ids of pillars whose score has low confidence.
	Summary         string         // Empty: a sentence with the score.
	Confidence      string         // Empty: derived from the number of pillars with enough evidence, from low to high.
	IntegrityStatus string         // Empty: clear.
	Extra           map[string]any // Additional report members, or replacements for existing ones. A nil value is null.
}

// Check says what cannot be: scores outside of 0 and 100, and unknown pillars.
func (r Result) Check() error {
	if r.ShipScore < 0 || r.ShipScore > maxScore {
		return fmt.Errorf("the ship score %d is not within 0 and %d", r.ShipScore, maxScore)
	}
	ids := slices.Sorted(maps.Keys(r.Pillars))
	for _, id := range slices.Concat(ids, r.LowConfidence) {
		if !slices.ContainsFunc(pillars[:], func(p Pillar) bool { return p.ID == id }) {
			return fmt.Errorf("there is no pillar %q", id)
		}
	}
	for _, id := range ids {
		if score := r.Pillars[id]; score < 0 || score > maxScore {
			return fmt.Errorf("the score %d of %s is not within 0 and %d", score, id, maxScore)
		}
	}
	return nil
}

// rank counts the organization's evaluated submissions that are better.
func (c *candidate) rank() (Rank, bool) {
	if c.stage != evaluated {
		return Rank{}, false
	}
	rank := 1 // those with the same score share the better rank
	for _, better := range c.o.scores[c.result.ShipScore+1:] {
		rank += better
	}
	return Rank{rank, c.o.evaluated}, true
}

func (c *candidate) extra() map[string]any { return c.result.Extra }

func (c *candidate) stored() bool { return c.stage >= submitted }

// before is the attempt as it was before it was evaluated.
func (c *candidate) before() *Attempt {
	was, a := *c, *c.attempt
	a.Value.Status, a.Value.EvaluatedAt, a.Shown, a.of = "submitted", nil, nil, &was
	was.stage, was.result, was.attempt = submitted, Result{}, &a
	return &a
}

func (c *candidate) report() Report {
	s := &c.attempt.Value
	r := Report{
		SubmissionID: s.ID, Status: s.Status, Pillars: slices.Clone(pillars[:]),
		Facts: Facts{
			TimeAllottedMinutes: c.minutes, AIExchangeCount: c.prompts,
			BudgetUsedDollars: s.Budget.DollarsUsed, BudgetAllottedDollars: s.Budget.DollarsCap,
		},
	}
	if c.stage != evaluated {
		return r
	}
	c.grade(&r)
	r.Evaluated, r.GeneratedAt = true, s.EvaluatedAt
	r.Facts.TimeUsedMinutes = new(cents(s.SubmittedAt.minus(s.StartedAt).Minutes()))
	r.Facts.AIAuthoredPct, r.Facts.ChurnPct = new(float64(c.n*17%101)), new(float64(c.n*7%41))
	return r
}

// grade fills in what the result says and what follows from it.
func (c *candidate) grade(r *Report) {
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
	r.InterviewQuestions = []Text{`"What would you do next, given another hour?"`}
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
