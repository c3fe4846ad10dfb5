package wait_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

const (
	usualScenarios = 12
	longScenarios  = 2000
)

// TestScenarios waits in random ways at random services. Nothing is lost, repeated within
// a run, delivered without a ready report or delivered later than promised. Unknown IDs
// are reported. HIRING_LONG runs 2,000 scenarios.
func TestScenarios(t *testing.T) {
	t.Parallel()
	first, n := uint64(0), atLength[uint64](usualScenarios, longScenarios)
	if only, err := strconv.ParseUint(os.Getenv("HIRING_SCENARIO"), 10, 64); err == nil {
		first, n = only, 1
	}
	for seed := first; seed < first+n; seed++ {
		inBubble(t, strconv.FormatUint(seed, 10), func(t *testing.T) { newScenario(seed).run(t) })
	}
}

// FuzzSchedules uses Watch and Poll at arbitrary intervals and with arbitrary gaps. While the
// server answers and reads are left, nothing that a listing shows with its report comes later
// than the limit for that schedule.
func FuzzSchedules(f *testing.F) {
	for seed := range atLength[uint64](usualScenarios, 300) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		synctest.Test(t, func(t *testing.T) { newSchedule(seed).run(t) })
	})
}

// FuzzPollInSeries compares Poll in series, each with the state of the one before and a new
// client, with a Watch that begins with the same state and stays in memory: both send the same
// requests at the same times, except for the pauses at the limits of a poll, and deliver the
// same submissions.
func FuzzPollInSeries(f *testing.F) {
	for seed := range atLength[uint64](usualScenarios, 300) {
		f.Add(seed)
	}
	f.Fuzz(comparePollWithWatch)
}

// recorded notes requests.
type recorded struct {
	http.RoundTripper
	sent []string // With the time since the beginning of the bubble.
}

func (r *recorded) RoundTrip(q *http.Request) (*http.Response, error) {
	r.sent = append(r.sent, fmt.Sprint(time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)), " ", q.URL.RequestURI()))
	return r.RoundTripper.RoundTrip(q)
}

func comparePollWithWatch(t *testing.T, seed uint64) {
	const over = 8*time.Hour + 67*time.Second // Not at the end of an interval.
	type result struct {
		sent  []string
		came  []string
		zeros int
	}
	first := ""
	run := func(watch bool) (got result) {
		synctest.Test(t, func(t *testing.T) {
			s := newSchedule(seed)
			s.begun = time.Now()
			s.knobs.Faults = 0
			s.interval = 0
			if s.options.MinInterval > 0 {
				s.options.MinInterval = min(s.options.MinInterval, time.Hour)
			}
			s.over = over
			s.populate()
			api := &recorded{RoundTripper: s.service.Transport(0)}
			client, err := hiring.New("https://service.invalid", "sk_live_emulated", hiring.WithHTTPClient(&http.Client{Transport: api}))
			require.NoError(t, err)
			polled, err := client.Submissions.Poll(t.Context(), s.options, "")
			require.NoError(t, err)
			if !watch {
				first = polled.State
			}
			end := s.begun.Add(over)
			if watch {
				o := s.options
				o.Checkpoint = &memoryCheckpoint{state: first}
				ctx, cancel := context.WithDeadline(t.Context(), end)
				defer cancel()
				for submission, err := range client.Submissions.Watch(ctx, o) {
					if err != nil {
						require.ErrorIs(t, err, context.DeadlineExceeded)
						break
					}
					got.came = append(got.came, submission.ID)
				}
			}
			for wait := polled.Wait; !watch; wait = polled.Wait {
				if wait == 0 {
					got.zeros++
				}
				time.Sleep(wait)
				if !time.Now().Before(end) {
					break
				}
				polled, err = client.Submissions.Poll(t.Context(), s.options, polled.State)
				require.NoError(t, err)
				for i := range polled.Submissions {
					got.came = append(got.came, polled.Submissions[i].ID)
				}
			}
			got.sent = api.sent
		})
		return got
	}
	polled := run(false)
	watched := run(true)
	if polled.zeros > 0 { // A pause that the watch makes is left out, so the times differ.
		if len(polled.came) < len(watched.came) {
			t.Fatalf("seed %d: %d deliveries with Poll, %d with Watch", seed, len(polled.came), len(watched.came))
		}
		return
	}
	for i := range min(len(polled.sent), len(watched.sent)) {
		if polled.sent[i] != watched.sent[i] {
			t.Fatalf("seed %d: request %d: %s with Poll, %s with Watch", seed, i, polled.sent[i], watched.sent[i])
		}
	}
	if len(polled.sent) != len(watched.sent) || !slices.Equal(polled.came, watched.came) {
		t.Fatalf("seed %d: %d requests and %d deliveries with Poll, %d and %d with Watch", seed, len(polled.sent), len(polled.came), len(watched.sent), len(watched.came))
	}
}

