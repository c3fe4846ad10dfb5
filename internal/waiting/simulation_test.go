package waiting_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

var (
	meanings = []emulator.Since{emulator.OnEvaluation, emulator.OnSubmission, emulator.OnCreation, emulator.Ignored}
	created  = meanings[2:3]
)

const (
	s   = time.Second
	m   = time.Minute
	h   = time.Hour
	day = 24 * h
)

var usualLife = emulator.Life{Grading: 3 * m}

const latency = 150 * time.Millisecond // Of a request.

var noon = time.Date(2026, 6, 3, 12, 0, 0, 0, time.UTC)

// isLong reports whether to run the full counts of seeds, spans and services. It is read in
// the tests, so that the cache of go test notices a change.
func isLong() bool { return os.Getenv("HIRING_LONG") != "" }

// atLength returns full with HIRING_LONG, else short.
func atLength[T any](short, full T) T {
	if isLong() {
		return full
	}
	return short
}

// simulation runs a machine with an emulated API, in virtual time.
type simulation struct {
	service *emulator.Service
	options waiting.Options
	begin   time.Time
	over    time.Duration
	poll    time.Duration            // Between polls of a caller; 0: as the machine decides.
	restart time.Duration            // Resumes from the encoded state before each poll.
	always  bool                     // Resumes from the encoded state before each action.
	gaps    *rand.Rand               // Lets some polls come late or early. Nil: not.
	stopped [2]time.Duration         // The process does not run from the first time until the second.
	done    func() bool              // Ends a watch early. Nil: not called.
	status  func(waiting.Action) int // Status code of a response that has no items. 0: the service responds.

	machine   *waiting.Machine
	now       time.Time
	delivered map[string]time.Time
	twice     int
	unready   int                  // Deliveries without a report within an hour of a read that found none.
	bare      map[string]time.Time // Time when a single read first found no report.
	requests  []time.Time
	actions   []waiting.Action // The same requests.
	largest   int
	err       error
	trace     bool
}

func (s *simulation) run() {
	s.now, s.bare = s.begin, make(map[string]time.Time)
	if s.machine == nil {
		s.machine, s.delivered = waiting.New(s.options), make(map[string]time.Time)
	}
	restarted := s.now
	for end := s.begin.Add(s.over); s.now.Before(end) && s.err == nil; {
		if s.options.Known != nil && s.machine.Pending() == 0 || s.options.Known == nil && s.done != nil && s.done() {
			return
		}
		if s.restart > 0 && s.now.Sub(restarted) >= s.restart {
			restarted = s.now
			s.reload()
		}
		if down := s.begin.Add(s.stopped[0]); s.stopped[1] > 0 && !s.now.Before(down) && s.now.Before(s.begin.Add(s.stopped[1])) {
			s.reload()
			s.now = s.begin.Add(s.stopped[1])
			s.machine.EndInterval()
		}
		if s.always {
			s.reload()
		}
		action := s.machine.Next(s.server(s.now), s.budget())
		if s.always && action.Kind != waiting.Wait { // Next returns the same action until Handle is called.
			s.reload()
			action = s.machine.Next(s.server(s.now), s.budget())
		}
		if action.Kind != waiting.Wait {
			s.ask(action)
			continue
		}
		pause := action.Until.Sub(s.server(s.now))
		if s.poll > 0 && len(s.requests) > 0 && !s.interrupted() {
			pause = max(pause, s.poll)
		}
		if s.gaps != nil && s.gaps.IntN(10) == 0 {
			pause = time.Duration(float64(pause) * 4 * s.gaps.Float64())
			if s.always {
				s.reload()
			}
			s.machine.EndInterval()
		}
		s.now = s.now.Add(pause)
	}
}

// interrupted reports whether the machine pauses before it has read what it needs:
// then the next poll does not wait for its hour.
func (s *simulation) interrupted() bool {
	why := s.machine.Progress(s.server(s.now)).SlowReason
	return strings.Contains(why, "fails") || strings.Contains(why, "no requests remain")
}

// reload goes through the written state, as a new process would.
func (s *simulation) reload() {
	if s.options.Known != nil {
		var pending []string
		for _, id := range s.options.Known {
			if s.machine.IsPending(id) {
				pending = append(pending, id)
			}
		}
		s.options.Known = pending
		s.machine = waiting.New(s.options)
		return
	}
	text := s.machine.String()
	s.largest = max(s.largest, len(text))
	s.machine, s.err = waiting.Resume(s.options, text)
}

func (s *simulation) server(now time.Time) time.Time {
	if s.service.Skew != nil {
		return now.Add(s.service.Skew(now))
	}
	return now
}

// budget leaves a tenth to others.
func (s *simulation) budget() waiting.Budget {
	limit, left, ends := s.service.Quota(s.now)
	return waiting.Budget{Left: left - limit/10, Whole: limit - limit/10, Ends: ends}
}

