package poll_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/poll"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

const (
	day   = 24 * time.Hour
	begin = 1000 * day // When runs begin.
	never = time.Duration(1 << 61)
)

// world is a random organization with a server and a caller.
type world struct {
	api      *emulator.API
	subs     []*emulator.Submission
	known    []string // Nil: a watch.
	lookback time.Duration
	length   time.Duration
	every    time.Duration      // Between polls; 0: as the machine says.
	interval time.Duration      // Of the machine.
	from     time.Duration      // Of a watch: evaluations since then.
	restart  float64            // The part of the requests after which the state is saved and loaded.
	local    time.Duration      // How far the local clock is ahead. It matters until a Date comes.
	noDate   bool               // No response has a Date.
	set      bool               // The local clock is set between any two processes.
	longer   time.Duration      // When Lookback becomes a day longer.
	outages  [][2]time.Duration // Without any response.
	end      time.Duration      // Of the run.
	pages    float64            // Of a listing of all of Lookback.
}

func pick[E any](r *rand.Rand, all ...E) E { return all[r.IntN(len(all))] }

// between returns a time whose logarithm is uniform.
func between(r *rand.Rand, low, high time.Duration) time.Duration {
	return time.Duration(float64(low) * math.Pow(float64(high)/float64(low), r.Float64()))
}

func logNormal(r *rand.Rand, median time.Duration, sigma float64) time.Duration {
	return time.Duration(float64(median) * math.Exp(sigma*r.NormFloat64()))
}

// newWorld returns a world with 5 submissions a day to 5 times the factor, on pages of so many.
func newWorld(seed int, factor float64, page int) *world {
	r := rand.New(rand.NewPCG(uint64(seed), 42))
	perDay := 5 * math.Pow(factor, r.Float64())
	w := &world{lookback: 30 * day, length: 3 * day, every: pick(r, 0, 0, 0, 10*time.Minute, time.Hour, 6*time.Hour, day)}
	if perDay > 300 {
		w.lookback, w.length = 12*day, 2*day
	}
	if w.every >= 6*time.Hour {
		w.length = 10 * day
	}
	if w.interval = 45 * time.Second; w.every == 0 {
		w.interval = pick(r, w.interval, w.interval, 30*time.Minute, 90*time.Minute)
	}
	w.api = &emulator.API{
		Seed: uint64(seed), Since: pick(r, "created", "submitted", "evaluated", "ignored"), Exclusive: r.IntN(2) == 0,
		Unfinished: pick(r, "", "", "", "", "empty", "refused", "ignored"), Cut: pick(r, 0, 0, 0, time.Second, time.Hour, day),
		OthersPerHour: pick(r, 0., 0, 200, 500), OthersUseUp: pick(r, 0, 0, 0.1, 0.5), Failing: pick(r, 0, 0, 0.01, 0.1, 0.3),
		PageSize: pick(r, page, page, page/4), OneStatus: r.IntN(4) == 0, NoSubmittedAt: r.IntN(4) == 0,
	}
	w.from = pick(r, begin, begin, begin-10*day)
	w.clocks(r)
	w.restart = pick(r, 0, 0.05, 0.2, 1) / max(1, perDay/2-3)
	abandoned := pick(r, 0, 0.1, 0.3)
	w.fill(r, perDay, abandoned)
	for range pick(r, 0, 0, 1, 2) {
		at := begin + time.Duration(r.Float64()*float64(w.length))
		until := at + between(r, time.Hour, 3*day)
		w.outages, w.end = append(w.outages, [2]time.Duration{at, until}), max(w.end, until)
	}
	w.longer = begin + time.Duration(2*r.Float64()*float64(w.length))
	w.end = max(w.end, begin+w.length) + 36*time.Hour + 3*max(w.every, w.interval)
	if r.IntN(4) == 0 {
		for _, s := range w.subs {
			if s.Created < begin && s.Evaluated > begin-day && s.Evaluated < begin+w.length && len(w.known) < 1000 && r.IntN(3) > 0 {
				w.known = append(w.known, s.ID)
			}
		}
	}
	w.pages = perDay * w.lookback.Hours() / 24 / float64(w.api.PageSize) * (1 + abandoned)
	w.defects(r)
	return w
}

