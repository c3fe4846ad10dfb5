package wait_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

const day = 24 * time.Hour

// figure is a row of docs/internals/figures.md with its limits.
type figure struct {
	call      string // Watch, Poll or WaitReports.
	n         int    // Evaluations a day; of WaitReports, ids that are evaluated within eight hours.
	since     string
	grading   time.Duration // The median.
	noFilters bool          // The API rejects unfinished statuses.
	empty     bool          // There is no submission at first.

	reads  int // An hour, at most.
	p95    time.Duration
	latest time.Duration
}

var figures = []figure{
	{call: "Watch", n: 50, since: "evaluated", grading: 3 * time.Minute, reads: 180, p95: time.Minute, latest: 10 * time.Minute},
	{call: "Watch", n: 50, since: "created", grading: 3 * time.Minute, reads: 230, p95: 75 * time.Second, latest: 30 * time.Minute},
	{call: "Watch", n: 50, since: "ignored", grading: 3 * time.Minute, reads: 280, p95: 66 * time.Second, latest: 30 * time.Minute},
	{call: "Watch", n: 500, since: "evaluated", grading: 3 * time.Minute, reads: 180, p95: time.Minute, latest: 30 * time.Minute},
	{call: "Watch", n: 500, since: "created", grading: 3 * time.Minute, reads: 300, p95: time.Minute, latest: time.Hour},
	{call: "Watch", n: 500, since: "created", grading: 20 * time.Second, reads: 700, p95: 5 * time.Minute, latest: 4 * time.Hour},
	{call: "Watch", n: 500, since: "created", grading: 3 * time.Minute, noFilters: true, reads: 900, p95: 10 * time.Minute, latest: 6 * time.Hour},
	{call: "Watch", n: 500, since: "ignored", grading: 3 * time.Minute, reads: 320, p95: time.Minute, latest: time.Hour},
	{call: "Watch", n: 2000, since: "evaluated", grading: 3 * time.Minute, reads: 270, p95: time.Minute, latest: time.Hour},
	{call: "Watch", n: 2000, since: "created", grading: 3 * time.Minute, reads: 450, p95: time.Minute, latest: 2 * time.Hour},
	{call: "Watch", n: 2000, since: "created", grading: 3 * time.Minute, empty: true, reads: 400, p95: time.Minute, latest: 2 * time.Hour},
	{call: "Watch", n: 2000, since: "ignored", grading: 3 * time.Minute, reads: 520, p95: time.Minute, latest: 2 * time.Hour},
	{call: "Poll", n: 50, since: "created", grading: 3 * time.Minute, reads: 40, p95: 61 * time.Minute, latest: 2 * time.Hour},
	{call: "Poll", n: 2000, since: "evaluated", grading: 3 * time.Minute, reads: 400, p95: 61 * time.Minute, latest: 2 * time.Hour},
	{call: "Poll", n: 2000, since: "created", grading: 3 * time.Minute, reads: 400, p95: 61 * time.Minute, latest: 5 * time.Hour},
	{call: "Poll", n: 2000, since: "ignored", grading: 3 * time.Minute, reads: 400, p95: 61 * time.Minute, latest: 7 * time.Hour},
	{call: "WaitReports", n: 1, since: "created", grading: 3 * time.Minute, reads: 120, p95: 75 * time.Second, latest: 75 * time.Second},
	{call: "WaitReports", n: 10, since: "created", grading: 3 * time.Minute, reads: 220, p95: 75 * time.Second, latest: 75 * time.Second},
	{call: "WaitReports", n: 100, since: "evaluated", grading: 3 * time.Minute, reads: 200, p95: time.Minute, latest: time.Hour},
	{call: "WaitReports", n: 100, since: "created", grading: 3 * time.Minute, reads: 200, p95: 75 * time.Second, latest: time.Hour},
	{call: "WaitReports", n: 100, since: "ignored", grading: 3 * time.Minute, reads: 240, p95: 66 * time.Second, latest: time.Hour},
	{call: "WaitReports", n: 1000, since: "evaluated", grading: 3 * time.Minute, reads: 560, p95: time.Minute, latest: 6 * time.Hour},
	{call: "WaitReports", n: 1000, since: "created", grading: 3 * time.Minute, reads: 580, p95: time.Minute, latest: 6 * time.Hour},
	{call: "WaitReports", n: 1000, since: "ignored", grading: 3 * time.Minute, reads: 660, p95: 72 * time.Second, latest: 6 * time.Hour},
}

