package sandbox

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func getReport(c *call) reply {
	found := c.world.Submissions().Find(c.params[0])
	if found == nil {
		return c.notFound()
	}
	var p problems
	if c.query.Has("format") {
		switch c.query.Get("format") {
		case "json":
		case "pdf":
			p.add("format", "PDF reports are not implemented.")
		default:
			p.add("format", "Expected json or pdf.")
		}
	}
	if p.any() {
		return c.invalid(p)
	}
	r := c.data(http.StatusOK, appendReport(nil, found))
	c.world.Polled(found)
	return r
}

var reportShape = &shape{
	null: []string{"scored_as_role"},
	open: map[string]string{
		"status": " started submitted ", "verdict": anyValue, "confidence": anyValue, "integrity_status": anyValue,
	},
	in: map[string]*shape{
		"pillars":       {null: []string{"score"}},
		"facts":         {null: []string{"time_used_minutes", "ai_authored_pct", "churn_pct"}},
		"pipeline_rank": {},
	},
}

type wireReport struct {
	SubmissionID       string            `json:"submission_id"`
	Status             string            `json:"status"`
	Evaluated          bool              `json:"evaluated"`
	ShipScore          *int              `json:"ship_score"`
	Verdict            string            `json:"verdict"`
	VerdictLabel       string            `json:"verdict_label"`
	Confidence         string            `json:"confidence"`
	Summary            string            `json:"summary"`
	ScoredAsRole       *string           `json:"scored_as_role"`
	Pillars            []wirePillar      `json:"pillars"`
	Strengths          []json.RawMessage `json:"strengths"`
	Flags              []json.RawMessage `json:"flags"`
	InterviewQuestions []json.RawMessage `json:"interview_questions"`
	Facts              wireFacts         `json:"facts"`
	ScopeExclusions    []json.RawMessage `json:"scope_exclusions"`
	IntegrityStatus    string            `json:"integrity_status"`
	PipelineRank       *wireRank         `json:"pipeline_rank"`
	Percentile         *float64          `json:"percentile,omitempty"`
	Tasks              []json.RawMessage `json:"tasks"`
	GeneratedAt        *world.Moment     `json:"generated_at"`
}

type wirePillar struct {
	ID            string   `json:"id"`
	Label         string   `json:"label"`
	Score         *int     `json:"score"`
	LowConfidence bool     `json:"low_confidence"`
	Summary       string   `json:"summary"`
	NotAssessed   []string `json:"not_assessed"`
}

type wireFacts struct {
	TimeUsedMinutes       *float64 `json:"time_used_minutes"`
	TimeAllottedMinutes   int      `json:"time_allotted_minutes"`
	BudgetUsedDollars     float64  `json:"budget_used_dollars"`
	BudgetAllottedDollars float64  `json:"budget_allotted_dollars"`
	AIAuthoredPct         *float64 `json:"ai_authored_pct"`
	ChurnPct              *float64 `json:"churn_pct"`
	AIExchangeCount       int      `json:"ai_exchange_count"`
}

type wireRank struct {
	Rank  int `json:"rank"`
	Total int `json:"total"`
}

// reportOnWire leaves the rank out.
func reportOnWire(r world.Report) wireReport {
	pillars := make([]wirePillar, len(r.Pillars))
	for i, p := range r.Pillars {
		pillars[i] = wirePillar(p)
	}
	return wireReport{
		SubmissionID: r.SubmissionID, Status: r.Status, Evaluated: r.Evaluated, ShipScore: r.ShipScore,
		Verdict: r.Verdict, VerdictLabel: r.VerdictLabel, Confidence: r.Confidence, Summary: r.Summary, ScoredAsRole: r.ScoredAsRole,
		Pillars: pillars, Strengths: texts(r.Strengths), Flags: texts(r.Flags), InterviewQuestions: texts(r.InterviewQuestions),
		Facts: wireFacts(r.Facts), ScopeExclusions: texts(r.ScopeExclusions), IntegrityStatus: r.IntegrityStatus,
		Percentile: r.Percentile, Tasks: texts(r.Tasks), GeneratedAt: r.GeneratedAt,
	}
}

func texts(all []world.Text) []json.RawMessage {
	raw := make([]json.RawMessage, len(all))
	for i, text := range all {
		raw[i] = json.RawMessage(text)
	}
	return raw
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

func appendReport(b []byte, a *world.Attempt) []byte {
	made := submissionParts(a)
	b = append(b, made.report...)
	if made.after == nil {
		return b
	}
	b = append(b, `"pipeline_rank":`...)
	if rank, ok := a.Rank(); ok {
		b = append(b, `{"rank":`...)
		b = strconv.AppendInt(b, int64(rank.Rank), 10)
		b = append(b, `,"total":`...)
		b = strconv.AppendInt(b, int64(rank.Total), 10)
		b = append(b, '}')
	} else {
		b = append(b, "null"...)
	}
	return append(b, made.after...)
}
