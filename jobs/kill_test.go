package jobs_test

import (
	"context"
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

// trial is worker processes on one database and one service, which invite and
// watch while they are killed.
type trial struct {
	t        *testing.T
	rnd      *rand.Rand
	world    *world
	database string
	began    time.Time
	until    time.Time // When the killing ends.

	mutex     sync.Mutex
	ended     bool
	processes []*exec.Cmd // By slot.
	kills     int
	done      sync.WaitGroup
}

// haste is by how much time passes faster for the service: what Poll does every
// few minutes must come to pass in a test.
const haste = 30

func newTrial(t *testing.T, seed uint64, database string) *trial {
	t.Helper()
	began := time.Now()
	server := sandbox.New(
		sandbox.WithClock(func() time.Time { return began.Add(time.Since(began) * haste) }),
		sandbox.WithQuota(1000, 10_000),
		sandbox.WithTimeline(sandbox.Timeline{Open: time.Minute, Begin: time.Minute, Submit: 3 * time.Minute, Evaluate: time.Minute}),
	)
	t.Cleanup(server.Close)
	w := &world{server, server.LiveClient(), server.AddAssessment("Backend engineer"), began}
	return &trial{t: t, rnd: rand.New(rand.NewPCG(seed, 0)), world: w, database: database}
}

// faults are some of all kinds, at random places.
func (r *trial) faults() {
	for range 15 {
		f := sandbox.Fault{Route: "GET /submissions", Skip: r.rnd.IntN(60), Times: 1}
		switch r.rnd.IntN(4) {
		case 0:
			f.Status, f.Code = http.StatusInternalServerError, hiring.ErrInternal
		case 1:
			f.Reset = true
		case 2:
			f.CutAfter = 1 + r.rnd.IntN(5000)
		case 3:
			f.Delay = 300 * time.Millisecond
		}
		r.world.Inject(f)
	}
	for range 2 { // Each makes a run of invitations begin anew.
		f := sandbox.Fault{Route: "POST /assessments/{id}/invitations", Skip: r.rnd.IntN(1500), Times: 1, After: true}
		if r.rnd.IntN(2) == 0 {
			f.Reset = true
		} else {
			f.Status = http.StatusBadGateway
		}
		r.world.Inject(f)
	}
}

// run keeps so many processes running until the test ends.
func (r *trial) run(workers int) {
	r.processes = make([]*exec.Cmd, workers)
	for slot := range workers {
		r.done.Go(func() { r.keep(slot) })
	}
	r.t.Cleanup(r.stop)
}

// keep starts the process of a slot, again whenever it was killed.
func (r *trial) keep(slot int) {
	for n := 0; ; n++ {
		r.mutex.Lock()
		if r.ended {
			r.mutex.Unlock()
			return
		}
		itself, err := os.Executable()
		c := exec.CommandContext(context.WithoutCancel(r.t.Context()), itself)
		c.Env = append(os.Environ(), roleVariable+"=worker", databaseVariable+"="+r.database, serviceVariable+"="+r.world.URL(),
			nameVariable+"="+fmt.Sprintf("worker-%d-%d", slot, n), untilVariable+"="+strconv.FormatInt(r.until.UnixMilli(), 10))
		c.Stderr = os.Stderr
		if err == nil {
			err = c.Start()
		}
		r.processes[slot] = c
		pause := time.Duration(r.rnd.IntN(500)) * time.Millisecond
		r.mutex.Unlock()
		if err != nil {
			r.t.Error(err)
			return
		}
		if err := c.Wait(); !strings.Contains(fmt.Sprint(err), "killed") {
			r.t.Errorf("a worker ended by itself: %v", err)
			return
		}
		r.mutex.Lock()
		if !r.ended {
			r.kills++
		}
		r.mutex.Unlock()
		time.Sleep(pause)
	}
}

// kill ends a process at a random moment; every other time the leader, if it can
// be told.
func (r *trial) kill(leader string) {
	r.mutex.Lock()
	pause := time.Duration(500+r.rnd.IntN(4500)) * time.Millisecond
	r.mutex.Unlock()
	time.Sleep(pause)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	slot := r.rnd.IntN(len(r.processes))
	if parts := strings.Split(leader, "-"); len(parts) == 3 && r.rnd.IntN(2) == 0 {
		slot, _ = strconv.Atoi(parts[1])
	}
	if c := r.processes[slot]; c != nil {
		_ = c.Process.Kill()
	}
}

func (r *trial) stop() {
	r.mutex.Lock()
	r.ended = true
	for _, c := range r.processes {
		if c != nil {
			_ = c.Process.Kill()
		}
	}
	r.mutex.Unlock()
	r.done.Wait()
}

// reads counts the requests of the watch in the first part of a trial, which the
// invitations' listings are no part of.
func (r *trial) reads(t *testing.T, span time.Duration) (n int) {
	t.Helper()
	until := r.world.begun.Add(r.began.Add(span).Sub(r.world.begun) * haste)
	journal := r.world.Journal()
	require.Less(t, len(journal), sandbox.JournalEntries, "it would have forgotten some")
	for _, e := range journal {
		if e.Method == http.MethodGet && !strings.HasSuffix(e.Route, "/invitations") && !e.At.After(until) {
			n++
		}
		require.NotEqual(t, http.StatusTooManyRequests, e.Status)
	}
	return n
}

// begin has n candidates to be invited, and processes that do it.
func begin[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx], seed uint64, n, workers int, chaos time.Duration) *trial {
	t.Helper()
	r := newTrial(t, seed, s.url)
	r.faults()
	config := hurried() // To insert only.
	require.NoError(t, jobs.SendInvitations[D, TTx](config, jobs.Invitations{Organizations: r.world.organizations()}))
	config.Queues = nil
	inserting := s.client(t, config)
	s.invite(t, inserting, r.world.assessment, candidates(n)...)
	r.began = time.Now()
	r.until = r.began.Add(chaos)
	r.run(workers)
	return r
}