type scenarioKind int

const (
	watchScenario scenarioKind = iota
	pollScenario
	waitScenario
	scenarioKinds
)

func (k scenarioKind) String() string { return [...]string{"watch", "poll", "wait"}[k] }

// scenario is one wait at one service.
type scenario struct {
	seed   uint64
	random *rand.Rand
	kind   scenarioKind

	knobs   emulator.Behavior
	all     []*emulator.Submission
	byID    map[string]*emulator.Submission
	spoiled map[string]spoiling
	service *emulator.Service

	begun    time.Time
	since    time.Time // Earlier evaluations are not expected.
	options  hiring.WatchOptions
	over     time.Duration
	interval time.Duration // Between polls.
	restarts bool
	gaps     bool          // Some polls are late or left out.
	limit    time.Duration // Longest promised delay.

	came       map[string]time.Time
	unreadable []string
	problems   []string
	lates      []time.Duration
}

// spoiling is a submission that cannot be decoded for a while.
type spoiling struct {
	until      time.Time
	onlyListed bool
	member     string
	value      any
}

func (s *scenario) chance(of float64) bool { return s.random.Float64() < of }

// between returns a random duration whose logarithm is evenly distributed.
func (s *scenario) between(least, most time.Duration) time.Duration {
	low, high := math.Log(float64(least)), math.Log(float64(most))
	return time.Duration(math.Exp(low + s.random.Float64()*(high-low)))
}

func newScenario(seed uint64) *scenario {
	s := &scenario{seed: seed, random: rand.New(rand.NewPCG(seed, 22)), came: make(map[string]time.Time)}
	s.kind = scenarioKind(s.random.IntN(int(scenarioKinds)))
	s.knobs = emulator.Behavior{Since: emulator.Since(s.random.IntN(4)), Bare: s.chance(0.5)}
	if s.chance(0.2) {
		s.knobs.PageSize = 10 + s.random.IntN(90)
	}
	if s.chance(0.3) {
		s.knobs.Lag = s.between(time.Second, 3*time.Hour)
	}
	if s.chance(0.2) {
		s.knobs.Faults = s.random.Float64() * 0.02
	}
	if s.chance(0.2) {
		s.knobs.Rivals = s.random.IntN(300)
	}
	s.interval, s.limit, s.over = time.Minute, time.Hour, s.between(4*time.Hour, 14*time.Hour)
	if s.kind == pollScenario {
		s.interval = s.between(30*time.Second, 24*time.Hour)
		s.limit = 3 * time.Hour
		if s.interval > time.Hour {
			s.limit = 48 * time.Hour
		}
		s.over = s.limit + min(150*s.interval, 7*24*time.Hour)
	}
	s.restarts = s.chance(0.5)
	return s
}

