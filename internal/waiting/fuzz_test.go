package waiting_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// arbitrary is a server with arbitrary behaviour, and its submissions.
func arbitrary(random *rand.Rand) (emulator.Behavior, []*emulator.Submission) {
	one := func(n int) bool { return random.IntN(n) == 0 }
	k := emulator.Behavior{
		Since: emulator.Since(random.IntN(4)), Filter: emulator.Filter(random.IntN(4)), Order: emulator.Order(random.IntN(3)),
		Cursors: emulator.Cursors(random.IntN(3)), PageSize: 1 + random.IntN(100), Exclusive: one(2), Finished: one(5), Bare: one(3),
	}
	if one(3) {
		k.Cut = []time.Duration{s, m, h, day}[random.IntN(4)]
	}
	if one(3) {
		k.Lag = time.Duration(random.IntN(50)) * m
	}
	if one(3) {
		k.Faults = random.Float64() / 2
	}
	if one(4) {
		k.Limit, k.Window = 20+random.IntN(60), time.Duration(3+random.IntN(20))*m
	}
	if one(3) {
		k.Rivals = int(random.Float64() / 2 * float64(cmp.Or(k.Limit, 1000)) / cmp.Or(k.Window, h).Hours())
	}
	if one(4) {
		from := noon.Add(time.Duration(random.IntN(12)) * h)
		until := from.Add(time.Duration(random.IntN(12)) * h)
		k.Down = func(now time.Time) bool { return now.After(from) && now.Before(until) }
	}
	if one(4) {
		step, from := time.Duration(random.IntN(7200)-3600)*s, noon.Add(time.Duration(random.IntN(24))*h)
		k.Skew = func(now time.Time) time.Duration {
			if now.After(from) {
				return step
			}
			return 0
		}
	}
	all := slices.Concat(lives(random, 1+random.IntN(120)), old(random, random.IntN(10))) // A fuzz target has ten seconds, on a machine that does other things.
	if k.Cursors == emulator.Expiring {                                                   // The end of a listing cannot be reached if its cursors expire before.
		limit, window := cmp.Or(k.Limit, 1000), cmp.Or(k.Window, h)
		reads := max(1, limit*9/10-int(float64(k.Rivals)*window.Hours()))
		k.PageSize = max(k.PageSize, 1+2*len(all)/reads)
	}
	return k, all
}

// lives returns lives of all kinds: begun at once and over a day, graded at once and
// after hours.
func lives(random *rand.Rand, size int) []*emulator.Submission {
	life := emulator.Life{Grading: time.Duration(random.ExpFloat64()*float64(10*m)) + 1, Abandoned: random.Float64() / 3}
	if random.IntN(3) == 0 {
		life.Late, life.Early = random.Float64()/3, random.Float64()/3
	}
	var all []*emulator.Submission
	switch random.IntN(3) {
	case 0:
		all = emulator.Stream(random.Uint64(), noon.Add(-day), 2*day, size, life)
	case 1:
		all = emulator.ManyAttempts(random.Uint64(), noon, size, day, life)
	default:
		all = emulator.Batch(random.Uint64(), noon, size, day)
	}
	untold := random.Float64() * 0.3 * float64(random.IntN(2))
	for _, it := range all {
		it.Untold = random.Float64() < untold
		if random.IntN(10) == 0 {
			it.Steps = []string{"queued", "grading", "checking", "grading"}
		}
		if random.IntN(20) == 0 && !it.Evaluated.IsZero() {
			it.Again = it.Evaluated.Add(time.Duration(random.ExpFloat64() * float64(h)))
		}
	}
	return all
}

// old are attempts of up to 29 days before noon that are graded in the day after it.
func old(random *rand.Rand, size int) (all []*emulator.Submission) {
	for i := range size {
		at := noon.Add(time.Duration(random.ExpFloat64() * float64(2*h))).Truncate(time.Millisecond)
		all = append(all, &emulator.Submission{
			ID: fmt.Sprintf("01d00000-0000-4000-8000-%012x", i), Created: noon.Add(-time.Duration(random.Float64() * float64(29*day))).Truncate(time.Millisecond),
			Submitted: at.Add(-time.Duration(random.ExpFloat64() * float64(5*m))).Truncate(time.Millisecond), Evaluated: at,
		})
	}
	return all
}

