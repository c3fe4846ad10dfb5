package jobs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// killTest runs worker processes on one database and one fake API. They send
// invitations and watch for results while the test kills them.
type killTest struct {
	t        *testing.T
	random   *rand.Rand
	api      *fakeAPI
	database string
	settings func(slot int) workerSettings // Nil means none.
	began    time.Time
	until    time.Time // No process is killed afterwards.

	mayFailToStart bool // The database is not always there.

	mutex     sync.Mutex
	stopped   bool
	ended     map[int]bool // Slots whose processes are not started again.
	processes []*exec.Cmd  // By slot.
	kills     int
	running   sync.WaitGroup // Goroutines that restart processes.
}

// clockSpeed is the speed of the fake API's clock, so that the actions that Poll takes
// every few minutes happen within the test.
const clockSpeed = 30

func newKillTest(t *testing.T, seed uint64, database string) *killTest {
	t.Helper()
	began := time.Now()
	server := sandbox.New(
		sandbox.WithClock(func() time.Time { return began.Add(time.Since(began) * clockSpeed) }),
		sandbox.WithQuota(1000, 10_000),
		sandbox.WithTimeline(sandbox.Timeline{Open: time.Minute, Begin: time.Minute, Submit: 3 * time.Minute, Evaluate: time.Minute}),
	)
	t.Cleanup(server.Close)
	api := &fakeAPI{server, server.LiveClient(), server.AddAssessment("Backend engineer"), began}
	return &killTest{t: t, random: rand.New(rand.NewPCG(seed, 0)), api: api, database: database}
}

// injectFaults injects faults of every kind into random requests.
func (r *killTest) injectFaults() {
	for range 15 {
		r.injectReadFault(60)
	}
	for range 2 { // Each ends a run of invitations early.
		r.injectWriteFault(1500)
	}
}

// injectReadFault injects a fault into one of the next requests of polls.
func (r *killTest) injectReadFault(among int) {
	f := sandbox.Fault{Route: "GET /submissions", Skip: r.random.IntN(among), Times: 1}
	switch r.random.IntN(4) {
	case 0:
		f.Status, f.Code = http.StatusInternalServerError, hiring.ErrInternal
	case 1:
		f.Reset = true
	case 2:
		f.CutAfter = 1 + r.random.IntN(5000)
	case 3:
		f.Delay = 300 * time.Millisecond
	}
	r.api.Inject(f)
}

// injectWriteFault injects a fault into one of the next invitations, whose response is lost.
func (r *killTest) injectWriteFault(among int) {
	f := sandbox.Fault{Route: "POST /assessments/{id}/invitations", Skip: r.random.IntN(among), Times: 1, After: true}
	if r.random.IntN(2) == 0 {
		f.Reset = true
	} else {
		f.Status = http.StatusBadGateway
	}
	r.api.Inject(f)
}

// run keeps a number of processes running until the test ends.
func (r *killTest) run(workers int) {
	r.processes = make([]*exec.Cmd, workers)
	for slot := range workers {
		r.running.Go(func() { r.restart(slot) })
	}
	r.t.Cleanup(r.stop)
}

// restart starts the process of a slot, and starts it again after each kill.
func (r *killTest) restart(slot int) {
	for n := 0; ; n++ {
		r.mutex.Lock()
		if r.stopped || r.ended[slot] {
			r.mutex.Unlock()
			return
		}
		executable, err := os.Executable()
		c := exec.CommandContext(context.WithoutCancel(r.t.Context()), executable)
		c.Env = append(os.Environ(), roleVariable+"=worker", databaseVariable+"="+r.database, serviceVariable+"="+r.api.URL(),
			nameVariable+"="+fmt.Sprintf("worker-%d-%d", slot, n), untilVariable+"="+strconv.FormatInt(r.until.UnixMilli(), 10))
		if r.settings != nil && err == nil {
			var text []byte
			text, err = json.Marshal(r.settings(slot))
			c.Env = append(c.Env, settingsVariable+"="+string(text))
		}
		c.Stderr = os.Stderr
		if err == nil {
			err = c.Start()
		}
		r.processes[slot] = c
		delay := rand.N(500 * time.Millisecond)
		r.mutex.Unlock()
		if err != nil {
			r.t.Error(err)
			return
		}
		err = c.Wait()
		killed := strings.Contains(fmt.Sprint(err), "killed")
		r.mutex.Lock()
		if killed && !r.stopped {
			r.kills++
		}
		mayEnd := killed || r.mayFailToStart && strings.Contains(err.Error(), "exit status 1")
		r.mutex.Unlock()
		if !mayEnd {
			r.t.Errorf("a worker process ended without being killed: %v", err)
			return
		}
		time.Sleep(delay)
	}
}

// kill kills a process after a random delay: the leader in half of the calls, if there
// is one.
func (r *killTest) kill(leader string) {
	r.mutex.Lock()
	delay := time.Duration(500+r.random.IntN(4500)) * time.Millisecond
	r.mutex.Unlock()
	time.Sleep(delay)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	slot := r.random.IntN(len(r.processes))
	if parts := strings.Split(leader, "-"); len(parts) == 3 && r.random.IntN(2) == 0 {
		slot, _ = strconv.Atoi(parts[1])
	}
	if c := r.processes[slot]; c != nil {
		_ = c.Process.Kill()
	}
}

