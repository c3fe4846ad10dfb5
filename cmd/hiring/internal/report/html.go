package report

import (
	_ "embed" // for the page
	"html/template"
	"io"
)

//go:embed page.html
var pageText string

// WriteHTML writes a report as one page that needs nothing else: no script, no
// font, no picture from anywhere.
func WriteHTML(w io.Writer, v View) error {
	page, err := template.New("report").Funcs(template.FuncMap{
		"notEnough": func() string { return NotEnoughData },
		"percent":   func(score int) int { return min(max(score, 0), 100) },
	}).Parse(pageText)
	if err != nil {
		return err
	}
	return page.Execute(w, v)
}
