package top

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

const (
	stageBar = 30
	gauge    = 16
	// The lines that do not show results.
	reserved = 15
)

// Screen renders the state for a terminal of some size.
type Screen struct {
	Style         output.Stream // Says whether colors are used.
	Width, Height int
	Zone          *time.Location
}

// Render returns the lines of the screen.
func (s Screen) Render(state *State) string {
	title := s.Style.Paint(output.Bold, "hiring top") + "  " + output.Clean(state.Title)
	empty := []string{""}
	lines := slices.Concat([]string{title}, empty, s.pipeline(state), empty, s.results(state), empty, s.cost(state))
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, s.Width, "…")
	}
	return strings.Join(lines, "\n")
}

func (s Screen) pipeline(state *State) []string {
	note := "not listed yet"
	if !state.Listed.IsZero() {
		note = fmt.Sprintf("%d of %d assessments, as of %s", len(state.Stages), state.Assessments, state.Listed.In(s.Zone).Format("15:04 MST"))
	}
	lines := []string{s.Style.Paint(output.Bold, "Pipeline") + "  " + s.Style.Paint(output.Faint, note)}
	sum := state.Sum()
	for _, stage := range []struct {
		name string
		n    int
	}{{"invited", sum.Invited}, {"opened", sum.Opened}, {"started", sum.Started}, {"submitted", sum.Submitted}, {"evaluated", sum.Evaluated}} {
		part := float64(stage.n) / float64(max(sum.Invited, 1))
		lines = append(lines, fmt.Sprintf("  %-10s %s %5d", stage.name, s.Style.Paint(output.Cyan, output.Bar(part, stageBar)), stage.n))
	}
	return lines
}

func (s Screen) results(state *State) []string {
	lines := []string{s.Style.Paint(output.Bold, "Latest results")}
	if len(state.Latest) == 0 {
		return append(lines, "  "+s.Style.Paint(output.Faint, "none yet"))
	}
	for _, result := range state.Latest[:min(len(state.Latest), max(s.Height-reserved, 1))] {
		lines = append(lines, "  "+s.result(result))
	}
	return lines
}

func (s Screen) result(submission hiring.Submission) string {
	score, verdict := "  –", "" // Not a zero when there is not enough data.
	if n, ok := submission.Report.Score(); ok {
		score = fmt.Sprintf("%3d", n)
	}
	if submission.Report != nil {
		verdict = output.Clean(submission.Report.VerdictLabel)
	}
	return fmt.Sprintf("%s  %s  %s  %s  %s", evaluatedAt(submission).In(s.Zone).Format("01-02 15:04 MST"), score,
		pad(verdict, 12), pad(output.Clean(submission.Candidate.Name), 24), s.Style.Paint(output.Faint, output.Clean(submission.Challenge.Name)))
}

func pad(text string, width int) string {
	text = ansi.Truncate(text, width, "…")
	return text + strings.Repeat(" ", width-ansi.StringWidth(text))
}

func (s Screen) cost(state *State) []string {
	lines := []string{
		s.Style.Paint(output.Bold, "Quota") + "  reads  " + s.gauge(state.Quota.Read),
		"       writes " + s.gauge(state.Quota.Write),
		fmt.Sprintf("%d requests in the last hour; q quits", len(state.Requests)),
	}
	if state.Problem != "" {
		lines = append(lines, s.Style.Paint(output.Red, output.Clean(state.Problem)))
	}
	return lines
}

// gauge shows the remaining requests of a rate limit.
func (s Screen) gauge(limit hiring.RateLimit) string {
	if !limit.Known() {
		return s.Style.Paint(output.Faint, "not known")
	}
	part := float64(limit.Remaining) / float64(max(limit.Limit, 1))
	style := output.Green
	if part < 0.2 {
		style = output.Red
	}
	return fmt.Sprintf("%s %d of %d left until %s", s.Style.Paint(style, output.Bar(part, gauge)), limit.Remaining, limit.Limit,
		limit.Reset.In(s.Zone).Format("15:04 MST"))
}