func (r *killTest) stop() {
	r.mutex.Lock()
	r.stopped = true
	for _, c := range r.processes {
		if c != nil {
			_ = c.Process.Kill()
		}
	}
	r.mutex.Unlock()
	r.running.Wait()
}

// reads returns the number of read requests of the watch in the first part of the
// test. Listings of invitations do not count.
func (r *killTest) reads(t *testing.T, span time.Duration) (n int) {
	t.Helper()
	until := r.api.start.Add(r.began.Add(span).Sub(r.api.start) * clockSpeed)
	journal := r.api.Journal()
	require.Less(t, len(journal), sandbox.JournalEntries, "the journal is full and has dropped entries")
	for _, e := range journal {
		if e.Method == http.MethodGet && !strings.HasSuffix(e.Route, "/invitations") && !e.At.After(until) {
			n++
		}
		require.NotEqual(t, http.StatusTooManyRequests, e.Status)
	}
	return n
}

// startKillTest queues n invitations and starts worker processes.
func startKillTest[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx], seed uint64, n, workers int, chaos time.Duration) *killTest {
	t.Helper()
	r := newKillTest(t, seed, s.url)
	r.injectFaults()
	config := testConfig()
	require.NoError(t, jobs.SendInvitations[D, TTx](config, jobs.Invitations{Organizations: r.api.organizations()}))
	config.Queues = nil // This client only inserts jobs.
	inserting := s.newClient(t, config)
	s.invite(t, inserting, r.api.assessment, candidates(n)...)
	r.began = time.Now()
	r.until = r.began.Add(chaos)
	r.run(workers)
	return r
}

// allStored waits until n results are stored.
func (s *store[D, TTx]) allStored(tb testing.TB, n int) {
	tb.Helper()
	waitForCount(tb, n, func() int { return s.count(tb, "results") }, func() string { return s.summary(tb) })
}

// killAndWait kills processes until r.until, waits until n results are stored, and
// returns the time since the start.
func killAndWait[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx], r *killTest, n int) time.Duration {
	t.Helper()
	for time.Now().Before(r.until) {
		r.kill(s.leader(t))
	}
	s.allStored(t, n)
	took := time.Since(r.began)
	polls := s.polls(t)
	eventually(t, func() bool { return s.polls(t) > polls+1 }, "there are two more polls")
	return took
}

// stopAndVerify stops the processes and checks that each result is stored once and
// each address is invited once.
func stopAndVerify[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx], r *killTest, n int) {
	t.Helper()
	r.stop()
	s.requireStoredOnce(t, n)
	r.api.requireInvitedOnce(t, n)
	require.True(t, s.statusIs(t, jobs.StatusQueued, 0)())
}

// killTestSize returns the number of seeds and submissions, and how long processes are
// killed. HIRING_CHAOS sets the duration of a single run.
func killTestSize() (seeds uint64, submissions int, chaos time.Duration) {
	if chaos, err := time.ParseDuration(os.Getenv("HIRING_CHAOS")); err == nil {
		return 1, 2000, chaos
	}
	switch {
	case longTests():
		return 20, 2000, time.Minute
	case testing.Short():
		return 1, 300, 10 * time.Second
	}
	return 2, 1200, 20 * time.Second
}

// TestKilledWorkersPostgres kills three processes again and again. It compares their
// read requests with those of one process that is not killed, counted until both have
// stored all results.
func TestKilledWorkersPostgres(t *testing.T) {
	t.Parallel()
	seeds, n, chaos := killTestSize()
	baselineStore := newPostgres(t)
	baseline := startKillTest(t, baselineStore, 0, n, 1, 0)
	t.Run("killed", func(t *testing.T) {
		for seed := range seeds {
			t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
				t.Parallel()
				s := newPostgres(t)
				r := startKillTest(t, s, seed, n, 3, chaos)
				took := killAndWait(t, s, r, n)
				baselineStore.allStored(t, n)
				span := time.Since(r.began)
				stopAndVerify(t, s, r, n)
				reads, baselineReads := r.reads(t, span), baseline.reads(t, span)
				t.Logf("three processes, %d kills: all stored after %s; %d reads in %s; one process made %d reads, a ratio of %.2f",
					r.kills, took.Round(time.Second), reads, span.Round(time.Second), baselineReads, float64(reads)/float64(baselineReads))
				require.Less(t, float64(reads), 1.2*float64(baselineReads))
				require.Less(t, float64(reads), 1000*max(1, span.Hours()*clockSpeed), "the rate limit by the clock of the fake API")
				require.Positive(t, r.kills)
			})
		}
	})
	baselineStore.allStored(t, n)
	stopAndVerify(t, baselineStore, baseline, n)
	took := queryValue[time.Time](t, baselineStore.db, "SELECT max(finalized_at) FROM river_job WHERE kind = 'hiring_delivery'").Sub(baseline.began)
	t.Logf("one process: all stored after %s, %d reads", took.Round(time.Second), baseline.reads(t, took))
}

func TestKilledWorkerSQLite(t *testing.T) {
	t.Parallel()
	seeds, n, chaos := killTestSize()
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			s := newSQLite(t)
			r := startKillTest(t, s, seed, n, 1, chaos)
			took := killAndWait(t, s, r, n)
			stopAndVerify(t, s, r, n)
			t.Logf("%d kills: %d reads in %s", r.kills, r.reads(t, took), took.Round(time.Second))
			require.Positive(t, r.kills)
		})
	}
}
