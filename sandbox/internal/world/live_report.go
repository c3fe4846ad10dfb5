package world

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// Result is the result of grading a submission.
type Result struct {
	ShipScore *int   // From 0 to 100. Nil: chosen, to fit the verdict if there is one.
	NoScore   bool   // There is no score, and no verdict is derived from one.
	Verdict   string // Empty: derived from the score, from strong_no to strong_yes.
	// From 0 to 100, by id. Nil is a null score and low confidence. A missing pillar is one too, unless Pillars is
	// empty: then all are close to ShipScore.
	Pillars         map[string]*int
	LowConfidence   []string           // Ids of pillars whose score has low confidence.
	Summary         string             // Empty: a sentence with the score.
	Confidence      string             // Empty: derived from the number of pillars with enough evidence, from low to high.
	IntegrityStatus string             // Empty: clear.
	ReportDelay     time.Duration      // Delay from the evaluation until the report is ready. Negative: never ready.
	Extra           map[string]RawJSON // Additional report members, or replacements for existing ones.
}

// scoreOf are scores that have a verdict.
var scoreOf = map[string]int{"strong_no": 25, "no": 50, "yes": 70, "strong_yes": 88}

// withScore returns the result with the score of the candidate with a number.
func (r Result) withScore(number int) Result {
	switch fitting, known := scoreOf[r.Verdict]; {
	case r.NoScore:
		r.ShipScore = nil
	case r.ShipScore != nil:
		r.ShipScore = new(*r.ShipScore)
	case known:
		r.ShipScore = &fitting
	default:
		r.ShipScore = new(inventedScore(number))
	}
	return r
}

// IsPillar reports whether a pillar has an id.
func IsPillar(id string) bool {
	return slices.ContainsFunc(pillars[:], func(p Pillar) bool { return p.ID == id })
}

// rank returns the rank among the organization's evaluated submissions.
func (c *candidate) rank() (Rank, bool) {
	if !c.ready() {
		return Rank{}, false
	}
	rank, better := 1, 0 // Equal scores share the better rank. No score is after all scores.
	if c.result.ShipScore != nil {
		better = *c.result.ShipScore + 1
	}
	for _, count := range c.organization.scoreCounts[better:] {
		rank += count
	}
	return Rank{rank, c.organization.evaluatedCount}, true
}

// countScore adds to the number of evaluated submissions with a score, or without one for nil.
func (o *Organization) countScore(score *int, by int) {
	if score != nil {
		o.scoreCounts[*score] += by
	}
	o.evaluatedCount += by
}

// reportAt returns the time at which the report is ready: nil before the evaluation, and for never.
func (c *candidate) reportAt() *Moment {
	if c.stage != Evaluated || c.result.ReportDelay < 0 {
		return nil
	}
	return new(c.attempt.Value.EvaluatedAt.plus(c.result.ReportDelay))
}

// ready reports whether the report is ready.
func (c *candidate) ready() bool {
	at := c.reportAt()
	return at != nil && *at <= c.organization.now
}

// report returns the report of the attempt: with scores once it is ready.
func (c *candidate) report() Report {
	r := Report{Pillars: pillars[:]}
	switch {
	case c.ready():
		r = c.graded
	case c.stage == Evaluated && c.result.ReportDelay < 0:
		r.Verdict, r.VerdictLabel = c.result.Verdict, verdictLabel(c.result.Verdict)
	}
	return c.withAttempt(r)
}

// withAttempt returns a report with the fields that come from the attempt.
func (c *candidate) withAttempt(r Report) Report {
	s := &c.attempt.Value
	r.SubmissionID, r.Status = s.ID, s.Status
	r.Facts.TimeAllottedMinutes, r.Facts.AIExchangeCount = c.timeLimitMinutes, c.promptCount
	r.Facts.BudgetUsedDollars, r.Facts.BudgetAllottedDollars = s.Budget.DollarsUsed, s.Budget.DollarsCap
	return r
}

// grade returns the report that follows from the result and the attempt.
func (c *candidate) grade() Report {
	s, result, score := &c.attempt.Value, &c.result, c.result.ShipScore
	verdict, summary := result.Verdict, "There is not enough evidence for a score."
	if score != nil {
		verdict, summary = cmp.Or(verdict, verdictFor(*score)), "Scored "+strconv.Itoa(*score)+" of 100 in the sandbox."
	}
	r := Report{
		Evaluated: true, ShipScore: score, Verdict: verdict, VerdictLabel: verdictLabel(verdict),
		Summary: cmp.Or(result.Summary, summary), Pillars: slices.Clone(pillars[:]),
		InterviewQuestions: RawJSONs{`"What would you do next, given another hour?"`},
		Facts:              Facts{TimeUsedMinutes: s.minutesWorked(), AIAuthoredPct: new(0.0)},
		IntegrityStatus:    cmp.Or(result.IntegrityStatus, "clear"), GeneratedAt: new(s.EvaluatedAt.plus(result.ReportDelay)),
	}
	if c.promptCount > 0 {
		*r.Facts.AIAuthoredPct = float64(20 + c.number*17%61)
	}
	if c.editCount > 0 {
		r.Facts.ChurnPct = new(float64(c.number * 7 % 41))
	}
	c.gradePillars(&r)
	selected := c.assessment.Value.SelectedTaskIDs
	r.Tasks = make(RawJSONs, 0, len(c.challenge.Value.Tasks))
	for _, task := range c.challenge.Value.Tasks {
		if selected == nil || slices.Contains(selected, task.ID) {
			own := "null"
			if score != nil {
				own = strconv.Itoa(*shiftScore(score, 3-2*len(r.Tasks)))
			}
			r.Tasks = append(r.Tasks, RawJSON(`{"task_key":"`+task.TaskKey+`","kind":"`+task.Kind+`","score":`+own+`}`))
		}
	}
	return r
}

// gradePillars sets the scores of the pillars, and what follows from them.
func (c *candidate) gradePillars(r *Report) {
	result := &c.result
	confident := 0 // Pillars with enough evidence.
	for i := range r.Pillars {
		p := &r.Pillars[i]
		given := result.Pillars[p.ID]
		if len(result.Pillars) == 0 {
			given = shiftScore(result.ShipScore, 2*i-3)
		}
		p.LowConfidence = given == nil || slices.Contains(result.LowConfidence, p.ID)
		if !p.LowConfidence {
			confident++
		}
		if given == nil {
			continue
		}
		p.Score, p.Summary = given, "Scored "+strconv.Itoa(*given)+" of 100."
		switch {
		case p.LowConfidence: // Not enough evidence for either.
		case *given >= 75:
			r.Strengths = append(r.Strengths, RawJSON(`"`+p.Label+` above most candidates"`))
		case *given < 40:
			r.Flags = append(r.Flags, RawJSON(`"`+p.Label+` below the level of the role"`))
		}
	}
	r.Confidence = cmp.Or(result.Confidence, [...]string{"low", "low", "medium", "medium", "high"}[confident])
}
