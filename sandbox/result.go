package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// Result is what grading a submission found. In JSON, report_delay is a number of
// seconds or a text like "8s", and a missing score of the submission or of a pillar is null.
//
// With a ReportDelay, submission and invitation are evaluated before the report
// is ready. A report that is never ready has the verdict, if Verdict is set.
//
// The facts of a report come from the attempt: the number of prompts in its log
// gives the exchanges and the used budget, and file_edit events give a churn.
type Result struct {
	ShipScore       int            `json:"ship_score"`                // From 0 to 100. For a null score, set "ship_score" to nil in Extra.
	Verdict         string         `json:"verdict,omitzero"`          // Empty: derived from the score, strong_no to strong_yes.
	Pillars         map[string]int `json:"pillars,omitzero"`          // From 0 to 100, by id. NoScore and a missing pillar are a null score and low confidence. Empty: all scores are close to ShipScore.
	LowConfidence   []string       `json:"low_confidence,omitzero"`   // Ids of pillars whose score has low confidence.
	Summary         string         `json:"summary,omitzero"`          // Empty: a sentence with the score.
	Confidence      string         `json:"confidence,omitzero"`       // Empty: derived from the pillars with enough evidence, low to high.
	IntegrityStatus string         `json:"integrity_status,omitzero"` // Empty: clear.
	ReportDelay     time.Duration  `json:"report_delay,omitzero"`     // The report becomes ready so much after the evaluation. Negative: never.
	Extra           map[string]any `json:"extra,omitzero"`            // Additional report members, or replacements for existing ones. A nil value is null.
}

// NoScore as the score of a pillar means that there was not enough evidence: the score
// is null.
const NoScore = math.MinInt32

// world checks a result and returns it without references to the caller's values.
func (r Result) world() (world.Result, error) {
	if r.ShipScore == NoScore {
		return world.Result{}, inputError{"ship_score", `NoScore is for pillars only: for a null score set Extra["ship_score"] to nil`}
	}
	w := world.Result{
		ShipScore: r.ShipScore, Verdict: r.Verdict, Summary: r.Summary, Confidence: r.Confidence, IntegrityStatus: r.IntegrityStatus,
		ReportDelay: r.ReportDelay, Pillars: r.pillars(), LowConfidence: append([]string(nil), r.LowConfidence...),
	}
	if len(r.Extra) > 0 {
		w.Extra = make(map[string]world.RawJSON, len(r.Extra))
	}
	for name, value := range r.Extra {
		raw, err := json.Marshal(value)
		if err != nil {
			return w, fmt.Errorf("the member %q cannot be JSON: %w", name, err)
		}
		w.Extra[name] = world.RawJSON(raw)
	}
	return w, w.Check()
}

// pillars returns the scores of the pillars, with nil for NoScore.
func (r *Result) pillars() map[string]*int {
	scores := make(map[string]*int, len(r.Pillars))
	for id, score := range r.Pillars {
		scores[id] = nil
		if score != NoScore {
			scores[id] = &score
		}
	}
	return scores
}

// plainResult is a Result without its JSON methods.
type plainResult Result

// resultJSON is a result in JSON: the score may be missing or null, and so may those of
// pillars.
type resultJSON struct {
	plainResult

	ShipScore jsontext.Value  `json:"ship_score,omitzero"`
	Pillars   map[string]*int `json:"pillars,omitzero"`
}

// MarshalJSON returns the fields that are set and the score.
func (r Result) MarshalJSON() ([]byte, error) {
	out := resultJSON{plainResult: plainResult(r), ShipScore: strconv.AppendInt(nil, int64(r.ShipScore), 10), Pillars: r.pillars()}
	if score, given := r.Extra["ship_score"]; given && score == nil {
		out.ShipScore = jsontext.Value("null")
	}
	return encodeControl(out), nil
}

// UnmarshalJSON accepts what the control API accepts. A missing score is 0.
func (r *Result) UnmarshalJSON(raw []byte) error {
	var in resultJSON
	err := decodeMembers(raw, &in)
	if err == nil {
		*r, err = in.result(0)
	}
	return err
}

// scoreOf are scores that have a verdict.
var scoreOf = map[string]int{"strong_no": 25, "no": 50, "yes": 70, "strong_yes": 88}

// world returns the result of the live data. A missing score is absent.
func (in *resultJSON) world(absent int) (world.Result, error) {
	r, err := in.result(absent)
	if err != nil {
		return world.Result{}, err
	}
	return r.world()
}

// result returns the result. A missing score fits the verdict, or is absent without one.
func (in *resultJSON) result(absent int) (Result, error) {
	r := Result(in.plainResult)
	r.Pillars = make(map[string]int, len(in.Pillars))
	for id, score := range in.Pillars {
		r.Pillars[id] = *cmp.Or(score, new(NoScore))
	}
	r.ShipScore = absent
	if score, ok := scoreOf[r.Verdict]; ok {
		r.ShipScore = score
	}
	switch kind := in.ShipScore.Kind(); kind {
	case 0: // Not given.
	case 'n':
		extra := map[string]any{"ship_score": nil}
		maps.Copy(extra, r.Extra)
		r.Extra = extra
	default:
		score, err := strconv.Atoi(string(in.ShipScore))
		if err != nil {
			return r, inputError{"ship_score", "give a whole number or null"}
		}
		r.ShipScore = score
		if usual, ok := scoreOf[r.Verdict]; ok && (usual-score > 40 || score-usual > 40) {
			return r, inputError{"verdict", fmt.Sprintf("%s does not fit a score of %d: leave one out, or set the verdict in extra", r.Verdict, score)}
		}
	}
	return r, nil
}
