package world

import "slices"

// sampleReport returns the report of candidate n with the candidate's own ship score.
func sampleReport(n int) Report {
	r := data.Reports[(n-1)%len(data.Reports)]
	r.ShipScore = shiftScore(r.ShipScore, sampleShift(n))
	return r
}

// sampleShift returns how much the scores of a candidate differ from those of the report. It is
// the same for ship score and pillars, so that they agree.
func sampleShift(n int) int { return n*13%9 - 4 }

// setSampleReport sets the report of an evaluated candidate. Candidates share reports, except
// for what differs between them.
func (c *candidate) setSampleReport() {
	made := c.grade()
	r := sampleReport(c.number)
	r.Evaluated, r.Verdict, r.VerdictLabel, r.GeneratedAt = made.Evaluated, made.Verdict, made.VerdictLabel, made.GeneratedAt
	r.Pillars = slices.Clone(r.Pillars)
	for i := range r.Pillars {
		r.Pillars[i].Score = shiftScore(r.Pillars[i].Score, sampleShift(c.number))
	}
	if !c.challenge.Value.IsMultiTask {
		r.Tasks = nil
	}
	if r.Facts.TimeUsedMinutes != nil {
		r.Facts.TimeUsedMinutes = made.Facts.TimeUsedMinutes
	}
	if c.promptCount == 0 {
		if r.Facts.AIAuthoredPct != nil {
			r.Facts.AIAuthoredPct = made.Facts.AIAuthoredPct
		}
		fluency := &r.Pillars[slices.IndexFunc(r.Pillars, func(p Pillar) bool { return p.ID == "ai_fluency" })]
		fluency.Score, fluency.LowConfidence, fluency.Summary = nil, true, ""
	}
	if r.Percentile != nil {
		r.Percentile = new(float64) // It follows from the rank among all.
	}
	if c.number%5 == 1 {
		c.invitation.Value.RecruiterDecision = "shortlisted"
	}
	c.graded = r
}