// row returns what docs/internals/figures.md states: the reads in an hour, and within which delays half, 95 % and all results come.
func (f figure) row(t *testing.T) (reads int, delays [3]time.Duration) {
	t.Helper()
	text, err := os.ReadFile("../../docs/internals/figures.md")
	require.NoError(t, err)
	number := strings.Replace(strconv.Itoa(f.n), "000", ",000", 1)
	since := map[string]string{"evaluated": "evaluation", "created": "creation", "ignored": "nothing"}[f.since] +
		map[bool]string{true: "; no status filters"}[f.noFilters] + map[bool]string{true: "; empty at first"}[f.empty]
	grading := strings.NewReplacer("m0s", " min", "20s", "20 s").Replace(f.grading.String())
	begin := fmt.Sprintf("| `%s`, %s | %s | %s | ", f.call, number, since, grading)
	_, rest, found := strings.Cut(string(text), begin)
	require.True(t, found, "figures.md has no row %s", begin)
	cells := strings.Split(rest, " | ")
	reads, err = strconv.Atoi(cells[0])
	require.NoError(t, err)
	for i := range delays {
		delays[i], err = time.ParseDuration(strings.NewReplacer(" ", "", "min", "m").Replace(cells[i+1]))
		require.NoError(t, err)
	}
	return reads, delays
}

// TestFigures measures what docs/internals/figures.md shows. HIRING_LONG=1 logs its table.
func TestFigures(t *testing.T) {
	for _, f := range figures {
		stated, within := f.row(t)
		assert.True(t, stated <= f.reads && stated >= f.reads/3 && slices.IsSorted(within[:]) && within[1] <= f.p95 && within[2] <= f.latest, "%+v: %d, %v", f, stated, within)
		length, learning := 3*day, day // In the beginning a watch learns which listings show results.
		if f.n >= 2000 {
			length = 2 * day
		}
		if !apitest.Long() {
			if f.n > 100 || f.since != "created" || f.call == "Poll" || (testing.Short() || !apitest.Thorough()) && f.call == "Watch" {
				continue
			}
			length, learning = day, day/3
		}
		inBubble(t, fmt.Sprintf("%s-%d", f.call, f.n), func(t *testing.T) {
			transport := f.organization(length)
			delays, reads, state := f.measure(t, transport, length, learning)
			filters := map[bool]string{true: ", no status filters"}[f.noFilters] + map[bool]string{true: ", empty at first"}[f.empty]
			shown := func(q float64) string { return quantile(delays, q).Round(time.Second).String() }
			t.Logf("| `%s`, %d | %s, %v%s | %d | %s | %s | %s | %d KB |", f.call, f.n, f.since, f.grading, filters, reads, shown(0.5), shown(0.95), shown(1), state>>10)
			assert.LessOrEqual(t, reads, f.reads, "reads an hour")
			assert.InEpsilon(t, stated, reads, 0.25, "reads an hour in figures.md")
			assert.LessOrEqual(t, quantile(delays, 0.95), f.p95)
			assert.LessOrEqual(t, quantile(delays, 1), f.latest)
		})
	}
}