// clocks gives the world wrong clocks.
func (w *world) clocks(r *rand.Rand) {
	const off = 26 * time.Hour
	a := w.api
	w.local = pick(r, 0, 0, -2*day, off, 2*day)
	switch r.IntN(8) {
	case 0:
		a.PutBack, a.BackAt = time.Duration(1+r.IntN(9))*time.Minute, begin+time.Duration(r.Float64()*float64(w.length))
	case 1:
		a.DateAhead = pick(r, -off, off)
	case 2:
		w.noDate, w.set = true, r.IntN(2) == 0
	case 3:
		a.WrongFrom, a.WrongBy = begin+time.Duration(r.Float64()*float64(w.length)), pick(r, -3*day, 3*day)
		a.WrongTo = a.WrongFrom + between(r, time.Minute, 3*time.Hour)
	}
}

// defects gives the world sources that fail, cursors that expire, and submissions with strange times.
func (w *world) defects(r *rand.Rand) {
	a, some := w.api, w.subs[r.IntN(len(w.subs))].ID
	a.Refusing, a.RetryAfter = pick(r, 0, 0, 0.01, 0.05, 0.1), pick(r, 0, 90*time.Second)
	broken := pick(r, "none", "none", "in_progress", "grading", "pending", "", some[len(some)-2:])
	a.Broken = func(q poll.Request) bool {
		return q.Status == broken && q.ID == "" || q.ID != "" && len(broken) == 2 && strings.HasSuffix(q.ID, broken)
	}
	if w.pages < 100 && a.OthersPerHour < 500 && a.OthersUseUp == 0 && a.Failing < 0.1 && r.IntN(3) == 0 { // A listing is read in one go.
		a.CursorLife = between(r, 5*time.Second, 10*time.Minute)
		a.Refusing /= max(1, w.pages) // Cursors expire before a page is asked again. Most listings are complete.
	}
	if r.IntN(6) == 0 {
		a.NullFor = day
	}
	if a.DateAhead+a.WrongBy == 0 && !w.noDate && r.IntN(4) == 0 {
		a.Future = some
	}
}

// fill adds submissions at a daily rate, and perhaps a burst.
func (w *world) fill(r *rand.Rand, perDay, abandoned float64) {
	median, sigma, grading := between(r, 10*time.Minute, 12*time.Hour), 0.5+r.Float64(), between(r, 5*time.Second, 2*time.Hour)
	late, unready, deleted := pick(r, 0, 0, 0.05, 0.3), pick(r, 0, 0, 0.05, 0.5), pick(r, 0, 0, 0.03)
	add := func(created, submitted, evaluated time.Duration) {
		s := &emulator.Submission{ID: fmt.Sprintf("%08x-0000-4000-8000-%012x", r.Uint32(), r.Uint64()>>16)}
		s.Created, s.Submitted, s.Evaluated = created.Truncate(time.Second), submitted.Truncate(time.Second), evaluated.Truncate(time.Second)
		if r.Float64() < late {
			s.Listed = s.Evaluated + time.Duration(r.Float64()*float64(2*time.Hour))
		}
		if r.Float64() < unready {
			s.Ready = s.Evaluated + time.Duration(r.Float64()*float64(5*time.Hour))
		}
		if r.Float64() < deleted {
			s.Deleted = s.Created + time.Duration(r.Float64()*float64(2*day))
		}
		if r.Float64() < abandoned {
			s.Submitted, s.Evaluated = never, never
		}
		w.subs = append(w.subs, s)
	}
	oldest := w.lookback - 2*day
	before := w.lookback + 5*day
	for range int(perDay * (before + w.length).Hours() / 24) {
		created := begin - before + time.Duration(r.Float64()*float64(before+w.length))
		submitted := created + min(max(time.Minute, logNormal(r, median, sigma)), oldest)
		add(created, submitted, submitted+max(time.Second, min(day/2, logNormal(r, grading, 0.7))))
	}
	if r.IntN(3) == 0 {
		at := begin + time.Duration(r.Float64()*float64(w.length))
		for range r.IntN(int(perDay) + 1) {
			evaluated := at + time.Duration(r.IntN(60))*time.Second
			submitted := evaluated - logNormal(r, grading, 0.5)
			add(submitted-min(oldest, logNormal(r, median, sigma)), submitted, evaluated)
		}
	}
	w.api.Add(w.subs)
}

// outcome is the result of a run.
type outcome struct {
	at       map[string]time.Duration // When each result was delivered.
	machine  *poll.Machine
	problems []string
}

func (o *outcome) problem(now time.Duration, format string, args ...any) {
	if len(o.problems) < 5 {
		o.problems = append(o.problems, fmt.Sprintf("%v: ", now-begin)+fmt.Sprintf(format, args...))
	}
}