// allStored waits until n results are.
func (s *store[D, TTx]) allStored(t *testing.T, n int) {
	t.Helper()
	for last, at := -1, time.Now(); last < n; time.Sleep(100 * time.Millisecond) {
		if stored := s.count(t, "results"); stored > last {
			last, at = stored, time.Now()
		}
		if time.Since(at) > patience {
			require.Fail(t, "it does not go on", "at %d: %s", last, s.summary(t))
		}
	}
}

// endure kills as long as it is time for that, waits until all n results are
// stored, and returns how long that took.
func endure[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx], r *trial, n int) time.Duration {
	t.Helper()
	for time.Now().Before(r.until) {
		r.kill(s.leader(t))
	}
	s.allStored(t, n)
	took := time.Since(r.began)
	rounds := s.rounds(t)
	eventually(t, func() bool { return s.rounds(t) > rounds+1 }, "two more rounds")
	return took
}

// settle stops the processes and looks at what they have left.
func settle[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx], r *trial, n int) {
	t.Helper()
	r.stop()
	require.Equal(t, n, s.count(t, "results"), "each once")
	require.Equal(t, n, value[int](t, s.db, "SELECT count(DISTINCT submission_id) FROM results"))
	mails := r.world.mails(t, r.world.assessment)
	require.Len(t, mails, n)
	for address, times := range mails {
		require.Equal(t, 1, times, address)
	}
	require.True(t, s.statusIs(t, jobs.StatusQueued, 0)())
}

// extent is how much is tried.
func extent() (seeds uint64, submissions int, chaos time.Duration) {
	switch {
	case os.Getenv("HIRING_LONG") != "":
		return 20, 2000, time.Minute
	case testing.Short():
		return 1, 300, 10 * time.Second
	}
	return 2, 2000, 25 * time.Second
}

// TestKilledWorkersPostgres has three processes, and compares with a single one
// that nothing happens to: how often each has read from its beginning until both
// had done the whole of the same work. Who is through earlier goes on watching.
func TestKilledWorkersPostgres(t *testing.T) {
	t.Parallel()
	seeds, n, chaos := extent()
	one := newPostgres(t)
	alone := begin(t, one, 0, n, 1, 0)
	t.Run("killed", func(t *testing.T) {
		for seed := range seeds {
			t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
				t.Parallel()
				s := newPostgres(t)
				r := begin(t, s, seed, n, 3, chaos)
				took := endure(t, s, r, n)
				one.allStored(t, n)
				span := time.Since(r.began)
				settle(t, s, r, n)
				reads, usual := r.reads(t, span), alone.reads(t, span)
				t.Logf("three processes, %d kills: through in %s; %d reads in %s, where one process made %d: %.2f times as many",
					r.kills, took.Round(time.Second), reads, span.Round(time.Second), usual, float64(reads)/float64(usual))
				require.Less(t, float64(reads), 1.2*float64(usual))
				require.Less(t, reads, 1000)
				require.Positive(t, r.kills)
			})
		}
	})
	one.allStored(t, n)
	settle(t, one, alone, n)
	through := value[time.Time](t, one.db, "SELECT max(finalized_at) FROM river_job WHERE kind = 'hiring_delivery'").Sub(alone.began)
	t.Logf("one process: through in %s with %d reads", through.Round(time.Second), alone.reads(t, through))
}

func TestKilledWorkerSQLite(t *testing.T) {
	t.Parallel()
	seeds, n, chaos := extent()
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			s := newSQLite(t)
			r := begin(t, s, seed, n, 1, chaos)
			took := endure(t, s, r, n)
			settle(t, s, r, n)
			t.Logf("%d kills: %d reads in %s", r.kills, r.reads(t, took), took.Round(time.Second))
			require.Positive(t, r.kills)
		})
	}
}
