package hiring

import (
	"encoding/json"
	"time"
)

// Report is the result of grading a submission. Before grading has finished, PipelineRank
// and GeneratedAt are nil (assumed: not yet). Show a nil score, and a pillar's score that
// [Pillar.ReliableScore] does not return, as "not enough data" and never as zero. The
// shapes of the RawValue fields are not documented.
type Report struct {
	SubmissionID string           `json:"submission_id"`
	Status       SubmissionStatus `json:"status"`
	Evaluated    bool             `json:"evaluated"`
	// From 0 to 100 (assumed: score scale). Nil before grading, and without a score: use Score.
	ShipScore *int    `json:"ship_score"`
	Verdict   Verdict `json:"verdict"`
	// Label of Verdict for people. Empty before grading has finished. If it is empty later, show Verdict.
	VerdictLabel string `json:"verdict_label"`
	// How certain the whole report is. A pillar has LowConfidence.
	Confidence         Confidence      `json:"confidence"`
	Summary            string          `json:"summary"` // May be empty.
	ScoredAsRole       *string         `json:"scored_as_role"`
	Pillars            []Pillar        `json:"pillars"`
	Strengths          []RawValue      `json:"strengths"`
	Flags              []RawValue      `json:"flags"`
	InterviewQuestions []RawValue      `json:"interview_questions"` // Suggestions.
	Facts              Facts           `json:"facts"`
	ScopeExclusions    []RawValue      `json:"scope_exclusions"`
	IntegrityStatus    IntegrityStatus `json:"integrity_status"`
	PipelineRank       *PipelineRank   `json:"pipeline_rank"` // Nil before evaluation.
	// Nil until enough comparable attempts exist.
	Percentile  *float64                   `json:"percentile,omitzero"`
	Tasks       []RawValue                 `json:"tasks,omitzero"`
	GeneratedAt *time.Time                 `json:"generated_at"`
	Extra       map[string]json.RawMessage `json:",unknown,embed"`
}

func (Report) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (r Report) MarshalJSON() ([]byte, error) { return encode(r) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (r *Report) UnmarshalJSON(data []byte) error { return decode(data, r) }

// check accepts a report without a submission id. One that is not ready may have few known fields,
// but with unknown ones it needs an id or a status too.
func (r Report) check(wanted string) error {
	id, _ := RawValue(r.Extra["id"]).Text()
	switch {
	case r.SubmissionID != "":
		return checkID(r.SubmissionID, wanted)
	case !r.Evaluated && len(r.Extra) > 0 && r.Status == "" && id == "":
		return errNoIdentity
	}
	return nil
}

// Ready reports whether grading has finished, as Evaluated says. It returns false for a nil
// report. A report that a test builds is ready with Evaluated: true.
func (r *Report) Ready() bool { return r != nil && r.Evaluated }

// Score returns the ship score. ok is false if the report is nil, is not ready or has no
// score. Show that as "not enough data", never as zero.
func (r *Report) Score() (score int, ok bool) {
	if !r.Ready() || r.ShipScore == nil {
		return 0, false
	}
	return *r.ShipScore, true
}

// Pillar returns the scored area with the given id. ok is false if the report is nil or
// does not have it.
func (r *Report) Pillar(id PillarID) (pillar Pillar, ok bool) {
	if r == nil {
		return Pillar{}, false
	}
	for _, p := range r.Pillars {
		if p.ID == id {
			return p, true
		}
	}
	return Pillar{}, false
}

// PipelineRank is the candidate's rank among the organization's own applicants.
type PipelineRank struct {
	Rank  int                        `json:"rank"`
	Total int                        `json:"total"`
	Extra map[string]json.RawMessage `json:",unknown,embed"`
}

func (PipelineRank) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (p PipelineRank) MarshalJSON() ([]byte, error) { return encode(p) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (p *PipelineRank) UnmarshalJSON(data []byte) error { return decode(data, p) }

// Pillar is one of the four scored areas.
type Pillar struct {
	ID            PillarID                   `json:"id"`
	Label         string                     `json:"label"`
	Score         *int                       `json:"score"`          // Nil: not enough evidence. Use ReliableScore.
	LowConfidence bool                       `json:"low_confidence"` // The evidence is thin. Use ReliableScore.
	Summary       string                     `json:"summary"`
	NotAssessed   []string                   `json:"not_assessed"` // Areas excluded from scoring, not scored low.
	Extra         map[string]json.RawMessage `json:",unknown,embed"`
}

func (Pillar) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (p Pillar) MarshalJSON() ([]byte, error) { return encode(p) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (p *Pillar) UnmarshalJSON(data []byte) error { return decode(data, p) }

// ReliableScore returns the score if there is enough evidence to show it. If ok is false,
// show "not enough data", never zero.
func (p Pillar) ReliableScore() (score int, ok bool) {
	if p.Score == nil || p.LowConfidence {
		return 0, false
	}
	return *p.Score, true
}

// Facts are measurements of a candidate's attempt. A nil pointer means that the API has no value.
// The API documents the names of the fields only: what is counted, and of what the percentages
// are, is not documented.
type Facts struct {
	TimeUsedMinutes       *float64 `json:"time_used_minutes"`
	TimeAllottedMinutes   int      `json:"time_allotted_minutes"`
	BudgetUsedDollars     float64  `json:"budget_used_dollars"` // Spending on AI.
	BudgetAllottedDollars float64  `json:"budget_allotted_dollars"`
	// By its name, the percentage of the code that AI wrote.
	AIAuthoredPct *float64 `json:"ai_authored_pct"`
	// By its name, the percentage of the code that was rewritten.
	ChurnPct *float64 `json:"churn_pct"`
	// By its name, the number of prompts with their responses.
	AIExchangeCount int                        `json:"ai_exchange_count"`
	Extra           map[string]json.RawMessage `json:",unknown,embed"`
}

func (Facts) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (f Facts) MarshalJSON() ([]byte, error) { return encode(f) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (f *Facts) UnmarshalJSON(data []byte) error { return decode(data, f) }

// Verdict is the conclusion of a report. The set is open, and only "strong_yes" is
// documented. The sandbox also returns "yes", "no" and "strong_no".
type Verdict string

// Confidence is how certain a report is. The set is open. Only "low" is documented. The
// sandbox also returns "medium" and "high" (assumed: confidence values).
type Confidence string

// IntegrityStatus is the result of the integrity checks. The set is open, and only
// "flagged" is documented. The sandbox also returns "clear".
type IntegrityStatus string

// PillarID identifies a scored area: one of four constants, according to the
// documentation. The client accepts others.
type PillarID string

// VerdictStrongYes is the only documented verdict.
const VerdictStrongYes Verdict = "strong_yes"

// ConfidenceLow is the only documented confidence.
const ConfidenceLow Confidence = "low"

// IntegrityFlagged is the only documented result of the integrity checks.
const IntegrityFlagged IntegrityStatus = "flagged"

// The four scored areas.
const (
	PillarCorrectness PillarID = "correctness"
	PillarCraft       PillarID = "craft"
	PillarAIFluency   PillarID = "ai_fluency"
	PillarRigor       PillarID = "rigor"
)
