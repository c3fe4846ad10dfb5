package waiting_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

// TestOldAttemptsComeInTime uses an attempt that began before polling and is graded in
// the first minutes of polling. It is delivered within the limit, whatever its age.
func TestOldAttemptsComeInTime(t *testing.T) {
	for name, c := range map[string]struct {
		poll  time.Duration
		limit time.Duration
		over  time.Duration
		k     emulator.Behavior
	}{
		"watch":               {0, h, 8 * h, emulator.Behavior{}},
		"a poll every 5 min":  {5 * m, h, 8 * h, emulator.Behavior{}},
		"a poll every 20 min": {20 * m, 2 * h, 12 * h, emulator.Behavior{}},
		"a poll an hour":      {h, 3 * h, day, emulator.Behavior{}},
		"a poll a day":        {day, 2 * day, 8 * day, emulator.Behavior{}},
		// A sweep shows the submissions, and the same poll reads their reports.
		"a poll an hour, reports singly, no status filter": {h, 100 * m, day, emulator.Behavior{Bare: true, Filter: emulator.ShowsNone}},
	} {
		for _, on := range meanings {
			t.Run(name+"/"+on.String(), func(t *testing.T) {
				t.Parallel()
				all := emulator.Stream(1, noon.Add(-33*day), 33*day+c.over+h, 50, usualLife)
				var old []*emulator.Submission
				for i, age := range []time.Duration{5 * h, 53 * h, 100 * h, 300 * h, 700 * h} {
					for j, after := range []time.Duration{0, s, 20 * s, m, 3 * m, 10 * m, 30 * m, 50 * m, 2 * h} {
						evaluated := noon.Add(after + time.Duration(i)*s)
						old = append(old, &emulator.Submission{
							ID: fmt.Sprintf("old-%d-%d", i, j), Created: noon.Add(-age + time.Duration(j)*s), Submitted: evaluated.Add(-3 * m), Evaluated: evaluated,
						})
					}
				}
				var sim *simulation
				behavior := c.k
				behavior.Since = on
				watchAll(behavior, slices.Concat(all, old), c.over+c.poll, 0, func(s *simulation) { sim, s.poll = s, c.poll })
				f := sim.measure(slices.Concat(all, old), noon, noon.Add(c.over-h))
				t.Log(f.String())
				assert.Zero(t, f.lost)
				assert.LessOrEqual(t, f.quantile(1), c.limit)
			})
		}
	}
}

// TestSubmissionIsDeliveredWithItsReport uses listings without reports. A submission is
// delivered without its report only an hour after a single read has found none.
func TestSubmissionIsDeliveredWithItsReport(t *testing.T) {
	for name, c := range map[string]struct {
		poll, restart time.Duration
		down          [2]time.Duration
		size          int
	}{
		"a backlog":              {size: atLength(1000, 1500)},
		"a process that is down": {size: 300, down: [2]time.Duration{10 * m, 130 * m}},
		"a poll every 61 min":    {size: 120, poll: 61 * m},
	} {
		for _, on := range meanings {
			t.Run(name+"/"+on.String(), func(t *testing.T) {
				t.Parallel()
				all := emulator.Batch(1, noon, c.size, h)
				f := watchAll(emulator.Behavior{Since: on, Bare: true}, all, 12*h, 0, func(s *simulation) {
					s.poll, s.stopped = c.poll, c.down
				})
				t.Log(f.String())
				assert.Zero(t, f.early, "without a report")
				assert.Zero(t, f.lost)
				assert.Zero(t, f.twice)
			})
		}
	}
}

// TestATruncatedSetIsNoExcuse has more unfinished attempts than a state holds.
func TestATruncatedSetIsNoExcuse(t *testing.T) {
	for name, c := range map[string]struct {
		poll  time.Duration
		limit time.Duration
		open  int
		life  emulator.Life
		on    []emulator.Since // Without HIRING_LONG.
	}{
		"watch, 10,000 unfinished":          {0, 91 * m, 10_000, usualLife, created},
		"watch, 10,000, graded in 20 s":     {0, 91 * m, 10_000, emulator.Life{Grading: 20 * s}, meanings[1:2]},
		"a poll an hour, 11,000 unfinished": {h, 6 * h, 11_000, usualLife, created},
	} {
		for _, on := range atLength(c.on, meanings) {
			t.Run(name+"/"+on.String(), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(7, 7))
				all := emulator.Stream(1, noon.Add(-33*day), 35*day, 100, c.life)
				for i := range c.open {
					it := &emulator.Submission{ID: fmt.Sprintf("open-%05d", i), Created: noon.Add(-time.Duration(random.Float64() * float64(29*day)))}
					if i%8 == 0 {
						it.Submitted = noon.Add(time.Duration(random.Float64() * float64(day))).Truncate(time.Millisecond)
						it.Evaluated = it.Submitted.Add(c.life.Grading)
					}
					all = append(all, it)
				}
				over := 30 * h
				if !isLong() && c.poll == 0 {
					over = 5 * h
				}
				f := watchAll(emulator.Behavior{Since: on}, all, over, 0, func(s *simulation) { s.poll, s.restart = c.poll, 6*h })
				t.Log(f.String())
				assert.Zero(t, f.lost)
				assert.LessOrEqual(t, f.quantile(1), c.limit)
			})
		}
	}
}