// run runs a machine against the server.
func (w *world) run() *outcome {
	o := &outcome{at: map[string]time.Duration{}}
	r := rand.New(rand.NewPCG(w.api.Seed, 7))
	options := poll.Options{Interval: w.interval, ShortestPause: w.interval * 2 / 3, Lookback: w.lookback}
	o.machine = poll.NewWatch(options, 0, poll.Server(begin+w.local), poll.Server(w.from), false)
	if w.known != nil {
		o.machine = poll.NewWait(options, 0, poll.Server(begin+w.local), w.known)
	}
	now, call, started := begin, begin, begin
	failures, refused, first := 0, 0, true // Outages in a row, 500s in a poll; no request was sent in this process.
	var window poll.Budget
	var ends time.Duration
	next := func(wait time.Duration, more bool) { // Goes to the next poll.
		now, refused = now+wait, 0
		if w.every > 0 && !more { // As of a nightly job, which waits while PollResult.More.
			call = max(call+w.every, now+time.Second)
			now = call
		}
	}
	for now < w.end && (w.known == nil || len(o.machine.Awaited) > 0) {
		for _, out := range w.outages {
			if now > out[0] && now < out[1] {
				now = out[1]
			}
		}
		if window.Ends = ends - now; ends <= now {
			window = poll.Budget{Left: 1000, Limit: 1000, Ends: time.Hour}
		}
		if window.Left <= 0 {
			next(window.Ends, true)
			continue
		}
		request, wait := o.machine.Next(poll.Caller(now-started), window)
		switch {
		case wait < 0 || wait > 0 && first:
			o.problem(now, "no progress: wait %v", wait)
			return o
		case wait > max(time.Minute, options.Interval, w.api.RetryAfter):
			o.problem(now, "a wait of %v", wait)
		case wait > 0 || refused == 10:
			wait = max(wait, 30*time.Second)
			next(wait+time.Duration(r.Int64N(int64(min(wait, options.ShortestPause)))), refused == 10 || o.machine.IsListing())
			continue
		}
		if now += 75 * time.Millisecond; now < w.api.UsedUpTill && !first {
			o.problem(now, "a request while the window is used up")
		}
		first = false
		status, reply, limit := w.api.Reply(request, now)
		now += 75 * time.Millisecond
		if limit.Limit > 0 {
			window, ends = limit, now+limit.Ends
		}
		reply.At = poll.Caller(now - started)
		if w.noDate {
			reply.Server = poll.Server(now + w.local)
		}
		switch status {
		case 429:
			continue
		case 503:
			if failures++; w.every > 0 && failures >= 5 {
				failures = 0
				next(45*time.Second, true)
			} else {
				now += 45 * time.Second
			}
			continue
		case 500:
			refused++
		}
		failures = 0
		results, ignoresCursors := o.machine.Receive(request, reply)
		if ignoresCursors {
			o.problem(now, "an endless listing")
		}
		for _, it := range results {
			w.check(o, it.ID, now)
			o.machine.Delivered(it)
		}
		if r.Float64() < w.restart {
			w.reload(o, options, now)
			started, ends, first, refused = now, 0, true, 0
			if w.set {
				w.local = pick(r, -26*time.Hour, 0, 26*time.Hour)
			}
		}
	}
	return o
}

// check checks a result.
func (w *world) check(o *outcome, id string, now time.Duration) {
	s := w.api.Submission(id)
	switch {
	case o.at[id] > 0:
		o.problem(now, "%s twice, first at %v, evaluated %v", id, o.at[id]-begin, s.Evaluated-begin)
	case w.known == nil && s.Evaluated+w.api.NullFor < w.from-time.Second && id != w.api.Future:
		o.problem(now, "%s is of before the watch: %v", id, s.Evaluated-begin)
	case now < s.Ready:
		o.problem(now, "%s is not ready", id)
	}
	o.at[id] = now
}

// reload saves and loads the state.
func (w *world) reload(o *outcome, options poll.Options, now time.Duration) {
	if now > w.longer && w.known == nil { // A wait for given ids is never loaded with another Lookback.
		options.Lookback += day
	}
	m := o.machine
	state, err := json.Marshal(m)
	if err != nil {
		o.problem(now, "%v", err)
	}
	ids := len(m.Done) + len(m.Awaited) + len(m.Missing) + len(m.Reads)
	for _, s := range m.Sources {
		if ids += len(s.Members); s.Open != nil {
			ids += len(s.Open.Seen)
		}
	}
	if len(state) > 100*ids+4000 {
		o.problem(now, "a state of %d bytes for %d ids", len(state), ids)
	}
	o.machine = new(poll.Machine)
	if err := json.Unmarshal(state, o.machine); err != nil {
		o.problem(now, "%v", err)
	}
	o.machine.Resume(options, 0)
	if all := o.machine.Sources[1]; all.Depth != options.Lookback {
		o.problem(now, "a lookback of %v", all.Depth)
	}
}

