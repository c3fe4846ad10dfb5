package wait_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

// figure is a row of docs/internals/waiting-figures.md: a schedule and what it may cost.
type figure struct {
	name     string
	on       []emulator.Since
	schedule func(begun time.Time) schedule

	rate          float64 // Reads an hour.
	p95, p99, max time.Duration
	most          int  // Reads in any hour. 0: not limited.
	usual         bool // Also runs without HIRING_LONG, on its first meaning.
}

var (
	meanings   = []emulator.Since{emulator.OnEvaluation, emulator.OnSubmission, emulator.OnCreation, emulator.Ignored}
	otherSince = meanings[2:]
	onCreation = meanings[2:3]
)

// graded are lives with a grading time of about three minutes.
var graded = emulator.Life{Grading: 3 * time.Minute}

const (
	second = time.Second
	minute = time.Minute
	hour   = time.Hour
)

// known waits for submissions that begin over a time, beside so many others a day.
func known(size int, over time.Duration, others int) func(time.Time) schedule {
	return func(begun time.Time) schedule {
		s := schedule{awaited: emulator.ManyAttempts(1, begun, size, over, graded), over: over + 4*hour}
		s.all = s.awaited
		if others > 0 {
			s.all = slices.Concat(s.all, emulator.Stream(5, begun.Add(-33*day), 35*day, others, graded))
		}
		return s
	}
}

// batch waits for submissions that are submitted at once and graded over a time.
func batch(size int, over time.Duration) func(time.Time) schedule {
	return func(begun time.Time) schedule {
		s := schedule{awaited: emulator.Batch(1, begun, size, over), over: over + 4*hour}
		s.all = s.awaited
		return s
	}
}

// watchedStream watches so many submissions a day, which began 33 days ago. The first two hours are not
// measured. change may be nil.
func watchedStream(aDay int, l emulator.Life, over time.Duration, change func(begun time.Time, s *schedule)) func(time.Time) schedule {
	return func(begun time.Time) schedule {
		s := schedule{watch: true, over: over, from: 2 * hour, all: emulator.Stream(1, begun.Add(-33*day), 33*day+over+hour, aDay, l)}
		s.options.Since = begun
		if change != nil {
			change(begun, &s)
		}
		return s
	}
}

func knobs(set func(k *emulator.Behavior)) func(time.Time, *schedule) {
	return func(_ time.Time, s *schedule) { set(&s.knobs) }
}

// down has an outage from one time until another after the beginning.
func down(from, until time.Duration) func(time.Time, *schedule) {
	return func(begun time.Time, s *schedule) {
		s.knobs.Down = func(now time.Time) bool { return now.After(begun.Add(from)) && now.Before(begun.Add(until)) }
	}
}

// startedAttempts watches 5,000 attempts that begin at once and are submitted over a day:
// more than a state can hold.
func startedAttempts(l emulator.Life) func(time.Time) schedule {
	return func(begun time.Time) schedule {
		s := schedule{watch: true, over: 30 * hour, from: 2 * hour, all: emulator.ManyAttempts(3, begun.Add(-hour), 5000, day, l)}
		s.options.Since = begun
		return s
	}
}

// bursts watches 3,000 evaluations within a minute, and 1,000 within a millisecond an hour later.
func bursts(begun time.Time) schedule {
	s := watchedStream(100, graded, 24*hour, nil)(begun)
	for i, it := range emulator.Batch(7, begun.Add(6*hour), 3000, minute) {
		it.Created = it.Created.Add(time.Duration(i) * 100 * time.Millisecond)
		it.Submitted = begun.Add(5*hour + 50*minute)
		s.all = append(s.all, it)
	}
	for _, it := range emulator.Batch(8, begun.Add(7*hour), 1000, minute) {
		it.Evaluated = begun.Add(7 * hour)
		s.all = append(s.all, it)
	}
	return s
}

// polls calls Poll at a schedule, in series until Wait is above 0.
func polls(every time.Duration, aDay int, bare bool, change func(k *emulator.Behavior)) func(time.Time) schedule {
	return func(begun time.Time) schedule {
		s := schedule{every: every, over: max(day, 4*every)}
		s.all = stream(s.over, aDay, graded)
		s.knobs.Bare = bare
		s.options.Since = begun
		if change != nil {
			change(&s.knobs)
		}
		return s
	}
}