// TestABurstComesWithinTwoMinutes has 5,500 evaluations within a minute.
func TestABurstComesWithinTwoMinutes(t *testing.T) {
	for seed := range atLength[uint64](1, 100) {
		for _, on := range meanings {
			t.Run(fmt.Sprintf("%s/%d", on, seed), func(t *testing.T) {
				t.Parallel()
				all := emulator.Batch(seed, noon.Add(10*m), 5500, m)
				o := usualOptions()
				o.Start, o.Seed = noon, seed
				sim := &simulation{service: emulator.New(emulator.Behavior{Since: on}, seed, all), options: o, begin: noon, over: 20 * m}
				sim.run()
				f := sim.measure(all, noon, noon.Add(20*m))
				t.Log(f.String())
				assert.Zero(t, f.lost+f.twice)
				assert.LessOrEqual(t, f.quantile(1), 2*m)
			})
		}
	}
}

// TestShortAttemptsAreFoundSoon uses attempts that pass through all statuses between two
// listings of unfinished ones.
func TestShortAttemptsAreFoundSoon(t *testing.T) {
	span := atLength(20*m, h)
	for _, on := range meanings {
		for seed := range atLength[uint64](1, 8) {
			t.Run(fmt.Sprintf("%s/%d", on, seed), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(seed, 7))
				var all []*emulator.Submission
				for i := range atLength(300, 1000) {
					at := noon.Add(time.Duration(random.Float64() * float64(span/2))).Truncate(time.Millisecond)
					all = append(all, &emulator.Submission{ID: fmt.Sprintf("short-%d", i), Created: at, Submitted: at.Add(4 * s), Evaluated: at.Add(7 * s)})
				}
				o := usualOptions()
				o.Start, o.Seed, o.Min, o.Max = noon, seed, s, 2*s
				k := emulator.Behavior{Since: on, Faults: 0.2, Limit: 100_000}
				sim := &simulation{service: emulator.New(k, seed, all), options: o, begin: noon, over: span}
				sim.run()
				f := sim.measure(all, noon, noon.Add(span))
				t.Log(f.String())
				assert.Zero(t, f.lost+f.twice)
				assert.LessOrEqual(t, f.quantile(1), 2*m)
			})
		}
	}
}

// TestAPollADayReadsAllReports uses listings without reports and 150 evaluations a day,
// which are more than an ordinary poll reads singly.
func TestAPollADayReadsAllReports(t *testing.T) {
	for _, on := range meanings {
		all := emulator.Batch(1, noon, 450, 3*day)
		f := watchAll(emulator.Behavior{Since: on, Bare: true}, all, 6*day, 0, func(s *simulation) { s.poll = day })
		t.Log(on, f.String())
		assert.Zero(t, f.lost+f.twice+f.early)
		assert.LessOrEqual(t, f.quantile(1), 2*day, on)
	}
}

// TestAMeaningThatChangesDelaysLittle changes what since filters on in the middle of a day. A late
// evaluation shows it.
func TestAMeaningThatChangesDelaysLittle(t *testing.T) {
	for _, on := range meanings[:2] {
		t.Run(on.String(), func(t *testing.T) {
			t.Parallel()
			all := emulator.Stream(1, noon.Add(-5*day), 9*day, 500, usualLife)
			f := watchAll(emulator.Behavior{Since: on}, all, 60*h, 2*h, func(s *simulation) {
				s.done = func() bool {
					if s.now.After(noon.Add(29 * h)) {
						s.service.Since = emulator.OnCreation
					}
					return false
				}
			})
			t.Log(f.String())
			assert.Zero(t, f.lost+f.twice)
			assert.LessOrEqual(t, f.quantile(1), h)
		})
	}
}

// TestASinceThatIsCutDelaysLittle cuts since to the hour. The experiment takes an item for which this
// makes no difference.
func TestASinceThatIsCutDelaysLittle(t *testing.T) {
	for _, on := range meanings[:3] {
		for _, aDay := range []int{20, 500} {
			t.Run(fmt.Sprintf("%s/%d", on, aDay), func(t *testing.T) {
				t.Parallel()
				life := usualLife
				if aDay == 500 {
					life.Grading = 2 * h
				}
				all := emulator.Stream(1, noon.Add(-5*day), 9*day, aDay, life)
				f := watchAll(emulator.Behavior{Since: on, Cut: h}, all, 2*day, 0, nil)
				t.Log(f.String())
				assert.Zero(t, f.lost+f.twice)
				assert.LessOrEqual(t, f.quantile(1), 2*m)
			})
		}
	}
}

// TestReportsReadSinglyAreNotSearchedFor polls a server whose listings show no reports.
func TestReportsReadSinglyAreNotSearchedFor(t *testing.T) {
	all := emulator.Stream(1, noon.Add(-5*day), 6*day, 2000, usualLife)
	f := watchAll(emulator.Behavior{Since: emulator.OnCreation, Bare: true}, all, 12*h, h, func(s *simulation) { s.poll = 20 * m })
	t.Log(f.String())
	assert.Zero(t, f.lost+f.twice+f.early)
	assert.LessOrEqual(t, f.rate, 130.0, "reads an hour")
}
