package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const hostile = `<script>alert("1")</script> & 'Co' </title></svg>{{.}}`

// people are candidates with each kind of result.
var people = []struct {
	name   string
	result *sandbox.Result // Nil: not finished.
}{
	{"Ada", result(91, "high", "correctness", 95, "craft", 90, "ai_fluency", 88, "rigor", 91)},
	{"Grace", result(74, "medium", "correctness", 80, "craft", 70, "ai_fluency", 75, "rigor", 71)},
	{"Edsger", result(0, "high", "correctness", 0, "craft", 12, "ai_fluency", 5, "rigor", 3)},
	{"Barbara", result(62, "low", "correctness", 60)},
	{hostile, &sandbox.Result{
		ShipScore: 55, Pillars: map[string]int{"correctness": 50, "craft": 58, "rigor": 57}, LowConfidence: []string{"rigor"},
		Confidence: "<b>very</b>", IntegrityStatus: "flagged", Extra: map[string]any{"verdict_label": "<i>maybe</i>"},
	}},
	{"Tony", &sandbox.Result{ShipScore: 1, Confidence: "low", Extra: map[string]any{"ship_score": nil}}},
	{"Leslie", nil},
	{"Niklaus", nil},
}

func result(score int, confidence string, pillars ...any) *sandbox.Result {
	r := sandbox.Result{ShipScore: score, Confidence: confidence, Pillars: make(map[string]int)}
	for i := 0; i < len(pillars); i += 2 {
		r.Pillars[pillars[i].(string)] = pillars[i+1].(int)
	}
	return &r
}

// world returns a server with these candidates.
func world(t *testing.T) (server *sandbox.Server, assessment string) {
	t.Helper()
	now := time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)
	server = sandbox.Start(t, sandbox.WithClock(func() time.Time { return now }))
	assessment = server.AddAssessment("Backend & more <engineers>")
	for _, p := range people {
		evaluate(t, server, assessment, p.name, p.result)
	}
	return server, assessment
}

func evaluate(t *testing.T, server *sandbox.Server, assessment, name string, r *sandbox.Result) {
	t.Helper()
	invitation, err := server.Invite(assessment, "someone@candidates.test", name)
	require.NoError(t, err)
	submission, err := server.Begin(invitation)
	require.NoError(t, err)
	if r != nil {
		require.NoError(t, server.Evaluate(submission, *r))
	}
}

// pageOf returns the page for a client at a fixed time.
func pageOf(t *testing.T, client *hiring.Client, assessment string) (string, results) {
	t.Helper()
	all, err := read(t.Context(), client, assessment)
	require.NoError(t, err)
	all.At = time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)
	text, err := render(all)
	require.NoError(t, err)
	return string(text), all
}
