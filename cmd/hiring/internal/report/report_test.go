package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// hostile is a name that attacks a page and a terminal.
const hostile = `<script>alert(1)</script>" onload="x' & ` + "\x1b[2J\u202e\u2066\u0085\u200b"

// evil returns a report in which every text is hostile.
func evil(t *testing.T) hiring.Submission {
	t.Helper()
	quoted, err := json.Marshal(hostile)
	require.NoError(t, err)
	text := strings.ReplaceAll(`{
		"candidate": {"name": %, "email": %}, "challenge": {"name": %}, "status": %,
		"report": {"evaluated": true, "ship_score": 70, "verdict": %, "verdict_label": %, "confidence": %, "summary": %, "scored_as_role": %,
			"pillars": [{"id": "craft", "label": %, "score": 300, "summary": %, "not_assessed": [%]}, {"id": "rigor", "label": "Rigor", "score": 40, "low_confidence": true}],
			"strengths": [%, {"title": %, "deep": {"a": [%, 1, null, true]}}], "flags": [%], "interview_questions": [{"x": %}],
			"tasks": [%], "scope_exclusions": [%], "integrity_status": %, "pipeline_rank": {"rank": 1, "total": 2}, "facts": {}}}`, "%", string(quoted))
	var s hiring.Submission
	require.NoError(t, json.Unmarshal([]byte(text), &s))
	return s
}

func TestPageEscapesHostileContent(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	require.NoError(t, WriteHTML(&page, Of(evil(t))))
	text := page.String()
	assert.NotContains(t, text, "<script")
	assert.NotContains(t, text, `" onload`)
	assert.NotContains(t, text, "\x1b")
	for _, invisible := range []string{"\u202e", "\u2066", "\u0085", "\u200b"} {
		assert.NotContains(t, text, invisible, "%q", invisible)
	}
	assert.GreaterOrEqual(t, strings.Count(text, "&lt;script&gt;alert(1)"), 15, "what is there is shown")
	assert.Contains(t, text, `style="width: 100%"`, "a bar ends at its end")
	for _, source := range []string{"src=", "href=", "url(", "@import", "http://", "https://"} {
		assert.NotContains(t, text, source, "it needs nothing from anywhere")
	}
}

func TestATextIsCleanAndFitsItsTerminal(t *testing.T) {
	t.Parallel()
	for _, width := range []int{0, 40, 80, 200} {
		var text bytes.Buffer
		require.NoError(t, WriteText(output.Stream{Writer: &text, Width: width}, Of(evil(t))))
		assert.NotContains(t, text.String(), "\x1b")
		assert.Contains(t, text.String(), "Rigor", "with its bar in the other's place")
		assert.Contains(t, text.String(), NotEnoughData)
		assert.NotContains(t, text.String(), " 40", "a score without evidence is not shown")
	}
}

func TestUnfinishedSubmissionsHaveNoScore(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"status": "submitted"}`,
		`{"status": "submitted", "report": {"evaluated": false, "ship_score": 0, "verdict": "no"}}`,
	} {
		var s hiring.Submission
		require.NoError(t, json.Unmarshal([]byte(text), &s))
		var shown, page bytes.Buffer
		require.NoError(t, WriteText(output.Stream{Writer: &shown}, Of(s)))
		require.NoError(t, WriteHTML(&page, Of(s)))
		assert.Equal(t, "Not evaluated yet; the submission is submitted.\n", shown.String())
		assert.Contains(t, page.String(), "Not evaluated yet; the submission is submitted.")
		assert.NotContains(t, page.String(), "score ")
	}
	var s hiring.Submission
	require.NoError(t, json.Unmarshal([]byte(`{"report": {"evaluated": true, "ship_score": null, "verdict": "no"}}`), &s))
	assert.Equal(t, NotEnoughData, Of(s).Score, "evaluated, but without a score: that is no zero")
}