func figures() []figure {
	list := []figure{
		{name: "10 known", on: meanings, schedule: known(10, 8*hour, 0), rate: 90, p95: minute, p99: 2 * minute, max: 2 * minute},
		{name: "100 known", on: meanings, usual: true, schedule: known(100, 8*hour, 0), rate: 90, p95: minute, p99: 2 * minute, max: 2 * minute},
		{name: "1,000 known", on: meanings[:2], schedule: known(1000, 8*hour, 0), rate: 120, p95: 52 * second, p99: 2 * minute, max: 2 * minute},
		{name: "1,000 known", on: otherSince, schedule: known(1000, 8*hour, 0), rate: 280, p95: 55 * second, p99: 2 * minute, max: 2 * minute, most: 650},
		{name: "1,000 known, 200 others a day", on: meanings, schedule: known(1000, 8*hour, 200), rate: 450, p95: 55 * second, p99: 2 * minute, max: 20 * minute},
		{name: "1,000 at once, 8 h", on: meanings[:1], schedule: batch(1000, 8*hour), rate: 120, p95: 55 * second, p99: 2 * minute, max: 20 * minute},
		{name: "1,000 at once, 8 h", on: meanings[1:], schedule: batch(1000, 8*hour), rate: 300, p95: 55 * second, p99: 2 * minute, max: 20 * minute},
		{name: "10,000 known, 24 h", on: meanings[:1], schedule: known(10_000, day, 0), rate: 210, p95: 55 * second, p99: 2 * minute, max: 20 * minute},
		{name: "10,000 known, 24 h", on: meanings[1:2], schedule: known(10_000, day, 0), rate: 400, p95: 55 * second, p99: 2 * minute, max: 20 * minute},
		{name: "10,000 known, 24 h", on: onCreation, schedule: known(10_000, day, 0), rate: 860, p95: 6 * minute, p99: 10 * minute, max: 30 * minute},
		{name: "1,000 known, restarted every 6 h", on: meanings, rate: 300, p95: minute, p99: 2 * minute, max: 10 * minute, most: 650,
			schedule: func(begun time.Time) schedule {
				s := known(1000, day, 0)(begun)
				s.restart = 6 * hour
				return s
			}},
	}
	add := func(f ...figure) { list = append(list, f...) }
	for i, aDay := range []int{50, 500, 2000} {
		what, over := fmt.Sprintf("%d a day", aDay), []time.Duration{7 * day, 3 * day, 3 * day}[i]
		p99, worst := []time.Duration{3 * minute, 2 * minute, 2 * minute}[i], []time.Duration{10 * minute, 10 * minute, 30 * minute}[i]
		abandoned := emulator.Life{Grading: 3 * minute, Abandoned: 0.2}
		add(
			figure{name: what, on: meanings[:1], schedule: watchedStream(aDay, graded, over, nil), rate: 90, p95: 52 * second, p99: 2 * minute, max: worst},
			figure{name: what, on: meanings[1:2], schedule: watchedStream(aDay, graded, over, nil), rate: 95, p95: 52 * second, p99: 2 * minute, max: worst},
			figure{name: what, on: otherSince, schedule: watchedStream(aDay, graded, over, nil), rate: []float64{145, 160, 215}[i], p95: 55 * second, p99: p99, max: worst},
			figure{name: what + ", a fifth abandoned", on: otherSince, schedule: watchedStream(aDay, abandoned, over, nil), rate: 300, p95: 2 * minute, p99: 10 * minute, max: 30 * minute},
			figure{name: what + ", grading 20 s", on: onCreation, schedule: watchedStream(aDay, emulator.Life{Grading: 20 * second}, over, nil), rate: 600, p95: minute, p99: 10 * minute, max: 30 * minute},
			figure{name: what + ", grading 2 h", on: onCreation, schedule: watchedStream(aDay, emulator.Life{Grading: 2 * hour}, over, nil), rate: 330, p95: minute, p99: 2 * minute, max: 30 * minute},
		)
	}
	add(
		figure{name: "500 a day, half a day", on: []emulator.Since{emulator.OnCreation}, usual: true, schedule: watchedStream(500, graded, 12*hour, nil), rate: 160, p95: minute, p99: 2 * minute, max: 10 * minute},
		figure{name: "100 a day, grading 30 h", on: meanings, schedule: watchedStream(100, emulator.Life{Grading: 30 * hour}, day, nil), rate: 300, p95: minute, p99: 2 * minute, max: 10 * minute},
		figure{name: "5,000 begun at once, a day", on: meanings, schedule: startedAttempts(graded), rate: 300, p95: 55 * second, p99: 2 * minute, max: 2 * minute},
		figure{name: "5,000 begun at once, grading 20 s", on: onCreation, schedule: startedAttempts(emulator.Life{Grading: 20 * second}), rate: 700, p95: 35 * minute, p99: 3 * hour, max: 3 * hour},
		figure{name: "500 a day, 100 reads an hour", on: meanings, schedule: watchedStream(500, graded, 2*day, knobs(func(k *emulator.Behavior) { k.Limit = 100 })), rate: 90.5, p95: 5 * minute, p99: 10 * minute, max: 20 * minute},
		figure{name: "bursts of 3,000 and 1,000", on: meanings, schedule: bursts, rate: 300, p95: 2 * minute, p99: 3 * minute, max: 4 * minute},
	)
	return append(append(list, unexpected()...), inSeries()...)
}

