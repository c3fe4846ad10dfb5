package world

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

const maxScore = 100

// NoScore is a null score: there was not enough evidence.
const NoScore = math.MinInt32

// Result is the result of grading a submission.
type Result struct {
	ShipScore       int            // From 0 to 100, or NoScore.
	Verdict         string         // Empty: derived from the score, from strong_no to strong_yes.
	Pillars         map[string]int // From 0 to 100, by id. NoScore and a missing pillar are a null score and low confidence.
	LowConfidence   []string       // Ids of pillars whose score has low confidence.
	Summary         string         // Empty: a sentence with the score.
	Confidence      string         // Empty: derived from the number of pillars with enough evidence, from low to high.
	IntegrityStatus string         // Empty: clear.
	ReportDelay     time.Duration  // Delay from the evaluation until the report is ready. Negative: never ready.
	Extra           map[string]any // Additional report members, or replacements for existing ones. A nil value is null.
}

// Check returns an error for scores that are not from 0 to 100, and for unknown pillars.
func (r Result) Check() error {
	if r.ShipScore != NoScore && (r.ShipScore < 0 || r.ShipScore > maxScore) {
		return fmt.Errorf("the ship score %d is not within 0 and %d", r.ShipScore, maxScore)
	}
	ids := slices.Sorted(maps.Keys(r.Pillars))
	for _, id := range slices.Concat(ids, r.LowConfidence) {
		if !slices.ContainsFunc(pillars[:], func(p Pillar) bool { return p.ID == id }) {
			return fmt.Errorf("there is no pillar %q", id)
		}
	}
	for _, id := range ids {
		if score := r.Pillars[id]; score != NoScore && (score < 0 || score > maxScore) {
			return fmt.Errorf("the score %d of %s is not within 0 and %d", score, id, maxScore)
		}
	}
	return nil
}

// rank returns the rank among the organization's evaluated submissions.
func (c *candidate) rank() (Rank, bool) {
	if !c.ready() {
		return Rank{}, false
	}
	rank := 1 // Equal scores share the better rank. NoScore is after all scores.
	for _, count := range c.organization.scoreCounts[max(c.result.ShipScore+1, 0):] {
		rank += count
	}
	return Rank{rank, c.organization.evaluatedCount}, true
}

func (c *candidate) extra() map[string]any { return c.result.Extra }

func (c *candidate) hasArchive() bool { return c.stage >= submitted && !c.noArchive }

// unevaluated returns the attempt as it was before the evaluation.
func (c *candidate) unevaluated() *Attempt {
	before, a := *c, *c.attempt
	a.Value.Status, a.Value.EvaluatedAt, a.Encoded, a.grading = "submitted", nil, nil, &before
	before.stage, before.result, before.attempt = submitted, Result{}, &a
	return &a
}

// report returns the report of the attempt: with scores once it is ready.
func (c *candidate) report() Report {
	s := &c.attempt.Value
	r := Report{
		SubmissionID: s.ID, Status: s.Status, Pillars: slices.Clone(pillars[:]),
		Facts: Facts{
			TimeAllottedMinutes: c.timeLimitMinutes, AIExchangeCount: c.promptCount,
			BudgetUsedDollars: s.Budget.DollarsUsed, BudgetAllottedDollars: s.Budget.DollarsCap,
		},
	}
	if !c.ready() {
		if c.stage == evaluated && c.result.ReportDelay < 0 && c.result.Verdict != "" {
			r.Verdict, r.VerdictLabel = c.result.Verdict, verdictLabel(c.result.Verdict)
		}
		return r
	}
	c.grade(&r)
	r.Evaluated, r.GeneratedAt = true, new(s.EvaluatedAt.plus(c.result.ReportDelay))
	worked := s.SubmittedAt.minus(s.StartedAt) - time.Duration(s.PausedTotalSeconds)*time.Second
	r.Facts.TimeUsedMinutes = new(roundToCents(max(worked, 0).Minutes()))
	r.Facts.AIAuthoredPct = new(0.0)
	if c.promptCount > 0 {
		*r.Facts.AIAuthoredPct = float64(20 + c.number*17%61)
	}
	if c.editCount > 0 {
		r.Facts.ChurnPct = new(float64(c.number * 7 % 41))
	}
	return r
}

// ready reports whether the report is ready.
func (c *candidate) ready() bool {
	delay := c.result.ReportDelay
	return c.stage == evaluated && delay >= 0 && c.attempt.Value.EvaluatedAt.plus(delay) <= MomentOf(c.organization.now)
}

// grade sets the fields of the report that depend on the result.
func (c *candidate) grade(r *Report) {
	r.Verdict, r.Summary = c.result.Verdict, c.result.Summary
	if score := c.result.ShipScore; score != NoScore {
		r.ShipScore = &score
		r.Verdict = cmp.Or(r.Verdict, verdictFor(score))
		r.Summary = cmp.Or(r.Summary, "Scored "+strconv.Itoa(score)+" of 100 in the sandbox.")
	}
	r.VerdictLabel = verdictLabel(r.Verdict)
	r.IntegrityStatus = cmp.Or(c.result.IntegrityStatus, "clear")
	confident := 0 // Pillars with enough evidence.
	for i := range r.Pillars {
		p := &r.Pillars[i]
		score, found := c.result.Pillars[p.ID]
		found = found && score != NoScore
		if found {
			p.Score, p.Summary = &score, "Scored "+strconv.Itoa(score)+" of 100."
		}
		p.LowConfidence = !found || slices.Contains(c.result.LowConfidence, p.ID)
		if !p.LowConfidence {
			confident++
		}
	}
	r.Confidence = cmp.Or(c.result.Confidence, [...]string{"low", "low", "medium", "medium", "high"}[confident])
	r.InterviewQuestions = []RawJSON{`"What would you do next, given another hour?"`}
}

// verdictLabel returns the label of a verdict.
func verdictLabel(verdict string) string {
	if verdict == "" {
		return ""
	}
	text := strings.ReplaceAll(verdict, "_", " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// verdictFor returns the verdict of a ship score.
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

// inventedResult returns a result for the timeline. It depends on the candidate's number
// only, so it is the same in every run.
func (c *candidate) inventedResult() Result {
	score := 35 + c.number*37%61
	r := Result{ShipScore: score, Pillars: make(map[string]int, len(pillars))}
	for i, p := range pillars {
		r.Pillars[p.ID] = score - 3 + 2*i
	}
	return r
}

// roundToCents rounds to two decimal places.
func roundToCents(x float64) float64 { return math.Round(x*100) / 100 }