// late returns the submissions that were delivered later than promised after a
// listing could show them and their reports were ready. An outage does not count.
func (s *simulation) late(all []*emulator.Submission, from, until time.Time, limit time.Duration) (ids []string) {
	for _, it := range all {
		at, ok := s.delivered[it.ID]
		shown := it.Evaluated.Add(max(it.Late, s.service.Lag))
		if !ok || !s.awaits(it, from, until) || !it.Again.IsZero() {
			continue
		}
		late := at.Sub(shown)
		for t := shown; s.service.Down != nil && t.Before(at); t = t.Add(m) {
			if s.service.Down(t) {
				late -= m
			}
		}
		if late > limit+m {
			ids = append(ids, fmt.Sprintf("%s, created at noon %s, evaluated %s, shown %s: %s late", it.ID, it.Created.Sub(noon), it.Evaluated.Sub(noon), shown.Sub(noon), late))
		}
	}
	return ids
}

// play waits at an arbitrary service. No evaluation is lost, repeated or delivered
// without its report. No request exceeds the rate limit. While reads remain, no delivery
// is later than promised.
func play(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 4))
	k, all := arbitrary(random)
	o := usualOptions()
	o.Start, o.Seed = noon, seed
	from, awaited := noon, all
	if old := before(all, noon); random.IntN(2) == 0 && len(old) > 0 {
		from, awaited, o.Known = noon.Add(-10*day), old, ids(old)
		for _, it := range old {
			it.Hidden = random.IntN(20) == 0
			if random.IntN(20) == 0 {
				it.Deleted = noon.Add(time.Duration(random.Float64() * float64(day)))
			}
		}
	}
	sim := &simulation{service: emulator.New(k, seed, all), options: o, begin: noon, over: 4 * day}
	limit := h
	if o.Known == nil {
		i := random.IntN(6)
		if k.Limit > 0 || k.Faults > 0.1 { // Rare polls need the remaining reads.
			i = 0
		}
		sim.poll = []time.Duration{0, 0, 0, 5 * m, h, day}[i]
		limit = []time.Duration{h, h, h, h, 3 * h, 2 * day}[i]
	}
	if random.IntN(2) == 0 {
		sim.restart = time.Duration(1+random.IntN(300)) * m
	}
	awaitedUntil := noon.Add(30 * h)
	sim.done = func() bool {
		return sim.now.After(awaitedUntil.Add(h)) && sim.lost(awaited, from.Add(10*m), awaitedUntil) == 0
	}
	sim.run()
	f := sim.measure(awaited, from.Add(10*m), awaitedUntil)
	if f.lost > 0 || f.twice > 0 || f.early > 0 || f.err != nil {
		t.Errorf("seed %d: lost %d of %d, %d twice, %d unready, %v, with %+v", seed, f.lost, len(all), f.twice, f.early, f.err, k)
	}
	reads := k.Limit == 0 && k.Rivals == 0 && k.Faults < 0.1 && k.PageSize >= 5
	// Where since is cut to the hour or the day, the experiment can take creation for
	// submission as long as every attempt was created in the hour of the listings that ask:
	// a server that truncates since responds in the same way in both cases. Seed 538 is such a service:
	// all attempts begin at 11:00 and are submitted at 11:59. Then an old attempt is found
	// by the listing of the unfinished or by the first sweep over all of Lookback, two
	// hours late.
	if reads && k.Skew == nil && k.Cut < h && o.Known == nil {
		if late := sim.late(all, from.Add(10*m), awaitedUntil, limit); len(late) > 0 {
			t.Errorf("seed %d: polls every %s: %d late: %s, with %+v", seed, sim.poll, len(late), late[0], k)
		}
	}
	if f.denied > 0 && k.Rivals == 0 {
		t.Errorf("seed %d: %d requests beyond the quota", seed, f.denied)
	}
	if o.Known != nil {
		for _, it := range awaited {
			if _, ok := sim.delivered[it.ID]; !ok && sim.machine.IsPending(it.ID) && (!it.Evaluated.IsZero() && it.Evaluated.Before(noon.Add(2*day)) || !it.Deleted.IsZero()) {
				t.Errorf("seed %d: %s is still awaited", seed, it.ID)
			}
		}
	}
}

