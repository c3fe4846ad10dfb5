package main

import (
	"fmt"

	hiring "github.com/hiring-assessment/hiring-go"
)

// The drawings are 640 wide. A table next to each has the same numbers.
const (
	chartWidth = 640
	plotLeft   = 40  // Of the columns.
	plotTop    = 24  // Room for the numbers on top.
	plotHeight = 180 // Of the highest column.
	labelWidth = 120 // Left of the bars.
	barWidth   = 440 // Of 100, or of the longest bar.
	rowHeight  = 40
)

// rect is a part of a drawing.
type rect struct{ X, Y, W, H int }

// column is a bin of the distribution: those with thin evidence stand on top.
type column struct {
	Sure, Thin rect
	Number     string // On top; empty when there is none.
	NumberY    int
	Center     int
	Label      string
}

// columns draws the distribution.
func columns(bins []bin) []column {
	most := 1
	for _, b := range bins {
		most = max(most, b.Sure+b.Thin)
	}
	step := (chartWidth - plotLeft) / max(1, len(bins))
	all := make([]column, len(bins))
	for i, b := range bins {
		x := plotLeft + i*step
		sure, both := b.Sure*plotHeight/most, (b.Sure+b.Thin)*plotHeight/most
		c := column{Label: b.Label, Center: x + step/2 - 3}
		c.Sure = rect{x, plotTop + plotHeight - sure, step - 6, sure}
		c.Thin = rect{x, plotTop + plotHeight - both, step - 6, both - sure}
		if b.Sure+b.Thin > 0 {
			c.Number, c.NumberY = fmt.Sprint(b.Sure+b.Thin), c.Thin.Y-6
		}
		all[i] = c
	}
	return all
}

// bar is a line of a chart of bars.
type bar struct {
	Label    string
	Y        int
	Bar      rect
	Half     rect // From the lower to the upper quartile; without width: none.
	Text     string
	TextX    int
	NoData   bool
	Thin     bool
	Baseline int
}

// areaBars draws medians of 100, and where half of the scores lie.
func areaBars(areas []area) []bar {
	all := make([]bar, len(areas))
	for i, a := range areas {
		b := bar{Label: short(a.Label), Y: i * rowHeight, Baseline: i*rowHeight + 24, NoData: a.Scored == 0}
		if b.NoData {
			b.Bar, b.Text, b.TextX = rect{labelWidth, b.Y + 10, barWidth, 20}, noData, labelWidth+10
		} else {
			b.Bar = rect{labelWidth, b.Y + 10, along(a.Median), 20}
			b.Half = rect{labelWidth + along(a.Lower), b.Y + 18, along(a.Upper) - along(a.Lower), 4}
			b.Text, b.TextX = fmt.Sprint(a.Median), labelWidth+barWidth+12
		}
		all[i] = b
	}
	return all
}

// along is how far a score is along a bar. A score beyond the scale ends with it.
func along(score int) int { return min(max(score, 0), 100) * barWidth / 100 }

// countBars draws how many there are of each.
func countBars(counts []count) []bar {
	most := 1
	for _, c := range counts {
		most = max(most, c.N)
	}
	all := make([]bar, len(counts))
	for i, c := range counts {
		length := c.N * barWidth / most
		all[i] = bar{
			Label: short(c.Label), Thin: c.Label == string(hiring.ConfidenceLow), Y: i * rowHeight, Baseline: i*rowHeight + 24,
			Bar:  rect{labelWidth, i*rowHeight + 10, length, 20},
			Text: fmt.Sprint(c.N), TextX: labelWidth + length + 12,
		}
	}
	return all
}

// short shortens a text to fit next to a bar. The table has the whole text.
func short(label string) string {
	const most = 16
	if runes := []rune(label); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return label
}