// organization returns the API with the submissions of 40 days before now and of the days after, or with those that
// WaitReports waits for.
func (f figure) organization(length time.Duration) *emulator.Transport {
	r := rand.New(rand.NewPCG(uint64(f.n), 3))
	api := &emulator.API{Since: f.since, Seed: 1}
	if f.noFilters {
		api.Unfinished = "refused"
	}
	before, hours, count := 40*24.0, length.Hours(), int(float64(f.n)*(40+length.Hours()/24))
	if f.call == "WaitReports" {
		before, hours, count = 0, 8, f.n
	}
	logNormal := func(median time.Duration, sigma float64) time.Duration {
		return time.Duration(float64(median) * math.Exp(sigma*r.NormFloat64()))
	}
	subs := make([]*emulator.Submission, count)
	for i := range subs {
		s := &emulator.Submission{ID: fmt.Sprintf("%08x-0000-4000-8000-%012x", i, r.Uint64()>>16)}
		s.Evaluated = time.Duration((r.Float64()*(before+hours) - before) * float64(time.Hour)).Truncate(time.Millisecond)
		s.Submitted = s.Evaluated - max(time.Second, logNormal(f.grading, 0.7)).Truncate(time.Millisecond)
		s.Created = s.Submitted - max(time.Minute, logNormal(3*time.Hour, 1.366)).Truncate(time.Millisecond)
		if f.call == "WaitReports" {
			s.Created = min(s.Created, -time.Second)
		}
		subs[i] = s
	}
	if f.empty {
		subs = slices.DeleteFunc(subs, func(s *emulator.Submission) bool { return s.Created < 2*time.Hour })
	}
	api.Add(subs)
	return &emulator.Transport{API: api, Begin: time.Now()}
}

// measure returns the delays, the reads in an hour, for a watch after learning, and the size of the largest state.
func (f figure) measure(t *testing.T, transport *emulator.Transport, end, learning time.Duration) (delays []time.Duration, reads, state int) {
	got := map[string]bool{}
	take := func(id string) {
		require.False(t, got[id], "twice: %s", id)
		got[id] = true
		delays = append(delays, time.Since(transport.Begin)-transport.API.Submission(id).Evaluated)
	}
	var interval time.Duration // The default, which is random.
	if !apitest.Long() {
		interval = 45 * time.Second // Each run has the same figures.
	}
	counted, from, checkpoint := 0, time.Duration(0), new(memoryCheckpoint)
	if f.call == "WaitReports" {
		for report, err := range clientOf(t, transport).Submissions.WaitReports(t.Context(), transport.API.IDs(), hiring.WaitOptions{MinInterval: interval, MaxInterval: interval}) {
			require.NoError(t, err)
			take(report.SubmissionID)
		}
		require.Len(t, delays, f.n)
		end = time.Since(transport.Begin)
	}
	for time.Since(transport.Begin) < end {
		if from == 0 && time.Since(transport.Begin) >= learning {
			counted, from = transport.API.Reads, time.Since(transport.Begin)
		}
		if f.call == "Poll" {
			next := time.Now().Add(time.Hour)
			for wait := time.Duration(0); wait == 0; {
				polled, err := clientOf(t, transport).Submissions.Poll(t.Context(), checkpoint.state, hiring.WatchOptions{})
				require.NoError(t, err)
				for _, s := range polled.Submissions {
					take(s.ID)
				}
				checkpoint.state, wait = polled.State, polled.Wait
			}
			time.Sleep(time.Until(next))
		} else {
			ctx, cancel := context.WithTimeout(t.Context(), 6*time.Hour)
			for s, err := range clientOf(t, transport).Submissions.Watch(ctx, hiring.WatchOptions{Checkpoint: checkpoint, MinInterval: interval, MaxInterval: interval}) {
				if err != nil {
					require.ErrorIs(t, err, context.DeadlineExceeded)
					break
				}
				take(s.ID)
			}
			cancel()
		}
		state = max(state, len(checkpoint.state))
	}
	return delays, int(float64(transport.API.Reads-counted) / (end - from).Hours()), state
}