func (s *simulation) ask(action waiting.Action) {
	began, asked := s.now, s.server(s.now)
	s.requests = append(s.requests, s.now)
	s.actions = append(s.actions, action)
	var reply emulator.Response
	if action.Kind == waiting.Get {
		reply = s.service.Get(s.now, action.ID)
	} else {
		reply = s.service.List(s.now, action.Status, action.Since, action.Cursor)
	}
	if s.status != nil {
		if code := s.status(action); code != 0 {
			reply = emulator.Response{Status: code}
		}
	}
	if s.trace {
		fmt.Printf("%s %v %q since %s cursor %v id %.4s: %d, status %d\n", s.now.Sub(s.begin).Round(time.Second), action.Kind, action.Status, s.now.Sub(action.Since).Round(time.Minute), action.Cursor != "", action.ID, len(reply.Items), reply.Status)
	}
	s.now = s.now.Add(latency)
	response := waiting.Response{
		Cursor: reply.Cursor, Rejected: reply.Status == 400, NotFound: reply.Status == 404,
		Failed: reply.Status == 0 || reply.Status >= 429, LocalTime: began,
	}
	for i := range reply.Items {
		row := &reply.Items[i]
		response.Items = append(response.Items, waiting.Item{
			ID: row.ID, Created: row.Created, Submitted: row.Submitted, Evaluated: row.Evaluated, Status: row.State, Ready: row.Ready,
		})
	}
	ready, err := s.machine.Handle(asked, response)
	s.err = err
	if action.Kind == waiting.Get && !response.Failed && (response.NotFound || !response.Items[0].Ready) && s.bare[action.ID].IsZero() {
		s.bare[action.ID] = began
	}
	for _, i := range ready {
		if it := &response.Items[i]; !it.Ready && (s.bare[it.ID].IsZero() || began.Sub(s.bare[it.ID]) < h) {
			s.unready++
		}
		s.deliver(response.Items[i].ID)
	}
}

func (s *simulation) deliver(id string) {
	if _, ok := s.delivered[id]; ok {
		s.twice++
		return
	}
	s.delivered[id] = s.now
}

// figures are what a run showed.
type figures struct {
	late   []time.Duration // From evaluation to delivery.
	lost   int
	twice  int
	early  int     // Without a report.
	rate   float64 // Reads an hour.
	most   int     // In any hour.
	denied int
	state  int
	err    error
}

// lost counts what was ready in a part of the run and is not delivered.
func (s *simulation) lost(all []*emulator.Submission, from, until time.Time) (n int) {
	for _, it := range all {
		if s.awaits(it, from, until) && s.delivered[it.ID].IsZero() {
			n++
		}
	}
	return n
}

func (s *simulation) awaits(it *emulator.Submission, from, until time.Time) bool {
	return !it.Evaluated.IsZero() && !it.Evaluated.Before(from) && it.Evaluated.Add(s.service.Lag).Before(until) && it.Deleted.IsZero()
}

// measure measures the evaluations of a part of the run.
func (s *simulation) measure(all []*emulator.Submission, from, until time.Time) figures {
	f := figures{twice: s.twice, early: s.unready, denied: s.service.Denied, state: s.largest, err: s.err, lost: s.lost(all, from, until)}
	for _, it := range all {
		if at, ok := s.delivered[it.ID]; ok && s.awaits(it, from, until) {
			f.late = append(f.late, at.Sub(it.Evaluated.Add(s.service.Lag)))
		}
	}
	slices.Sort(f.late)
	n, first := 0, 0
	for i, at := range s.requests {
		for at.Sub(s.requests[first]) >= time.Hour {
			first++
		}
		f.most = max(f.most, i-first+1)
		if !at.Before(from) && at.Before(until) {
			n++
		}
	}
	if end := s.now; end.Before(until) {
		until = end
	}
	f.rate = float64(n) / max(1, until.Sub(from).Hours())
	return f
}

func (f *figures) quantile(share float64) time.Duration {
	if len(f.late) == 0 {
		return 0
	}
	return f.late[min(int(share*float64(len(f.late))), len(f.late)-1)]
}

func (f *figures) String() string {
	short := func(d time.Duration) string { return d.Round(time.Second).String() }
	text := fmt.Sprintf("%7.0f/h %6d most  p50 %-7s p95 %-8s p99 %-8s max %-9s of %6d, lost %d", f.rate, f.most,
		short(f.quantile(.5)), short(f.quantile(.95)), short(f.quantile(.99)), short(f.quantile(1)), len(f.late)+f.lost, f.lost)
	if f.twice > 0 || f.denied > 0 || f.err != nil {
		text += fmt.Sprintf(", twice %d, 429 %d, %v", f.twice, f.denied, f.err)
	}
	if f.state > 0 {
		text += fmt.Sprintf(", state %d", f.state)
	}
	return text
}

// envSeed returns the seed of the machines in scenarios: SEED, or 1.
func envSeed() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64); err == nil {
		return n
	}
	return 1
}

func ids(all []*emulator.Submission) []string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].ID
	}
	return names
}

func usualOptions() waiting.Options {
	return waiting.Options{Lookback: 30 * 24 * time.Hour, Min: 30 * time.Second, Max: time.Minute, Patient: true, Seed: envSeed()}
}

// watchAll watches a stream that has been running for a while.
func watchAll(k emulator.Behavior, all []*emulator.Submission, over, unsteady time.Duration, change func(*simulation)) figures {
	o := usualOptions()
	o.Start = noon
	s := &simulation{service: emulator.New(k, 1, all), options: o, begin: noon, over: over}
	if change != nil {
		change(s)
	}
	s.run()
	return s.measure(all, noon.Add(unsteady), noon.Add(over-unsteady/2-time.Hour))
}

func withBehavior(change func(*emulator.Behavior)) func(*simulation) {
	return func(s *simulation) { change(&s.service.Behavior) }
}

// limits are the limits of the figures of a run.
type limits struct {
	rate          float64 // Reads an hour.
	p95, p99, max time.Duration
}

func (c *limits) check(t *testing.T, f *figures) {
	if f.lost > 0 || f.twice > 0 || f.early > 0 || f.denied > 0 || f.err != nil || len(f.late) == 0 {
		t.Errorf("%d delivered, %d lost, %d twice, %d unready, %d times 429, %v; want each once", len(f.late), f.lost, f.twice, f.early, f.denied, f.err)
	}
	if f.state > waiting.MaxState {
		t.Errorf("a state of %d bytes", f.state)
	}
	if f.rate > c.rate {
		t.Errorf("%.0f reads an hour; want %.0f", f.rate, c.rate)
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
