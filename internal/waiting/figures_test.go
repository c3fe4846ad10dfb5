package waiting_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// scenario is a row of the table with its limits.
type scenario struct {
	name  string
	on    []emulator.Since
	short bool // Also runs without HIRING_LONG, except where since is ignored.
	run   func(emulator.Since) figures

	rate          float64 // Reads an hour.
	p95, p99, max time.Duration
	most          int // Reads in any hour.
}

var (
	meanings = []emulator.Since{emulator.OnEvaluation, emulator.OnSubmission, emulator.OnCreation, emulator.Ignored}
	others   = meanings[2:]
	created  = meanings[2:3]
)

const (
	s   = time.Second
	m   = time.Minute
	h   = time.Hour
	day = 24 * h
)

var usualLife = emulator.Life{Grading: 3 * m}

func known(size int, over time.Duration, others int) func(emulator.Since) figures {
	return func(on emulator.Since) figures {
		var more []*emulator.Submission
		if others > 0 {
			more = emulator.Stream(5, noon.Add(-33*day), 35*day, others, usualLife)
		}
		return waitFor(emulator.Behavior{Since: on}, emulator.ManyAttempts(1, noon, size, over, usualLife), more, over+4*h)
	}
}

func batch(size int, over time.Duration) func(emulator.Since) figures {
	return func(on emulator.Since) figures {
		return waitFor(emulator.Behavior{Since: on}, emulator.Batch(1, noon, size, over), nil, over+4*h)
	}
}

// watched returns a stream with that many submissions a day.
func watched(aDay int, l emulator.Life, over time.Duration, change func(*simulation)) func(emulator.Since) figures {
	return func(on emulator.Since) figures {
		all := emulator.Stream(1, noon.Add(-33*day), 33*day+over+h, aDay, l)
		return watchAll(emulator.Behavior{Since: on}, all, over, 2*h, change)
	}
}

// startedAttempts watches 5,000 attempts that begin at once and are submitted over a day:
// more than a state can hold.
func startedAttempts(l emulator.Life) func(emulator.Since) figures {
	return func(on emulator.Since) figures {
		return watchAll(emulator.Behavior{Since: on}, emulator.ManyAttempts(3, noon.Add(-h), 5000, day, l), 30*h, 2*h, nil)
	}
}

func withBehavior(change func(*emulator.Behavior)) func(*simulation) {
	return func(s *simulation) { change(&s.service.Behavior) }
}

// burst returns a stream with 3,000 evaluations within a minute, and 1,000 within a
// millisecond an hour later.
func burst(on emulator.Since) figures {
	all := emulator.Stream(1, noon.Add(-33*day), 34*day+h, 100, usualLife)
	for i, it := range emulator.Batch(7, noon.Add(6*h), 3000, m) {
		it.Created = it.Created.Add(time.Duration(i) * 100 * time.Millisecond)
		it.Submitted = noon.Add(5*h + 50*m)
		all = append(all, it)
	}
	for _, it := range emulator.Batch(8, noon.Add(7*h), 1000, m) {
		it.Evaluated = noon.Add(7 * h)
		all = append(all, it)
	}
	return watchAll(emulator.Behavior{Since: on}, all, 24*h, 2*h, nil)
}

