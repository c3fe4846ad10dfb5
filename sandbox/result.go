package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

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
	ShipScore       *int            `json:"ship_score,omitzero"`       // From 0 to 100, as in new(82). Nil: chosen, to fit Verdict. NoScore: null.
	Verdict         string          `json:"verdict,omitzero"`          // Empty: derived from the score, strong_no to strong_yes.
	Pillars         map[string]*int `json:"pillars,omitzero"`          // From 0 to 100, by id. Nil, NoScore and a missing pillar are a null score and low confidence. Empty: all scores are close to ShipScore.
	LowConfidence   []string        `json:"low_confidence,omitzero"`   // Ids of pillars whose score has low confidence.
	Summary         string          `json:"summary,omitzero"`          // Empty: a sentence with the score.
	Confidence      string          `json:"confidence,omitzero"`       // Empty: derived from the pillars with enough evidence, low to high.
	IntegrityStatus string          `json:"integrity_status,omitzero"` // Empty: clear.
	ReportDelay     time.Duration   `json:"report_delay,omitzero"`     // The report becomes ready so much after the evaluation. Negative: never.
	Extra           map[string]any  `json:"extra,omitzero"`            // Additional report members, or replacements for existing ones. A nil value is null.
}

// NoScore as a score means that there was not enough evidence: the score is null in the
// report, and no verdict is derived from it. It is compared by identity.
var NoScore = new(int)

// world checks a result and returns it without references to the caller's values.
func (r Result) world() (world.Result, error) {
	w := world.Result{
		ShipScore: r.ShipScore, NoScore: r.ShipScore == NoScore, Verdict: r.Verdict, Summary: r.Summary, Confidence: r.Confidence,
		IntegrityStatus: r.IntegrityStatus, ReportDelay: r.ReportDelay, LowConfidence: slices.Clone(r.LowConfidence),
		Pillars: make(map[string]*int, len(r.Pillars)), Extra: make(map[string]world.RawJSON, len(r.Extra)),
	}
	for id, score := range r.Pillars {
		w.Pillars[id] = nil
		if score != nil && score != NoScore {
			w.Pillars[id] = new(*score)
		}
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
	if !r.NoScore && outOfRange(r.ShipScore) {
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

// resultInput is a result in JSON, in which a null score is NoScore and a missing one is
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
		r.ShipScore = NoScore
	default:
		if json.Unmarshal(in.ShipScore, &r.ShipScore) != nil {
			return world.Result{}, inputError{"ship_score", "give a whole number or null"}
		}
	}
	return r.world()
}
