package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// Result is what grading a submission found.
//
// With a ReportDelay, submission and invitation are evaluated before the report
// is ready. A report that is never ready has the verdict, if Verdict is set.
//
// The facts of a report come from the attempt: the number of prompts in its log
// gives the exchanges and the used budget, and file_edit events give a churn.
type Result struct {
	ShipScore *int `json:"ship_score,omitzero"` // From 0 to 100, as in new(82). Nil: chosen, to fit Verdict.
	// The score is null: there was not enough evidence. ShipScore must be nil. In JSON "ship_score": null.
	NoScore bool           `json:"-"`
	Verdict hiring.Verdict `json:"verdict,omitzero"` // strong_no to strong_yes. Empty: derived from the score.
	// From 0 to 100. Nil and a missing pillar are a null score and low confidence. Empty: all scores are close to
	// ShipScore, or null with NoScore.
	Pillars       map[hiring.PillarID]*int `json:"pillars,omitzero"`
	LowConfidence []hiring.PillarID        `json:"low_confidence,omitzero"` // Pillars whose score has low confidence.
	Summary       string                   `json:"summary,omitzero"`        // Empty: a sentence with the score.
	// Empty: derived from the pillars with enough evidence, low to high.
	Confidence      hiring.Confidence      `json:"confidence,omitzero"`
	IntegrityStatus hiring.IntegrityStatus `json:"integrity_status,omitzero"` // Empty: clear.
	// The report becomes ready so much after the evaluation. Negative: never.
	ReportDelay time.Duration `json:"report_delay,omitzero"`
	// Additional report members, or replacements for existing ones. A nil value is null.
	Extra map[string]any `json:"extra,omitzero"`
}

// world checks a result and returns it without references to the caller's values.
func (r Result) world() (world.Result, error) {
	w := world.Result{
		ShipScore: r.ShipScore, NoScore: r.NoScore, Verdict: string(r.Verdict), Summary: r.Summary, Confidence: string(r.Confidence),
		IntegrityStatus: string(r.IntegrityStatus), ReportDelay: r.ReportDelay,
		Pillars: make(map[string]*int, len(r.Pillars)), Extra: make(map[string]world.RawJSON, len(r.Extra)),
	}
	for id, score := range r.Pillars {
		w.Pillars[string(id)] = nil
		if score != nil {
			w.Pillars[string(id)] = new(*score)
		}
	}
	for _, id := range r.LowConfidence {
		w.LowConfidence = append(w.LowConfidence, string(id))
	}
	for name, value := range r.Extra {
		raw, err := json.Marshal(value)
		if err != nil {
			return w, fmt.Errorf("the member %q cannot be JSON: %w", name, err)
		}
		w.Extra[name] = world.RawJSON(raw)
	}
	return w, checkResult(&w)
}

// checkResult returns an error for scores that are not from 0 to 100, and for unknown pillars.
func checkResult(r *world.Result) error {
	outOfRange := func(score *int) bool { return score != nil && (*score < 0 || *score > world.MaxScore) }
	problem := fmt.Sprintf("must be from 0 to %d", world.MaxScore)
	switch {
	case r.NoScore && r.ShipScore != nil:
		return inputError{"ship_score", "must be nil with NoScore"}
	case outOfRange(r.ShipScore):
		return inputError{"ship_score", problem}
	}
	for _, id := range slices.Sorted(maps.Keys(r.Pillars)) {
		switch {
		case !world.IsPillar(id):
			return inputError{"pillars", fmt.Sprintf("there is no pillar %q", id)}
		case outOfRange(r.Pillars[id]):
			return inputError{"pillars." + id, problem}
		}
	}
	for _, id := range r.LowConfidence {
		if !world.IsPillar(id) {
			return inputError{"low_confidence", fmt.Sprintf("there is no pillar %q", id)}
		}
	}
	return nil
}

// resultInput is a result in JSON, in which a null score means NoScore and a missing one is
// chosen.
type resultInput struct {
	Result

	ShipScore jsontext.Value `json:"ship_score"`
}

func (in *resultInput) world() (world.Result, error) {
	r := in.Result
	switch in.ShipScore.Kind() {
	case 0: // Not given.
	case 'n':
		r.NoScore = true
	default:
		if json.Unmarshal(in.ShipScore, &r.ShipScore) != nil {
			return world.Result{}, inputError{"ship_score", "give a whole number or null"}
		}
	}
	return r.world()
}