// newSchedule returns a scenario of Watch or Poll whose intervals and gaps are arbitrary.
func newSchedule(seed uint64) *scenario {
	s := newScenario(seed)
	s.kind = scenarioKind(s.random.IntN(int(waitScenario)))
	s.interval, s.limit = s.between(30*time.Second, 24*time.Hour), time.Hour
	s.gaps = s.kind == pollScenario && s.chance(0.5)
	switch {
	case s.kind == watchScenario: // An hour and one interval.
		s.options.MinInterval = s.interval
		s.limit += s.interval
	case s.interval > time.Hour:
		s.limit = 48 * time.Hour
	default:
		s.limit = 3 * time.Hour
	}
	if s.gaps {
		s.limit += 4 * s.interval
	}
	s.over = s.limit + min(60*s.interval, 4*day)
	return s
}

const day = 24 * time.Hour

// populate creates submissions of all ages, up to 30 days at their evaluation.
func (s *scenario) populate() {
	s.byID, s.spoiled = make(map[string]*emulator.Submission), make(map[string]spoiling)
	for i := range 10 + s.random.IntN(200) {
		it := &emulator.Submission{ID: crowdID(i)}
		at := s.begun.Add(time.Duration(s.random.Float64()*float64(s.over+2*day)) - 2*day) // Evaluated.
		it.Created = at.Add(-s.between(time.Minute, 30*day-2*time.Hour)).Truncate(time.Millisecond)
		span := at.Sub(it.Created)
		it.Submitted = at.Add(-s.between(time.Second, span)).Truncate(time.Millisecond)
		it.Evaluated = at.Truncate(time.Millisecond)
		if s.chance(0.15) {
			it.Evaluated = time.Time{} // Never graded,
			if s.chance(0.7) {
				it.Submitted = time.Time{} // or abandoned.
			}
		}
		if it.Submitted.After(it.Evaluated) && !it.Evaluated.IsZero() {
			it.Submitted = it.Evaluated
		}
		s.all = append(s.all, it)
		s.byID[it.ID] = it
		if s.kind != waitScenario && !it.Evaluated.IsZero() && s.chance(0.02) {
			s.spoil(it)
		}
	}
	s.knobs.Spoil = func(now time.Time, listed bool, id string, members map[string]any) {
		if bad, ok := s.spoiled[id]; ok && now.Before(bad.until) && (listed || !bad.onlyListed) {
			members[bad.member] = bad.value
		}
	}
	s.service = emulator.New(s.knobs, s.seed, s.all)
}

// spoil makes a submission undecodable until some time after its evaluation.
func (s *scenario) spoil(it *emulator.Submission) {
	members := []struct {
		name  string
		value any
	}{{"paused_total_seconds", "60"}, {"candidate", 7}, {"evaluated_at", "yesterday"}, {"created_at", it.Created.Format("2006-01-02T15:04:05.000")}}
	member := members[s.random.IntN(len(members))]
	s.spoiled[it.ID] = spoiling{
		until: it.Evaluated.Add(s.between(time.Minute, 20*time.Hour)), onlyListed: s.chance(0.3), member: member.name, value: member.value,
	}
}

func (s *scenario) String() string {
	k := s.knobs
	return fmt.Sprintf("scenario %d: %s, since %s, bare %t, pages of %d, lag %s, faults %.3f, rivals %d, interval %s, over %s, restarts %t, %d submissions, %d spoiled, since %s before",
		s.seed, s.kind, k.Since, k.Bare, k.PageSize, k.Lag.Round(time.Second), k.Faults, k.Rivals, s.interval.Round(time.Second), s.over.Round(time.Minute), s.restarts,
		len(s.all), len(s.spoiled), s.begun.Sub(s.since).Round(time.Second))
}

