package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// pillars are the four pillars of a report.
var pillars = []choice{
	{string(hiring.PillarCorrectness), "Correctness"}, {string(hiring.PillarCraft), "Craft"},
	{string(hiring.PillarAIFluency), "AI Fluency"}, {string(hiring.PillarRigor), "Rigor"},
}

// report is a report as the client decodes it, and its JSON.
type report struct {
	hiring.Report

	JSON        string
	DecodeError string // Error of the client's decoder; empty for none.
	Lists       []reportList
}

// reportList is one of the report's lists of values.
type reportList struct {
	Name  string
	Items []string
}

// reportOf decodes a report as the client does.
func reportOf(raw []byte) *report {
	var r report
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "", "  "); err != nil {
		r.DecodeError = err.Error()
	}
	r.JSON = indented.String()
	if err := json.Unmarshal(raw, &r.Report); err != nil {
		r.DecodeError = err.Error()
	}
	for _, list := range []struct {
		name  string
		items []hiring.RawValue
	}{{"strengths", r.Strengths}, {"flags", r.Flags}, {"interview_questions", r.InterviewQuestions}, {"scope_exclusions", r.ScopeExclusions}} {
		if len(list.items) > 0 {
			r.Lists = append(r.Lists, reportList{list.name, texts(list.items)})
		}
	}
	return &r
}

// texts formats values of any shape.
func texts(values []hiring.RawValue) []string {
	all := make([]string, len(values))
	for i, value := range values {
		raw, err := json.Marshal(value)
		if err != nil || json.Unmarshal(raw, &all[i]) != nil {
			all[i] = string(raw)
		}
	}
	return all
}

func (c *console) evaluate(r *http.Request) (string, error) {
	result, err := resultOf(r.PostForm)
	if err != nil {
		return "", err
	}
	return nextPage(r, "evaluated"), c.server.Evaluate(r.PostForm.Get("submission"), result)
}

// resultOf parses the form of a report.
func resultOf(form url.Values) (sandbox.Result, error) {
	text := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	result := sandbox.Result{
		Verdict: text("verdict"), Summary: text("summary"), Confidence: text("confidence"), IntegrityStatus: text("integrity_status"),
		LowConfidence: form["low_confidence"], Pillars: make(map[string]int),
	}
	var err error
	if result.ShipScore, err = strconv.Atoi(text("ship_score")); err != nil {
		return result, errors.New("the ship score must be a whole number from 0 to 100")
	}
	for _, p := range pillars {
		score := text(p.ID)
		if score == "" {
			continue // A null score.
		}
		if result.Pillars[p.ID], err = strconv.Atoi(score); err != nil {
			return result, fmt.Errorf("the score of %s must be a whole number from 0 to 100, or empty", p.ID)
		}
	}
	if extra := text("extra"); extra != "" {
		if err := json.Unmarshal([]byte(extra), &result.Extra); err != nil {
			return result, fmt.Errorf("further members must be a JSON object: %w", err)
		}
	}
	return result, nil
}
