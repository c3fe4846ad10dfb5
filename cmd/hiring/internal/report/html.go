package report

import (
	"cmp"
	_ "embed" // for the style sheet
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

//go:embed page.css
var style string

// document collects the elements of a page. html/template would add 3 MB, because the
// linker keeps all methods then.
type document struct{ strings.Builder }

// add writes a line. Every text is cleaned as in a table, and escaped for elements and
// quoted attributes.
func (d *document) add(format string, texts ...string) {
	escaped := make([]any, len(texts))
	for i, text := range texts {
		escaped[i] = html.EscapeString(output.Clean(text))
	}
	_, _ = fmt.Fprintf(d, format+"\n", escaped...)
}

// WriteHTML writes a report as one page without scripts, and without fonts or images of
// other servers.
func WriteHTML(w io.Writer, v View) error {
	var d document
	title := cmp.Or(v.Candidate, "Hiring report")
	d.add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")
	d.add(`<meta name="viewport" content="width=device-width, initial-scale=1">`)
	d.add(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`)
	d.add(`<meta name="referrer" content="no-referrer">`)
	d.add("<title>%s</title>", title)
	d.WriteString("<style>\n" + style + "</style>\n</head>\n<body>\n")
	d.add("<h1>%s</h1>", title)
	d.add(`<p class="faint">%s</p>`, join(v.Email, v.Challenge))
	if v.Ready {
		d.body(v)
	} else {
		d.add("<p>Not evaluated yet; the submission is %s.</p>", v.Status)
	}
	d.add("</body>\n</html>")
	_, err := io.WriteString(w, d.String())
	return err
}

func join(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), " · ")
}

func (d *document) body(v View) {
	d.add(`<p class="verdict"><strong>%s</strong> score %s</p>`, v.Verdict, v.Score)
	integrity := ""
	if v.Integrity != "" {
		integrity = "integrity " + v.Integrity
	}
	d.add(`<p class="faint">%s</p>`, join(v.Details, integrity))
	if v.Summary != "" {
		d.add("<p>%s</p>", v.Summary)
	}
	d.add("<table>")
	for _, pillar := range v.Pillars {
		d.pillar(pillar)
	}
	d.add("</table>")
	for _, section := range v.Sections {
		d.section(section)
	}
}

func (d *document) pillar(p Pillar) {
	d.add(`<tr><th scope="row">%s</th><td>`, p.Label)
	if p.Reliable {
		score, width := fmt.Sprint(p.Score), fmt.Sprint(min(max(p.Score, 0), 100))
		d.add(`<div class="row"><div class="track" role="img" aria-label="%s: %s of 100"><div class="fill" style="width: %s%%"></div></div><span>%s</span></div>`,
			p.Label, score, width, score)
	} else {
		d.add(`<em class="faint">%s</em>`, NotEnoughData)
	}
	if p.Summary != "" {
		d.add("<div>%s</div>", p.Summary)
	}
	if p.NotAssessed != "" {
		d.add(`<div class="faint">not assessed: %s</div>`, p.NotAssessed)
	}
	d.add("</td></tr>")
}

func (d *document) section(s Section) {
	d.add("<h2>%s</h2>\n<ul>", s.Title)
	for _, item := range s.Items {
		d.add("<li>%s</li>", item)
	}
	if len(s.Items) == 0 {
		d.add(`<li class="faint">none</li>`)
	}
	d.add("</ul>")
}
