package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the page
	"encoding/base64"
	"html/template"
)

//go:embed page.html
var layout string

//go:embed style.css
var style string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"add": func(a, b int) int { return a + b },
}).Parse(layout))

// page is what the template shows.
type page struct {
	results
	figures

	Title  string
	Style  template.CSS
	Policy string
	Height int // Of the columns' drawing.

	Columns              []column
	AreaBars, Confidents []bar
}

// render makes the whole file. Its policy allows this style and nothing else: no
// script, no picture, no other host, whatever a name tries to smuggle in.
func render(all results) ([]byte, error) {
	sum := sha256.Sum256([]byte(style))
	p := page{
		results: all,
		figures: figuresOf(all.Submissions),
		Title:   all.Assessment.Name,
		Style:   template.CSS(style), //nolint:gosec // it is embedded
		Policy:  "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'",
		Height:  plotTop + plotHeight + 30,
	}
	p.Columns, p.AreaBars, p.Confidents = columns(p.Bins), areaBars(p.Areas), countBars(p.Confidence)
	var text bytes.Buffer
	err := pageTemplate.Execute(&text, p)
	return text.Bytes(), err
}

// Bottom is where the columns stand.
func (p page) Bottom() int { return plotTop + plotHeight }

// Rows is how high a drawing of bars is.
func (p page) Rows(bars []bar) int { return len(bars)*rowHeight + 24 }

// Quarters are the lines of the scale of scores.
func (p page) Quarters() []tick {
	var ticks []tick
	for score := 0; score <= 100; score += 25 {
		ticks = append(ticks, tick{score, labelWidth + along(score)})
	}
	return ticks
}

// tick is a line of a scale.
type tick struct{ Score, X int }