func scenarios() []scenario {
	var list []scenario
	add := func(c scenario) { list = append(list, c) }
	add(scenario{name: "10 known", on: meanings, short: true, run: known(10, 8*h, 0), rate: 90, p95: m, p99: 2 * m, max: 2 * m})
	add(scenario{name: "100 known", on: meanings, short: true, run: known(100, 8*h, 0), rate: 90, p95: m, p99: 2 * m, max: 2 * m})
	add(scenario{name: "1,000 known", on: meanings[:2], run: known(1000, 8*h, 0), rate: 120, p95: 52 * s, p99: 2 * m, max: 2 * m})
	add(scenario{name: "1,000 known", on: others, short: true, run: known(1000, 8*h, 0), rate: 280, p95: 55 * s, p99: 2 * m, max: 2 * m, most: 650})
	add(scenario{name: "1,000 known, 200 others a day", on: meanings, run: known(1000, 8*h, 200), rate: 450, p95: 55 * s, p99: 2 * m, max: 20 * m})
	add(scenario{name: "1,000 at once, 8 h", on: meanings[:1], short: true, run: batch(1000, 8*h), rate: 120, p95: 55 * s, p99: 2 * m, max: 20 * m})
	add(scenario{name: "1,000 at once, 8 h", on: meanings[1:], run: batch(1000, 8*h), rate: 300, p95: 55 * s, p99: 2 * m, max: 20 * m})
	add(scenario{name: "10,000 known, 24 h", on: meanings[:1], run: known(10_000, day, 0), rate: 210, p95: 55 * s, p99: 2 * m, max: 20 * m})
	add(scenario{name: "10,000 known, 24 h", on: meanings[1:2], run: known(10_000, day, 0), rate: 400, p95: 55 * s, p99: 2 * m, max: 20 * m})
	add(scenario{name: "10,000 known, 24 h", on: created, run: known(10_000, day, 0), rate: 860, p95: 6 * m, p99: 10 * m, max: 30 * m})
	for i, aDay := range []int{50, 500, 2000} {
		what := fmt.Sprintf("%d a day", aDay)
		limits := []float64{145, 160, 215}[i]
		p99, worst := []time.Duration{3 * m, 2 * m, 2 * m}[i], []time.Duration{10 * m, 10 * m, 30 * m}[i]
		over := []time.Duration{7 * day, 3 * day, 3 * day}[i]
		add(scenario{name: what, on: meanings[:1], short: aDay == 500, run: watched(aDay, usualLife, over, nil), rate: 90, p95: 52 * s, p99: 2 * m, max: worst})
		add(scenario{name: what, on: meanings[1:2], run: watched(aDay, usualLife, over, nil), rate: 95, p95: 52 * s, p99: 2 * m, max: worst})
		add(scenario{name: what, on: others, short: aDay == 500, run: watched(aDay, usualLife, over, nil), rate: limits, p95: 55 * s, p99: p99, max: worst})
		life := emulator.Life{Grading: 3 * m, Abandoned: 0.2}
		add(scenario{name: what + ", a fifth abandoned", on: others, run: watched(aDay, life, over, nil), rate: 300, p95: 2 * m, p99: 10 * m, max: 30 * m})
		add(scenario{name: what + ", grading 20 s", on: created, run: watched(aDay, emulator.Life{Grading: 20 * s}, over, nil), rate: 600, p95: m, p99: 10 * m, max: 30 * m})
		add(scenario{name: what + ", grading 2 h", on: created, run: watched(aDay, emulator.Life{Grading: 2 * h}, over, nil), rate: 330, p95: m, p99: 2 * m, max: 30 * m})
	}
	add(scenario{name: "100 a day, grading 30 h", on: meanings, short: true, run: watched(100, emulator.Life{Grading: 30 * h}, day, nil), rate: 300, p95: m, p99: 2 * m, max: 10 * m})
	add(scenario{name: "5,000 begun at once, a day", on: meanings, run: startedAttempts(usualLife), rate: 300, p95: 55 * s, p99: 2 * m, max: 2 * m})
	add(scenario{name: "5,000 begun at once, grading 20 s", on: created, run: startedAttempts(emulator.Life{Grading: 20 * s}), rate: 700, p95: 35 * m, p99: 3 * h, max: 3 * h})
	add(scenario{name: "500 a day, 100 reads an hour", on: meanings, run: watched(500, usualLife, 2*day, withBehavior(func(k *emulator.Behavior) { k.Limit = 100 })), rate: 90, p95: 5 * m, p99: 6 * m, max: 10 * m})
	return append(list, oddServices()...)
}

