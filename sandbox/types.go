package sandbox

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// SinceField is the time of a submission that a listing filters on or is
// ordered by. The API's documentation does not say which one.
type SinceField string

// The times of a submission. A filter never matches a time that is not set yet.
const (
	SinceCreated   SinceField = "created"
	SinceSubmitted SinceField = "submitted"
	SinceEvaluated SinceField = "evaluated"
)

// Result is what grading a submission found. In JSON, report_delay is a number of
// seconds or a text like "8s".
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
		ReportDelay: r.ReportDelay, Pillars: make(map[string]*int, len(r.Pillars)), LowConfidence: append([]string(nil), r.LowConfidence...),
	}
	for id, score := range r.Pillars {
		w.Pillars[id] = nil
		if score != NoScore {
			w.Pillars[id] = &score
		}
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

// Timeline moves the candidates of the live data without calls.
//
// Each duration counts from the previous step, the first from the sending of
// the invitation. The server's clock counts. A step has the time at which it was
// due, whenever the server receives its next request.
//
// A step without a duration happens together with the previous one. The last
// step with a duration ends the timeline: Timeline{Open: time.Hour} only opens.
// With Polls, the evaluation comes after that many reads of a submitted
// submission: of the submission, of its report, or of the first page of
// submissions with the status evaluated. The next read shows it.
//
// Calls such as [Server.Open] can be mixed with a timeline: the next step counts
// from the call. A step that is impossible ends the timeline, for example when
// the invitation was revoked or the assessment is closed.
type Timeline struct {
	Open     time.Duration `json:"open"`
	Begin    time.Duration `json:"begin"`
	Submit   time.Duration `json:"submit"`
	Evaluate time.Duration `json:"evaluate"`
	Polls    int           `json:"polls"`
}

// Mail is an invitation e-mail that the live data sent.
type Mail struct {
	InvitationID string
	AssessmentID string
	Organization string
	Email        string
	Name         string
	Resent       bool // Whether a resend sent it.
	At           time.Time
}
