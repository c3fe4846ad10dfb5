package benchmarks

import (
	"fmt"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// draw plots the 95th percentile of each way over the number of submissions.
func draw(runs []*run, path string) error {
	p := plot.New()
	p.Title.Text = "From evaluation to delivery, 95th percentile"
	p.X.Label.Text, p.Y.Label.Text = "submissions waiting", "seconds"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plain{}, plain{}
	p.Legend.Top, p.Legend.Left = true, true
	var lines []any
	points := make(map[string]plotter.XYs)
	for _, r := range runs {
		name := fmt.Sprintf("%s, since on %s", r.way, r.on)
		if r.way != ours {
			name = r.way
		}
		if points[name] == nil {
			lines = append(lines, name)
		}
		points[name] = append(points[name], plotter.XY{X: float64(r.size), Y: max(1, r.quantile(0.95).Seconds())})
	}
	var args []any
	for _, name := range lines {
		args = append(args, name, points[name.(string)])
	}
	if err := plotutil.AddLinePoints(p, args...); err != nil {
		return err
	}
	return p.Save(18*vg.Centimeter, 11*vg.Centimeter, path)
}

// plain are the ticks of a logarithmic scale in plain numbers.
type plain struct{}

// Ticks labels the powers of ten.
func (plain) Ticks(least, most float64) []plot.Tick {
	ticks := plot.LogTicks{}.Ticks(least, most)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = strconv.FormatFloat(ticks[i].Value, 'f', -1, 64)
		}
	}
	return ticks
}