func (s *scenario) fail(format string, args ...any) {
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

func (s *scenario) run(t *testing.T) {
	time.Sleep(time.Duration(s.random.Int64N(int64(day))))
	s.begun = time.Now()
	s.since = s.begun
	if s.kind != waitScenario && s.chance(0.5) {
		s.since = s.begun.Add(-s.between(time.Minute, 2*day)).Truncate(time.Millisecond)
		s.options.Since = s.since
	}
	s.populate()
	switch s.kind {
	case watchScenario:
		s.watch(t)
	case pollScenario:
		s.poll(t)
	default:
		s.wait(t)
	}
	if s.service.Denied > 0 && s.knobs.Rivals == 0 {
		s.fail("%d requests beyond the rate limit", s.service.Denied)
	}
	if len(s.problems) > 0 {
		t.Errorf("%s:\n%s", s, strings.Join(s.problems[:min(len(s.problems), 12)], "\n"))
	}
	worst := time.Duration(0)
	if len(s.lates) > 0 {
		worst = slices.Max(s.lates)
	}
	t.Logf("%s: %d came, the latest after %s, %d reads", s, len(s.came), worst.Round(time.Second), s.service.Reads)
}

func (s *scenario) client(t *testing.T) *hiring.Client {
	t.Helper()
	client, err := hiring.New("https://service.invalid", "sk_live_emulated",
		hiring.WithHTTPClient(&http.Client{Transport: s.service.Transport(150 * time.Millisecond)}))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func (s *scenario) take(got *hiring.Submission) {
	if !s.came[got.ID].IsZero() {
		s.fail("%s came twice, %s after the first", got.ID, time.Since(s.came[got.ID]))
	}
	s.came[got.ID] = time.Now()
	it := s.byID[got.ID]
	switch {
	case it == nil || it.Evaluated.IsZero() || time.Now().Before(it.Evaluated):
		s.fail("%s came and is not evaluated", got.ID)
		return
	case it.Evaluated.Before(s.since.Add(-time.Second)):
		s.fail("%s came, evaluated %s before the beginning", got.ID, s.since.Sub(it.Evaluated))
	case got.Report != nil && !got.Report.Ready():
		s.fail("%s came with a report that is not ready", got.ID)
	case got.Report == nil && time.Since(it.Evaluated) < time.Hour:
		s.fail("%s came without its report, evaluated %s ago", got.ID, time.Since(it.Evaluated))
	}
}

// watch runs Watch, in some scenarios with restarts.
func (s *scenario) watch(t *testing.T) {
	checkpoint := new(memoryCheckpoint)
	s.options.Checkpoint = checkpoint
	end := s.begun.Add(s.over)
	for time.Now().Before(end) {
		span := time.Until(end)
		if s.restarts {
			span = min(span, s.between(time.Minute, s.over))
		}
		ctx, cancel := context.WithTimeout(t.Context(), span)
		for got, err := range s.client(t).Submissions.Watch(ctx, s.options) {
			if errors.Is(err, context.DeadlineExceeded) {
				break
			}
			if err != nil {
				s.fail("the watch ended: %v", err)
				cancel()
				return
			}
			s.take(&got)
		}
		cancel()
	}
	s.checkDeliveries(end)
}

// poll calls Poll like a cron job, in some scenarios with a new client each time.
func (s *scenario) poll(t *testing.T) {
	client, state, last := s.client(t), "", s.begun
	for end := s.begun.Add(s.over); time.Now().Before(end); {
		if s.restarts {
			client = s.client(t)
		}
		last = time.Now()
		polled, err := client.Submissions.Poll(t.Context(), s.options, state)
		if err != nil {
			var failure *hiring.Error
			if !hiring.IsTransient(err) || !errors.As(err, &failure) {
				s.fail("the poll failed: %v", err)
				return
			}
		}
		for i := range polled.Submissions {
			s.take(&polled.Submissions[i])
		}
		s.unreadable = append(s.unreadable, polled.Unreadable...)
		state = polled.State
		if polled.Wait > 0 || err != nil {
			interval := s.interval
			if s.gaps && s.chance(0.2) {
				interval = time.Duration(5 * s.random.Float64() * float64(interval))
			}
			time.Sleep(max(interval, min(polled.Wait, time.Hour)))
		}
	}
	s.checkDeliveries(last)
	for i, id := range s.unreadable {
		if slices.Contains(s.unreadable[:i], id) {
			s.fail("%s is named twice", id)
		}
		if _, ok := s.spoiled[id]; !ok {
			s.fail("%s is named and can be decoded", id)
		}
	}
}

// checkDeliveries checks that all submissions were delivered that were due by end.
func (s *scenario) checkDeliveries(end time.Time) {
	for _, it := range s.all {
		if it.Evaluated.IsZero() || !it.Evaluated.After(s.since.Add(time.Second)) {
			continue
		}
		from, limit := it.Evaluated.Add(s.knobs.Lag), s.limit
		if from.Before(s.begun) {
			from = s.begun
		}
		bad, spoiled := s.spoiled[it.ID]
		if spoiled && bad.until.After(it.Evaluated) {
			limit += 6*time.Hour + s.interval + 5*time.Minute // Read singly, in the end every six hours.
			if bad.until.After(from) {
				from = bad.until
			}
		}
		if s.knobs.Lag > time.Hour { // Read at long intervals.
			limit += 10 * time.Minute
		}
		at, came := s.came[it.ID]
		if came {
			s.lates = append(s.lates, at.Sub(from))
		}
		switch {
		case !came && end.Sub(from) > limit:
			s.fail("%s has not come, evaluated %s ago, %s after the beginning, at the age of %s, %s after it was handed in, spoiled %t", it.ID, end.Sub(it.Evaluated),
				it.Evaluated.Sub(s.begun), it.Evaluated.Sub(it.Created), it.Evaluated.Sub(it.Submitted), spoiled)
		case came && at.Sub(from) > limit:
			s.fail("%s came after %s, evaluated %s after the beginning, at the age of %s, %s after it was handed in, spoiled %t", it.ID, at.Sub(from),
				it.Evaluated.Sub(s.begun), it.Evaluated.Sub(it.Created), it.Evaluated.Sub(it.Submitted), spoiled)
		}
	}
}

// wait waits for reports, including those of unknown IDs and of a deleted submission.
func (s *scenario) wait(t *testing.T) {
	var ids, missing []string
	for _, it := range s.all {
		if it.Evaluated.IsZero() || it.Created.After(s.begun) || s.chance(0.2) {
			continue
		}
		if s.chance(0.03) {
			it.Deleted = s.begun.Add(s.between(time.Second, s.over))
			if it.Deleted.Before(it.Evaluated.Add(s.knobs.Lag)) {
				missing = append(missing, it.ID)
			} else {
				it.Deleted = time.Time{}
			}
		}
		ids = append(ids, it.ID)
	}
	for n := range s.random.IntN(3) {
		ids = append(ids, crowdID(100_000+n))
		missing = append(missing, crowdID(100_000+n))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 40*day)
	defer cancel()
	var ended *hiring.WaitError
	for report, err := range s.client(t).Submissions.WaitReports(ctx, ids, hiring.WaitOptions{}) {
		if err != nil {
			if !errors.As(err, &ended) {
				s.fail("the wait ended: %v", err)
			}
			break
		}
		it := s.byID[report.SubmissionID]
		switch {
		case !report.Ready():
			s.fail("%s is not ready", report.SubmissionID)
		case it == nil || !slices.Contains(ids, it.ID):
			s.fail("%s is not wanted", report.SubmissionID)
			continue
		case !s.came[it.ID].IsZero():
			s.fail("%s came twice", it.ID)
		}
		s.came[it.ID] = time.Now()
		from := it.Evaluated.Add(s.knobs.Lag)
		if from.Before(s.begun) {
			from = s.begun
		}
		s.lates = append(s.lates, time.Since(from))
		if late := time.Since(from); late > s.limit {
			s.fail("%s came after %s", it.ID, late)
		}
	}
	var named []string
	if ended != nil {
		named = ended.Missing
		if len(ended.Pending)+len(ended.Unreadable) > 0 || !errors.Is(ended, hiring.ErrNotFound) {
			s.fail("the wait ended: %v", ended)
		}
	}
	slices.Sort(named)
	slices.Sort(missing)
	if !slices.Equal(named, missing) {
		s.fail("missing are %v and not %v", named, missing)
	}
	if len(s.came)+len(missing) != len(ids) {
		s.fail("%d of %d came", len(s.came), len(ids)-len(missing))
	}
}