// unexpected are servers with unexpected behaviour.
func unexpected() (list []figure) {
	add := func(name string, on []emulator.Since, change func(time.Time, *schedule), f figure) {
		f.name, f.on, f.schedule = name, on, watchedStream(500, graded, 2*day, change)
		list = append(list, f)
	}
	usual := figure{rate: 180, p95: minute, p99: 2 * minute, max: 10 * minute}
	loose := figure{rate: 860, p95: 2*minute + 12*second, p99: 30 * minute, max: 2 * hour}
	add("status filter empty", onCreation, knobs(func(k *emulator.Behavior) { k.Filter = emulator.ShowsNone }), loose)
	add("status filter refused", onCreation, knobs(func(k *emulator.Behavior) { k.Filter = emulator.Refuses }), loose)
	add("status filter ignored", onCreation, knobs(func(k *emulator.Behavior) { k.Filter = emulator.ShowsAll }), loose)
	add("only evaluated ones listed", onCreation, knobs(func(k *emulator.Behavior) { k.Finished = true }), loose)
	add("exclusive since", meanings, knobs(func(k *emulator.Behavior) { k.Exclusive = true }), usual)
	add("pages of 25", meanings, knobs(func(k *emulator.Behavior) { k.PageSize = 25 }), usual)
	add("half of the quota", meanings, knobs(func(k *emulator.Behavior) { k.Rivals = 500 }), figure{rate: 400, p95: 2 * minute, p99: 3 * minute, max: 10 * minute})
	add("report a minute late", meanings, knobs(func(k *emulator.Behavior) { k.Lag = minute }), figure{rate: 250, p95: 5 * minute, p99: 5 * minute, max: 30 * minute})
	add("since cut to the day", meanings[:3], knobs(func(k *emulator.Behavior) { k.Cut = day }), figure{rate: 300, p95: 2 * minute, p99: 2 * minute, max: 10 * minute})
	add("newest evaluated first", meanings, knobs(func(k *emulator.Behavior) { k.Order = emulator.NewestEvaluated }), figure{rate: 600, p95: 2 * minute, p99: 2 * minute, max: 30 * minute})
	add("no order", meanings[:3], knobs(func(k *emulator.Behavior) { k.Order = emulator.NoOrder }), usual)
	add("cursors by offset", meanings, knobs(func(k *emulator.Behavior) { k.Cursors = emulator.Offset }), usual)
	add("cursors expire", meanings, knobs(func(k *emulator.Behavior) { k.Cursors = emulator.Expiring }), usual)
	add("a fifth of requests fails", meanings, knobs(func(k *emulator.Behavior) { k.Faults = 0.2 }), figure{rate: 300, p95: 3 * minute, p99: 5 * minute, max: 20 * minute})
	add("20 reads a minute", meanings, knobs(func(k *emulator.Behavior) { k.Limit, k.Window = 20, minute }), figure{rate: 300, p95: 2 * minute, p99: 3 * minute, max: 10 * minute})
	add("outage of 6 h", meanings, down(10*hour, 16*hour), figure{rate: 300, p95: 6 * hour, p99: 6 * hour, max: 8 * hour})
	add("clock put back an hour", meanings, func(begun time.Time, s *schedule) {
		s.knobs.Skew = func(now time.Time) time.Duration {
			if now.After(begun.Add(10 * hour)) {
				return -hour
			}
			return 0
		}
	}, figure{rate: 300, p95: 2 * minute, p99: 10 * minute, max: 2 * hour})
	add("restarted every 6 h", meanings, func(_ time.Time, s *schedule) { s.restart = 6 * hour }, usual)
	add("restarted every minute", meanings, func(_ time.Time, s *schedule) { s.restart, s.over = minute, day }, figure{rate: 230, p95: minute, p99: 2 * minute, max: 10 * minute})
	for _, life := range []emulator.Life{{Grading: 3 * minute, Late: 0.1}, {Grading: 3 * minute, Early: 0.1}} {
		name := "1 in 10 listed 5 min late"
		if life.Early > 0 {
			name = "1 in 10 stamped 10 min early"
		}
		list = append(list, figure{name: name, on: meanings, schedule: watchedStream(500, life, 2*day, nil), rate: 150, p95: 15 * minute, p99: 30 * minute, max: 30 * minute})
	}
	for _, aDay := range []int{500, 2000} {
		list = append(list, figure{name: fmt.Sprintf("outage of 72 h, %d a day", aDay), on: meanings, schedule: watchedStream(aDay, graded, 6*day, down(day, 4*day)), rate: 400, p95: 73 * hour, p99: 73 * hour, max: 74 * hour})
	}
	return list
}

