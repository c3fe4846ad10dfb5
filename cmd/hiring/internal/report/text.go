package report

import (
	"fmt"
	"strings"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

const (
	bar   = 20 // Width of a pillar's bar.
	plain = 80 // Width of text where the stream has no width.
	wide  = 100
)

// page collects the lines of a text.
type page struct {
	strings.Builder

	to    output.Stream
	width int
}

// WriteText writes a report for a terminal or a pipe.
func WriteText(to output.Stream, v View) error {
	p := page{to: to, width: plain}
	if to.Width > 0 {
		p.width = min(to.Width, wide)
	}
	p.heading(v)
	if v.Ready {
		p.verdict(v)
		p.pillars(v.Pillars)
		for _, section := range v.Sections {
			p.section(section)
		}
	}
	_, err := fmt.Fprint(to, p.String())
	return err
}

func (p *page) line(text string) { p.WriteString(strings.TrimRight(text, " ") + "\n") }

// flow writes a styled text in lines of the page's width.
func (p *page) flow(text string) {
	for _, line := range output.Wrap(text, p.width) {
		p.line(line)
	}
}

func (p *page) heading(v View) {
	if v.Candidate != "" || v.Email != "" {
		p.flow(p.to.Paint(output.Bold, output.Clean(v.Candidate)) + "  " + output.Clean(v.Email))
	}
	if v.Challenge != "" {
		p.line(p.to.Paint(output.Faint, output.Clean(v.Challenge)))
	}
	if !v.Ready {
		p.line("Not evaluated yet; the submission is " + output.Clean(v.Status) + ".")
	}
}

func (p *page) verdict(v View) {
	p.line("")
	style := output.Green
	if v.LowConfidence {
		style = output.Yellow
	}
	p.flow(p.to.Paint(output.Bold, output.Clean(v.Verdict)) + "  score " + p.to.Paint(style, v.Score) + "  " + output.Clean(v.Details))
	if v.Integrity != "" {
		p.line("Integrity: " + p.to.Paint(output.StyleOf(v.Integrity), output.Clean(v.Integrity)))
	}
	if v.Summary != "" {
		p.wrapped("", v.Summary)
	}
}

// pillars writes a bar for each pillar. A pillar without enough evidence has no bar and no
// zero.
func (p *page) pillars(pillars []Pillar) {
	p.line("")
	width := 0
	for _, pillar := range pillars {
		width = max(width, output.Width(output.Clean(pillar.Label)))
	}
	indent := strings.Repeat(" ", width+2)
	for _, pillar := range pillars {
		label := output.Clean(pillar.Label)
		label += strings.Repeat(" ", width-output.Width(label)) + "  "
		if pillar.Reliable {
			p.line(label + p.to.Paint(output.Cyan, output.Bar(float64(pillar.Score)/100, bar)) + fmt.Sprintf("  %3d", pillar.Score))
		} else {
			p.line(label + p.to.Paint(output.Faint, NotEnoughData))
		}
		if pillar.Summary != "" {
			p.wrapped(indent, pillar.Summary)
		}
		if pillar.NotAssessed != "" {
			p.wrapped(indent, "not assessed: "+pillar.NotAssessed)
		}
	}
}

func (p *page) section(s Section) {
	p.line("")
	p.line(p.to.Paint(output.Bold, s.Title))
	if len(s.Items) == 0 {
		p.line("  " + p.to.Paint(output.Faint, "none"))
	}
	for _, item := range s.Items {
		p.wrapped("  - ", item)
	}
}

// wrapped writes a text in lines of the page's width. The first line has the prefix, the
// others are indented by its width.
func (p *page) wrapped(prefix, text string) {
	space := strings.Repeat(" ", len(prefix))
	for _, line := range output.Wrap(output.Clean(text), max(p.width-len(prefix), plain/4)) {
		p.line(prefix + line)
		prefix = space
	}
}
