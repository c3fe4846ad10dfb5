package benchmarks

import (
	"bytes"
	"fmt"
	"image/color"
	"os"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// line is a way to wait as the figure shows it.
type line struct {
	name  string
	way   string
	on    sandbox.SinceField
	color color.RGBA
	mark  draw.GlyphDrawer
	dash  []vg.Length
}

// lines are the rivals, and then what the client does.
var lines = []line{
	{"each report every 30 s", naiveReads, sandbox.SinceCreated, color.RGBA{R: 0xb3, G: 0x5c, A: 0xff}, draw.BoxGlyph{}, []vg.Length{4, 3}},
	{"the same, paced to the quota", slowReads, sandbox.SinceCreated, color.RGBA{R: 0x80, G: 0x80, B: 0x80, A: 0xff}, draw.PyramidGlyph{}, []vg.Length{4, 3}},
	{"WaitReports, since on creation", waitReports, sandbox.SinceCreated, color.RGBA{G: 0x5a, B: 0xb5, A: 0xff}, draw.CircleGlyph{}, nil},
	{"WaitReports, since on evaluation", waitReports, sandbox.SinceEvaluated, color.RGBA{G: 0x8a, B: 0x4a, A: 0xff}, draw.CircleGlyph{}, nil},
}

// picture draws how late reports are and what that costs, beside each other, on white.
func picture(rows []row, path string) error {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	late, err := panel(rows, lines[:2], "From evaluation to delivery, 95th percentile", func(r *row) float64 { return max(1, r.quantile(0.95).Seconds()) })
	if err != nil {
		return err
	}
	late.Y.Min, late.Y.Max, late.Y.Scale = 10, 2*3600, plot.LogScale{}
	late.Y.Tick.Marker = ticks([]float64{10, 30, 60, 300, 900, 3600}, brief)
	cost, err := panel(rows, lines[2:], "Requests an hour, of 1,000", func(r *row) float64 { return r.average() })
	if err != nil {
		return err
	}
	cost.Y.Min, cost.Y.Max = 0, 1100
	cost.Y.Tick.Marker = ticks([]float64{0, 200, 400, 600, 800, 1000}, thousands)
	return save(path, late, cost)
}

// save puts two plots beside each other, and below them half of the legend each.
func save(path string, plots ...*plot.Plot) error {
	const width, height, below, edge = 12.5 * vg.Centimeter, 10 * vg.Centimeter, 1.5 * vg.Centimeter, 0.3 * vg.Centimeter
	canvas := vgsvg.New(2*width, height)
	whole := draw.New(canvas)
	whole.FillPolygon(color.White, []vg.Point{{}, {X: 2 * width}, {X: 2 * width, Y: height}, {Y: height}})
	for i, p := range plots {
		legend := p.Legend
		legend.Left, legend.Top, legend.Padding = true, true, vg.Points(3)
		p.Legend = plot.NewLegend()
		half := draw.Crop(whole, vg.Length(i)*width+edge, vg.Length(i-1)*width-edge, edge, -edge)
		p.Draw(draw.Crop(half, 0, 0, below, 0))
		legend.Draw(draw.Crop(half, 2*vg.Centimeter, 0, 0, below-half.Size().Y))
	}
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return err
	}
	// Not everybody has the font.
	svg := bytes.ReplaceAll(text.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif"))
	return os.WriteFile(path, svg, 0o600)
}

// panel plots a value over the number of submissions. Its legend names some lines.
func panel(rows []row, named []line, title string, value func(*row) float64) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.Title.Padding = title, vg.Points(8)
	p.X.Label.Text = "submissions waiting"
	p.X.Scale, p.X.Min, p.X.Max = plot.LogScale{}, 0.8, 12_500
	p.X.Tick.Marker = ticks([]float64{1, 10, 100, 1000, 10_000}, thousands)
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color, grid.Horizontal.Dashes = color.Gray{0xdd}, nil
	p.Add(grid)
	p.BackgroundColor = color.Transparent
	for _, l := range lines {
		var points plotter.XYs
		for i := range rows {
			if r := &rows[i]; r.way == l.way && r.on == l.on {
				points = append(points, plotter.XY{X: float64(r.size), Y: value(r)})
			}
		}
		stroke, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		stroke.Color, stroke.Width, stroke.Dashes = l.color, vg.Points(1.8), l.dash
		marks.Color, marks.Shape, marks.Radius = l.color, l.mark, vg.Points(3)
		p.Add(stroke, marks)
		if slices.ContainsFunc(named, func(n line) bool { return n.name == l.name }) {
			p.Legend.Add(l.name, stroke, marks)
		}
	}
	return p, nil
}

func ticks(at []float64, label func(float64) string) plot.ConstantTicks {
	var all plot.ConstantTicks
	for _, value := range at {
		all = append(all, plot.Tick{Value: value, Label: label(value)})
	}
	return all
}

func thousands(n float64) string {
	if n < 1000 {
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%d,%03d", int(n)/1000, int(n)%1000)
}

func brief(seconds float64) string {
	d := time.Duration(seconds) * time.Second
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}