// judge checks that each submission was delivered, and how late.
func (w *world) judge(o *outcome) {
	a := w.api
	if a.InWindow > 1000 {
		o.problem(0, "%d requests in a window", a.InWindow)
	}
	if newest := o.machine.Sources[0]; w.known == nil && newest.Listed && newest.Cost != 1 {
		o.problem(0, "the newest page costs %v", newest.Cost)
	}
	// The time that a listing of all of Lookback takes, and single reads of all known ids. Long listings may use two
	// thirds of a window, less what others and short listings use, but a third at its start.
	pages := w.pages * (1 + (begin-w.from).Hours()/w.lookback.Hours()) // The first listing begins so much earlier.
	rate := max(233, 567-a.OthersPerHour) * (1 - a.Failing) * (1 - a.OthersUseUp)
	windows := (pages + float64(len(w.known))) / rate
	whole := time.Duration(windows * float64(time.Hour))
	pause := a.Failing/(1-a.Failing)*45 + a.Refusing*max(45, a.RetryAfter.Seconds()) // Seconds for each page, after requests that fail.
	whole += time.Duration(pages * pause * float64(time.Second))
	every := max(w.every, w.interval)
	if every > time.Hour {
		whole = time.Duration(math.Ceil(2*windows)) * every
	}
	promised := 6*time.Hour + 31*time.Minute + a.NullFor
	if a.CursorLife > 0 || a.Refusing > 0 { // Listings begin again.
		promised *= 2
	}
	if pages*a.Refusing*a.Refusing*a.Refusing > 0.1 { // And again.
		promised *= 2
	}
	if windows > 1 { // It does not fit the spare reads of a window.
		promised *= 2
	}
	missing := map[string]bool{}
	for _, id := range o.machine.Missing {
		missing[id] = true
	}
	checked := w.subs
	if w.known != nil {
		checked = nil
		for _, id := range w.known {
			checked = append(checked, a.Submission(id))
		}
	}
	for _, s := range checked {
		most := max(s.Listed, s.Ready, begin) + promised + (s.Ready-s.Evaluated)/3 + 3*whole + 3*every +
			2*a.PutBack + time.Duration(float64(time.Hour)*(15*a.OthersUseUp+3*a.Failing))
		for _, out := range w.outages {
			if out[0] < most && out[1] > s.Evaluated {
				most += 2 * (out[1] - out[0])
			}
		}
		if w.known == nil && s.Evaluated <= w.from || most > w.end || s.Deleted > 0 && s.Deleted < most+day {
			continue
		}
		at, delivered := o.at[s.ID]
		switch {
		case !delivered && !missing[s.ID]:
			o.problem(most, "%s lost: age %v, evaluated %v, listed %v, ready %v later", s.ID, s.Submitted-s.Created, s.Evaluated-begin, s.Listed-s.Evaluated, s.Ready-s.Evaluated)
		case at > most:
			o.problem(at, "%s is late by %v", s.ID, at-most)
		}
	}
}

// TestRandomWorlds runs machines in random worlds: nothing is lost, comes twice, comes without a report or later than
// documented; no request is sent while the window is used up; the state is small and the whole memory.
func TestRandomWorlds(t *testing.T) {
	seeds, factor, page := 15, 10., 20
	if os.Getenv("HIRING_SKIP_NOTHING") != "" { // As .ci/run sets it.
		seeds = 30
	}
	if testing.Short() { // The race detector: this test has one goroutine.
		seeds = 3
	}
	if os.Getenv("HIRING_LONG") != "" {
		seeds, factor, page = 500, 600, 100
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // The simulations allocate quickly and keep little.
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(seed, factor, page)
			o := w.run()
			w.judge(o)
			a := w.api
			assert.Empty(t, o.problems, "%d submissions, lookback %v, every %v, interval %v, since %v, %d known, restarts %.3f, since %s, status filter %q, %.0f pages, local %v, no date %t, "+
				"date %v, wrong %v, refusing %v, cursors %v, null %v, future %t, others %v %v, failing %v, outages %v, life %d", len(w.subs), w.lookback, w.every, w.interval, w.from-begin, len(w.known), w.restart, a.Since, a.Unfinished, w.pages,
				w.local, w.noDate, a.DateAhead, a.WrongBy, a.Refusing, a.CursorLife, a.NullFor, a.Future != "", a.OthersPerHour, a.OthersUseUp, a.Failing, w.outages, w.end-begin)
		})
	}
}