// oddServices are servers with unexpected behaviour.
func oddServices() []scenario {
	var list []scenario
	add := func(name string, on []emulator.Since, change func(*emulator.Behavior), c scenario) {
		c.name, c.on = name, on
		c.run = watched(500, usualLife, 2*day, withBehavior(change))
		list = append(list, c)
	}
	loose := scenario{rate: 860, p95: 2*m + 12*s, p99: 30 * m, max: 2 * h}
	add("status filter empty", created, func(k *emulator.Behavior) { k.Filter = emulator.ShowsNone }, loose)
	add("status filter refused", created, func(k *emulator.Behavior) { k.Filter = emulator.Refuses }, loose)
	add("status filter ignored", created, func(k *emulator.Behavior) { k.Filter = emulator.ShowsAll }, loose)
	add("only evaluated ones listed", created, func(k *emulator.Behavior) { k.Finished = true }, loose)
	add("exclusive since", meanings, func(k *emulator.Behavior) { k.Exclusive = true }, scenario{rate: 180, p95: m, p99: 2 * m, max: 10 * m})
	add("pages of 25", meanings, func(k *emulator.Behavior) { k.PageSize = 25 }, scenario{rate: 180, p95: m, p99: 2 * m, max: 10 * m})
	add("half of the quota", meanings, func(k *emulator.Behavior) { k.Rivals = 500 }, scenario{rate: 400, p95: 2 * m, p99: 3 * m, max: 10 * m})
	add("report a minute late", meanings, func(k *emulator.Behavior) { k.Lag = m }, scenario{rate: 250, p95: 5 * m, p99: 5 * m, max: 30 * m})
	add("since cut to the day", meanings[:3], func(k *emulator.Behavior) { k.Cut = day }, scenario{rate: 300, p95: 2 * m, p99: 2 * m, max: 10 * m})
	add("newest evaluated first", meanings, func(k *emulator.Behavior) { k.Order = emulator.NewestEvaluated }, scenario{rate: 600, p95: 2 * m, p99: 2 * m, max: 30 * m})
	add("no order", meanings[:3], func(k *emulator.Behavior) { k.Order = emulator.NoOrder }, scenario{rate: 180, p95: m, p99: 2 * m, max: 10 * m})
	add("cursors by offset", meanings, func(k *emulator.Behavior) { k.Cursors = emulator.Offset }, scenario{rate: 300, p95: m, p99: 2 * m, max: 10 * m})
	add("cursors expire", meanings, func(k *emulator.Behavior) { k.Cursors = emulator.Expiring }, scenario{rate: 300, p95: m, p99: 2 * m, max: 10 * m})
	// The client retries failed requests, and this simulation does not.
	add("a fifth of requests fails", meanings, func(k *emulator.Behavior) { k.Faults = 0.2 }, scenario{rate: 300, p95: 3 * m, p99: 5 * m, max: 20 * m})
	add("20 reads a minute", meanings, func(k *emulator.Behavior) { k.Limit, k.Window = 20, m }, scenario{rate: 300, p95: 2 * m, p99: 3 * m, max: 10 * m})
	add("outage of 6 h", meanings, func(k *emulator.Behavior) {
		k.Down = func(now time.Time) bool { return now.After(noon.Add(10*h)) && now.Before(noon.Add(16*h)) }
	}, scenario{rate: 300, p95: 6 * h, p99: 6 * h, max: 8 * h})
	add("clock put back an hour", meanings, func(k *emulator.Behavior) {
		k.Skew = func(now time.Time) time.Duration {
			if now.After(noon.Add(10 * h)) {
				return -h
			}
			return 0
		}
	}, scenario{rate: 300, p95: 2 * m, p99: 10 * m, max: 2 * h})
	for _, life := range []emulator.Life{{Grading: 3 * m, Late: 0.1}, {Grading: 3 * m, Early: 0.1}} {
		name := "1 in 10 listed 5 min late"
		if life.Early > 0 {
			name = "1 in 10 stamped 10 min early"
		}
		list = append(list, scenario{name: name, on: meanings, run: watched(500, life, 2*day, nil), rate: 150, p95: 15 * m, p99: 30 * m, max: 30 * m})
	}
	list = append(list,
		scenario{name: "bursts of 3,000 and 1,000", on: meanings[1:3], short: true, run: burst, rate: 300, p95: m, p99: 2 * m, max: 2 * m},
		scenario{name: "bursts of 3,000 and 1,000", on: []emulator.Since{emulator.OnEvaluation, emulator.Ignored}, run: burst, rate: 300, p95: m, p99: 2 * m, max: 2 * m},
		scenario{name: "hourly Poll", on: meanings, run: watched(500, usualLife, 4*day, func(s *simulation) { s.poll = h }), rate: 300, p95: 2 * h, p99: 3 * h, max: 3 * h},
		scenario{name: "outage of 72 h", on: meanings, run: watched(500, usualLife, 6*day, withBehavior(func(k *emulator.Behavior) {
			k.Down = func(now time.Time) bool { return now.After(noon.Add(day)) && now.Before(noon.Add(4*day)) }
		})), rate: 300, p95: 73 * h, p99: 73 * h, max: 74 * h},
		scenario{name: "outage of 72 h, 2,000 a day", on: meanings, run: watched(2000, usualLife, 6*day, withBehavior(func(k *emulator.Behavior) {
			k.Down = func(now time.Time) bool { return now.After(noon.Add(day)) && now.Before(noon.Add(4*day)) }
		})), rate: 400, p95: 73 * h, p99: 73 * h, max: 75 * h},
		scenario{name: "restarted every 6 h", on: meanings, run: watched(500, usualLife, 2*day, func(s *simulation) { s.restart = 6 * h }), rate: 165, p95: m, p99: 2 * m, max: 10 * m},
		scenario{name: "restarted every minute", on: meanings, run: watched(500, usualLife, day, func(s *simulation) { s.restart = m }), rate: 165, p95: m, p99: 2 * m, max: 10 * m},
		scenario{name: "1,000 known, restarted every 6 h", on: meanings, run: func(on emulator.Since) figures {
			all := emulator.ManyAttempts(1, noon, 1000, 24*h, usualLife)
			o := usualOptions()
			o.Known = ids(all)
			sim := &simulation{service: emulator.New(emulator.Behavior{Since: on}, 1, all), options: o, begin: noon, over: 30 * h, restart: 6 * h}
			sim.run()
			return sim.measure(all, noon, noon.Add(30*h))
		}, rate: 300, p95: m, p99: 2 * m, max: 10 * m, most: 650},
	)
	return list
}

