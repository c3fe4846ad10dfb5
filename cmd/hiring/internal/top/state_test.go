package top

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

var noon = time.Date(2026, time.March, 15, 12, 0, 0, 0, time.UTC)

// TestStagesCount: each stage counts in those before it, and the times count more than the
// status, which may be unknown.
func TestStagesCount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		invitation hiring.Invitation
		want       Stages
	}{
		"sent":                       {hiring.Invitation{Status: hiring.InvitationSent}, Stages{Invited: 1}},
		"opened":                     {hiring.Invitation{Status: hiring.InvitationOpened}, Stages{1, 1, 0, 0, 0}},
		"started":                    {hiring.Invitation{Status: hiring.InvitationStarted}, Stages{1, 1, 1, 0, 0}},
		"evaluated":                  {hiring.Invitation{Status: hiring.InvitationEvaluated}, Stages{1, 1, 1, 1, 1}},
		"started and handed in":      {hiring.Invitation{Status: hiring.InvitationStarted, SubmittedAt: &noon}, Stages{1, 1, 1, 1, 0}},
		"sent, but opened at a time": {hiring.Invitation{Status: hiring.InvitationSent, OpenedAt: &noon}, Stages{1, 1, 0, 0, 0}},
		"revoked after the start":    {hiring.Invitation{Status: "revoked", StartedAt: &noon}, Stages{1, 1, 1, 0, 0}},
		"unknown":                    {hiring.Invitation{Status: "paused"}, Stages{Invited: 1}},
	} {
		var got Stages
		got.Count(c.invitation)
		assert.Equal(t, c.want, got, name)
	}
}

func TestSumOfAllAssessments(t *testing.T) {
	t.Parallel()
	state := State{Stages: map[string]Stages{"a": {5, 4, 3, 2, 1}, "b": {10, 8, 6, 4, 2}}}
	assert.Equal(t, Stages{15, 12, 9, 6, 3}, state.Sum())
	assert.Equal(t, Stages{}, (&State{}).Sum())
}

func evaluated(name string, at time.Time) hiring.Submission {
	return hiring.Submission{Candidate: hiring.Candidate{Name: name}, EvaluatedAt: &at}
}

// TestLatestResults: the newest results come first, in whatever order they arrive, and
// only some are kept. Without a time of evaluation, the time of creation counts.
func TestLatestResults(t *testing.T) {
	t.Parallel()
	var state State
	state.add(evaluated("second", noon))
	state.add(evaluated("last", noon.Add(-time.Hour)))
	state.add(evaluated("first", noon.Add(time.Hour)))
	state.add(hiring.Submission{Candidate: hiring.Candidate{Name: "third"}, CreatedAt: noon.Add(-time.Minute)})
	state.add(evaluated("second too", noon))
	var names []string
	for _, result := range state.Latest {
		names = append(names, result.Candidate.Name)
	}
	assert.Equal(t, []string{"first", "second", "second too", "third", "last"}, names)
	for i := range 2 * keptResults {
		state.add(evaluated(fmt.Sprint(i), noon.Add(time.Duration(i)*time.Minute)))
	}
	assert.Len(t, state.Latest, keptResults)
	assert.Equal(t, fmt.Sprint(2*keptResults-1), state.Latest[0].Candidate.Name)
}

// TestRequestsOfTheLastHour: a request that is exactly an hour old still counts.
func TestRequestsOfTheLastHour(t *testing.T) {
	t.Parallel()
	var state State
	for _, c := range []struct {
		at   time.Duration
		want int
	}{{0, 1}, {0, 2}, {30 * time.Minute, 3}, {time.Hour, 4}, {time.Hour + 1, 3}, {90*time.Minute + 1, 3}, {5 * time.Hour, 1}} {
		state.request(noon.Add(c.at))
		assert.Len(t, state.Requests, c.want, "%s", c.at)
	}
}

// TestScreen: no line is wider than the terminal, an unreliable score is not shown, and
// names have no control characters.
func TestScreen(t *testing.T) {
	t.Parallel()
	score := 57
	thin := evaluated("Ada\x1b[31m\nroot# "+strings.Repeat("日本", 40), noon)
	thin.Report = &hiring.Report{ShipScore: &score, VerdictLabel: "No", Evaluated: false}
	sure := evaluated("Bob", noon.Add(time.Minute))
	sure.Report = &hiring.Report{ShipScore: &score, VerdictLabel: "Strong yes", Evaluated: true}
	state := &State{Title: "Acme", Assessments: 2, Stages: map[string]Stages{"a": {4, 2, 1, 0, 0}}, Listed: noon, Problem: strings.Repeat("trouble ", 30)}
	state.add(thin)
	state.add(sure)
	state.Quota.Read = hiring.RateLimit{Limit: 1000, Remaining: 100, Reset: noon}
	for width := 20; width <= 120; width += 20 {
		screen := Screen{Width: width, Height: 24, Zone: time.UTC}
		for line := range strings.Lines(screen.Render(state)) {
			assert.LessOrEqual(t, ansi.StringWidth(strings.TrimSuffix(line, "\n")), width, "%q", line)
			assert.NotContains(t, line, "\x1b")
		}
	}
	text := Screen{Width: 120, Height: 24, Zone: time.UTC}.Render(state)
	for _, want := range []string{
		"1 of 2 assessments, as of 12:00 UTC", "  invited    ██████████████████████████████     4\n", "  opened     ███████████████░░░░░░░░░░░░░░░     2\n",
		"03-15 12:01 UTC   57  Strong yes    Bob", "03-15 12:00 UTC    –  No", "100 of 1000 left until 12:00 UTC", "writes not known", "0 requests in the last hour",
	} {
		assert.Contains(t, text, want)
	}
	assert.Less(t, strings.Index(text, "Bob"), strings.Index(text, "Ada"))
	low := Screen{Style: output.Stream{Color: true}, Width: 120, Height: 24, Zone: time.UTC}.Render(state)
	assert.Contains(t, low, "\x1b["+string(output.Red)+"m██░", "little is left")
	assert.Contains(t, Screen{Width: 80, Height: 3, Zone: time.UTC}.Render(&State{}), "none yet")
}
