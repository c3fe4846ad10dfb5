package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

const (
	pillarBar   = 20 // Width of the bar of a pillar.
	plainWidth  = 80 // Width of a report where the stream has no width.
	widestTexts = 100
)

// notEnoughData is shown instead of a score without enough evidence, which is not a zero.
const notEnoughData = "not enough data"

// reportText collects the lines of a report.
type reportText struct {
	strings.Builder

	to    output.Stream
	width int
}

func newReportText(to output.Stream) reportText {
	return reportText{to: to, width: min(cmp.Or(to.Width, plainWidth), widestTexts)}
}

// showReport writes the report of a submission for people.
func showReport(p *output.Printer, s hiring.Submission) error {
	t := newReportText(p.Stream)
	t.flow("", strings.TrimSpace(p.Paint(output.Bold, output.Clean(s.Candidate.Name))+"  "+output.Clean(s.Candidate.Email)))
	t.flow("", p.Paint(output.Faint, output.Clean(s.Challenge.Name)))
	switch {
	case s.Report.Ready():
		t.report(*s.Report)
	case s.Status == hiring.SubmissionEvaluated:
		t.flow("", "The submission is evaluated, but its report is not ready yet.")
	default:
		t.flow("", "Not evaluated yet; the submission is "+output.Clean(string(s.Status))+".")
	}
	_, err := io.WriteString(p, t.String())
	return err
}

func (t *reportText) report(r hiring.Report) {
	score, style := notEnoughData, output.Green
	if n, ok := r.Score(); ok {
		score = strconv.Itoa(n)
	}
	if r.Confidence == hiring.ConfidenceLow {
		style = output.Yellow
	}
	verdict := output.Clean(cmp.Or(r.VerdictLabel, string(r.Verdict)))
	t.WriteByte('\n')
	t.flow("", t.to.Paint(output.Bold, verdict)+"  score "+t.to.Paint(style, score)+"  "+output.Clean(reportDetails(r)))
	if integrity := string(r.IntegrityStatus); integrity != "" {
		t.flow("", "Integrity: "+t.to.Paint(output.StyleOf(integrity), output.Clean(integrity)))
	}
	t.flow("", output.Clean(r.Summary))
	t.pillars(r.Pillars)
	t.section("Strengths", listed(r.Strengths), true)
	t.section("Flags", listed(r.Flags), true)
	t.section("Interview questions", listed(r.InterviewQuestions), true)
	t.section("Tasks", listed(r.Tasks), false)
	t.section("Not in scope", listed(r.ScopeExclusions), false)
	t.section("Facts", reportFacts(r.Facts), true)
}

// flow writes a text in lines of the width of the report. The first line has the prefix,
// the others are indented by its width. An empty text has no line.
func (t *reportText) flow(prefix, text string) {
	if text == "" {
		return
	}
	for _, line := range output.Wrap(text, max(t.width-len(prefix), plainWidth/4)) {
		t.WriteString(strings.TrimRight(prefix+line, " ") + "\n")
		prefix = strings.Repeat(" ", len(prefix))
	}
}

// pillars writes a bar for each pillar with a reliable score.
func (t *reportText) pillars(pillars []hiring.Pillar) {
	t.WriteByte('\n')
	width := 0
	for _, pillar := range pillars {
		width = max(width, output.Width(output.Clean(pillar.Label)))
	}
	indent := strings.Repeat(" ", width+2)
	for _, pillar := range pillars {
		label := output.Clean(pillar.Label)
		t.WriteString(label + indent[output.Width(label):])
		if score, ok := pillar.ReliableScore(); ok {
			_, _ = fmt.Fprintf(t, "%s  %3d\n", t.to.Paint(output.Cyan, output.Bar(float64(score)/100, pillarBar)), score)
		} else {
			t.WriteString(t.to.Paint(output.Faint, notEnoughData) + "\n")
		}
		t.flow(indent, output.Clean(pillar.Summary))
		if len(pillar.NotAssessed) > 0 {
			t.flow(indent, output.Clean("not assessed: "+strings.Join(pillar.NotAssessed, ", ")))
		}
	}
}

// section writes a list with a title. always writes it also when the list is empty.
func (t *reportText) section(title string, items []string, always bool) {
	if len(items) == 0 && !always {
		return
	}
	t.WriteString("\n" + t.to.Paint(output.Bold, title) + "\n")
	for _, item := range items {
		t.flow("  - ", output.Clean(item))
	}
	if len(items) == 0 {
		t.WriteString("  " + t.to.Paint(output.Faint, "none") + "\n")
	}
}

func reportDetails(r hiring.Report) string {
	var parts []string
	if r.Confidence != "" {
		parts = append(parts, "confidence "+string(r.Confidence))
	}
	if r.ScoredAsRole != nil {
		parts = append(parts, "scored as "+*r.ScoredAsRole)
	}
	if r.PipelineRank != nil {
		parts = append(parts, fmt.Sprintf("rank %d of %d", r.PipelineRank.Rank, r.PipelineRank.Total))
	}
	if r.Percentile != nil {
		parts = append(parts, "percentile "+decimal(*r.Percentile))
	}
	return strings.Join(parts, ", ")
}

func reportFacts(f hiring.Facts) []string {
	var all []string
	if f.TimeUsedMinutes != nil {
		all = append(all, fmt.Sprintf("%s of %d minutes used", decimal(*f.TimeUsedMinutes), f.TimeAllottedMinutes))
	}
	all = append(all, fmt.Sprintf("$%.2f of $%.2f spent on AI", f.BudgetUsedDollars, f.BudgetAllottedDollars), fmt.Sprintf("%d exchanges with the AI", f.AIExchangeCount))
	if f.AIAuthoredPct != nil {
		all = append(all, decimal(*f.AIAuthoredPct)+" % written by the AI")
	}
	if f.ChurnPct != nil {
		all = append(all, decimal(*f.ChurnPct)+" % churn")
	}
	return all
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// listed returns the elements of a list as texts. The API does not document the elements:
// they may be texts or objects.
func listed(values []hiring.RawValue) []string {
	var all []string
	for _, value := range values {
		var decoded any
		_ = json.Unmarshal(value, &decoded) // It stays nil for a value that is not valid.
		if text := asText(decoded); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// titles are the members of an object that say what it is.
var titles = []string{"name", "question", "task_key", "text", "title"} //nolint:gochecknoglobals // a constant table

// asText returns a value as text. The members of an object follow in the order of their
// names, after the one that is its title.
func asText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case float64:
		return decimal(v)
	case map[string]any:
		head, others := "", []string(nil)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch text := asText(v[name]); {
			case text == "":
			case head == "" && slices.Contains(titles, name):
				head = text
			default:
				others = append(others, strings.ReplaceAll(name, "_", " ")+" "+text)
			}
		}
		if head != "" && others != nil {
			return head + " (" + strings.Join(others, ", ") + ")"
		}
		return head + strings.Join(others, ", ")
	}
	return fmt.Sprint(value)
}