// TestFigures measures the delay from evaluation to delivery, and its cost. HIRING_LONG
// runs all rows.
func TestFigures(t *testing.T) {
	only := os.Getenv("ONLY")
	var mu sync.Mutex
	var lines []string
	t.Run("all", func(t *testing.T) {
		for i, c := range scenarios() {
			for j, on := range c.on {
				if !isLong() && (!c.short || on == emulator.Ignored) || only != "" && !strings.Contains(c.name, only) {
					continue
				}
				t.Run(c.name+"/"+on.String(), func(t *testing.T) {
					t.Parallel()
					f := c.run(on)
					c.checkLimits(t, &f)
					t.Log(f.String())
					mu.Lock()
					defer mu.Unlock()
					lines = append(lines, fmt.Sprintf("%03d%d %-34s %-11s %s", i, j, c.name, on, f.String()))
				})
			}
		}
	})
	slices.Sort(lines)
	for i := range lines {
		lines[i] = lines[i][5:]
	}
	t.Logf("reads an hour, the most in one, and from evaluation to delivery\n%s", strings.Join(lines, "\n"))
}

func (c *scenario) checkLimits(t *testing.T, f *figures) {
	if f.lost > 0 || f.twice > 0 || f.early > 0 || f.denied > 0 || f.err != nil || len(f.late) == 0 {
		t.Errorf("%d delivered, %d lost, %d twice, %d unready, %d times 429, %v; want each once", len(f.late), f.lost, f.twice, f.early, f.denied, f.err)
	}
	if f.state > waiting.MaxState {
		t.Errorf("a state of %d bytes", f.state)
	}
	if f.rate > c.rate || c.most > 0 && f.most > c.most {
		t.Errorf("%.0f reads an hour, %d at most; want %.0f and %d", f.rate, f.most, c.rate, c.most)
	}
	for _, q := range []struct {
		share float64
		limit time.Duration
	}{{0.95, c.p95}, {0.99, c.p99}, {1, c.max}} {
		if got := f.quantile(q.share); got > q.limit {
			t.Errorf("%.0f %% come within %s, want %s", 100*q.share, got.Round(time.Second), q.limit)
		}
	}
}