// inSeries are series of Poll. Each result comes in the next series, except where the rate limit
// does not allow it.
func inSeries() (list []figure) {
	list = append(list, figure{
		name: "Poll each 1h0m0s, 500 a day, four days", on: meanings, rate: 300, p95: 2 * hour, p99: 3 * hour, max: 3 * hour,
		schedule: func(begun time.Time) schedule {
			s := polls(hour, 500, false, nil)(begun)
			s.over, s.from, s.all = 4*day, 2*hour, stream(4*day, 500, graded)
			return s
		},
	})
	for _, every := range []time.Duration{20 * minute, hour, 6 * hour, day} {
		for _, aDay := range []int{150, 2000} {
			for _, bare := range []bool{false, true} {
				name := fmt.Sprintf("Poll each %s, %d a day", every, aDay)
				if bare {
					name += ", reports singly"
				}
				f := figure{name: name, on: meanings, schedule: polls(every, aDay, bare, nil), rate: 900, p95: every, p99: every + 5*minute, max: every + 10*minute}
				f.usual = every == 6*hour && aDay == 150 && bare
				if bare && aDay == 2000 && every >= 6*hour { // One window has fewer reads than a series needs: the next one follows when Wait has passed.
					f.schedule = func(begun time.Time) schedule {
						s := polls(every, aDay, bare, nil)(begun)
						s.every, s.options.MinInterval = 0, every
						return s
					}
					f.p95, f.p99, f.max = every+8*hour, every+12*hour, every+12*hour
				}
				list = append(list, f)
			}
			noFilter := polls(every, aDay, false, func(k *emulator.Behavior) { k.Filter = emulator.ShowsNone })
			list = append(list, figure{name: fmt.Sprintf("Poll each %s, %d a day, status filter empty", every, aDay), on: onCreation, schedule: noFilter, rate: 900, p95: 2 * every, p99: max(3*hour, 2*every), max: max(3*hour, 2*every)})
		}
	}
	return list
}

// TestFigures measures the delay from evaluation to delivery, and its cost, through Watch with a
// checkpoint, Poll with its state and WaitReports. HIRING_LONG measures all rows, ONLY=text those
// whose name has the text.
func TestFigures(t *testing.T) {
	t.Parallel()
	only, long := os.Getenv("ONLY"), apitest.Long()
	var mu sync.Mutex
	var lines []string
	t.Run("all", func(t *testing.T) {
		for i, f := range figures() {
			for j, on := range f.on {
				if !long && (!f.usual || j > 0) || !strings.Contains(f.name, only) {
					continue
				}
				t.Run(f.name+"/"+on.String(), func(t *testing.T) {
					t.Parallel()
					inBubble(t, "", func(t *testing.T) {
						s := f.schedule(time.Now())
						s.knobs.Since = on
						limit := s.from/2 + hour
						if !s.watch && s.awaited == nil {
							limit = f.max + hour
						}
						o := s.run(t, limit)
						f.check(t, o)
						mu.Lock()
						defer mu.Unlock()
						lines = append(lines, fmt.Sprintf("%03d%d %-48s %-11s %s", i, j, f.name, on, o))
					})
				})
			}
		}
	})
	assert.NotEmpty(t, lines, "no row was measured")
	slices.Sort(lines)
	for i := range lines {
		lines[i] = lines[i][5:]
	}
	t.Logf("reads an hour, the most in one, and from evaluation to delivery\n%s", strings.Join(lines, "\n"))
}

func (f *figure) check(t *testing.T, o *outcome) {
	assert.NotEmpty(t, o.lates)
	assert.Zero(t, o.lost)
	assert.LessOrEqual(t, o.rate, f.rate, "reads an hour")
	if f.most > 0 {
		assert.LessOrEqual(t, o.most, f.most, "reads in an hour")
	}
	assert.LessOrEqual(t, quantile(o.lates, .95), f.p95, "p95")
	assert.LessOrEqual(t, quantile(o.lates, .99), f.p99, "p99")
	assert.LessOrEqual(t, quantile(o.lates, 1), f.max, "max")
	assert.LessOrEqual(t, o.state, 256<<10, "the state")
}