func before(all []*emulator.Submission, at time.Time) []*emulator.Submission {
	return slices.DeleteFunc(slices.Clone(all), func(it *emulator.Submission) bool { return it.Created.After(at) })
}

// FuzzMachine runs the machine with arbitrary services.
func FuzzMachine(f *testing.F) {
	first, n := uint64(0), atLength[uint64](15, 1000)
	if _, err := fmt.Sscanf(os.Getenv("SEEDS"), "%d+%d", &first, &n); err == nil { // SEEDS=2000+500 runs 500 seeds from 2000 on.
		f.Logf("%d seeds from %d on", n, first)
	}
	for seed := range n {
		f.Add(first + seed)
	}
	// Cursors expired while the API failed, or the window ended; a poll a day read 50
	// reports, and more came.
	for _, seed := range []uint64{107, 481, 943, 1577, 2328} {
		f.Add(seed)
	}
	f.Fuzz(play)
}

// FuzzResume uses any text as a state, unchanged and with a checksum that is
// right: it is rejected, or the machine resumes.
func FuzzResume(f *testing.F) {
	o := usualOptions()
	o.Start = noon
	f.Add(waiting.New(o).String())
	f.Add("hiring-watch-1 00000000 {}")
	for _, body := range []string{
		`{"Statuses":{},"Delivered":""}`, `{"Meaning":99}`, `{"Statuses":null}`, `{"Statuses":{"x":null}}`, `{"Delivered":null}`,
		`{"Listings":[{"Purpose":3,"Level":9}],"Polling":true}`, `{"Packed":{"started":{"a":[1,2,3,4,-5]}}}`, `{"Probe":{"Step":9}}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, text string) {
		machine, err := waiting.Resume(o, text)
		if err != nil {
			if !json.Valid([]byte(text)) {
				return
			}
			machine, err = waiting.Resume(o, sealed(json.RawMessage(text)))
		}
		if err != nil {
			return
		}
		b := waiting.Budget{Left: 100, Whole: 900, Ends: h}
		for now := noon; now.Before(noon.Add(h)); now = now.Add(m) {
			if action := machine.Next(now, b); action.Kind != waiting.Wait {
				if _, err := machine.Handle(now, waiting.Response{}); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// FuzzSavedMachine watches at arbitrary services, at arbitrary intervals and with arbitrary gaps
// between two polls. A machine that is saved and loaded before each action sends the same
// requests at the same times, and delivers the same items, as one that stays in memory.
func FuzzSavedMachine(f *testing.F) {
	for seed := range atLength[uint64](2, 300) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		run := func(always bool) *simulation {
			random := rand.New(rand.NewPCG(seed, 9))
			k, all := arbitrary(random)
			o := usualOptions()
			o.Start, o.Seed, o.Regraded = noon, seed, random.IntN(4) == 0
			sim := &simulation{service: emulator.New(k, seed, all), options: o, begin: noon, over: 2 * day, always: always}
			sim.poll = []time.Duration{0, 0, 20 * m, h, day}[random.IntN(5)]
			if random.IntN(3) == 0 {
				sim.options.Min = []time.Duration{5 * m, h, 3 * h}[random.IntN(3)]
				sim.options.Max = sim.options.Min
			}
			if random.IntN(2) == 0 {
				sim.gaps = rand.New(rand.NewPCG(seed, 10))
			}
			sim.run()
			return sim
		}
		memory, saved := run(false), run(true)
		if !errors.Is(saved.err, memory.err) {
			t.Fatalf("seed %d: %v in memory, %v saved", seed, memory.err, saved.err)
		}
		for i, at := range memory.requests {
			if i >= len(saved.requests) || !saved.requests[i].Equal(at) || saved.actions[i] != memory.actions[i] {
				t.Fatalf("seed %d: request %d at %s: %+v in memory, %+v saved", seed, i, at.Sub(noon), memory.actions[i], saved.actions[min(i, len(saved.actions)-1)])
			}
		}
		if len(saved.requests) != len(memory.requests) || !maps.Equal(memory.delivered, saved.delivered) {
			t.Fatalf("seed %d: %d requests and %d deliveries in memory, %d and %d saved", seed, len(memory.requests), len(memory.delivered), len(saved.requests), len(saved.delivered))
		}
	})
}
