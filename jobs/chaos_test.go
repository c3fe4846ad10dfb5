package jobs_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// chaos is worker processes on one database and one fake API, which are killed and started again at once.
type chaos struct {
	api      *fakeAPI
	database string
	roles    []string // Of the processes, by slot: see roleVariable.
	mayFail  bool     // A process may fail to start, because its connection was cut.
	db       *sql.DB

	mu        sync.Mutex
	stopped   bool
	kills     int
	wanted    int         // Processes kill themselves until there were so many kills.
	processes []*exec.Cmd // By slot.
	running   sync.WaitGroup
}

// run keeps a process running in each slot until the test ends.
func (c *chaos) run(t *testing.T) {
	t.Helper()
	c.processes = make([]*exec.Cmd, len(c.roles))
	for slot := range c.roles {
		c.running.Go(func() {
			more := true
			for n := 0; more; n++ {
				more = c.runOnce(t, slot, n)
			}
		})
	}
	t.Cleanup(c.stop)
}

// runOnce runs a process until it ends. It reports whether another one follows.
func (c *chaos) runOnce(t *testing.T, slot, n int) bool {
	t.Helper()
	executable, err := os.Executable()
	name := fmt.Sprintf("worker-%d-%d", slot, n)
	process := exec.CommandContext(context.WithoutCancel(t.Context()), executable)
	process.Stderr = os.Stderr
	c.mu.Lock()
	if c.stopped {
		c.mu.Unlock()
		return false
	}
	process.Env = append(os.Environ(), databaseVariable+"="+c.database, serviceVariable+"="+c.api.URL(), nameVariable+"="+name, roleVariable+"="+c.roles[slot])
	if c.kills < c.wanted {
		process.Env = append(process.Env, dieVariable+"=1")
	}
	if err == nil {
		err = process.Start()
	}
	c.processes[slot] = process
	c.mu.Unlock()
	if err == nil {
		err = process.Wait()
		// A leader that was killed would lead for 15 s more. The leadership of a process that lives must stay: River would not promote jobs for a while.
		_, _ = c.db.ExecContext(context.WithoutCancel(t.Context()), "DELETE FROM river_leader WHERE leader_id = $1", name) // The connection may be cut.
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mayFail && strings.Contains(fmt.Sprint(err), "exit status 1") {
		return true
	}
	if !strings.Contains(fmt.Sprint(err), "killed") && !c.stopped {
		t.Errorf("a worker process ended without being killed: %v", err)
		return false
	}
	if !c.stopped {
		c.kills++
	}
	return true
}

// kill kills the process of a slot, and returns the number of kills so far.
func (c *chaos) kill(slot int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if process := c.processes[slot]; process != nil && process.Process != nil && c.kills < c.wanted {
		_ = process.Process.Kill()
	}
	return c.kills
}

func (c *chaos) stop() {
	c.mu.Lock()
	c.stopped = true
	for _, process := range c.processes {
		if process != nil && process.Process != nil {
			_ = process.Process.Kill()
		}
	}
	c.mu.Unlock()
	c.running.Wait()
}

// injectFaults injects a fault into one of the next listings of submissions, and with HIRING_LONG at times into an invitation, whose
// response is lost: the client then waits ten seconds before it lists.
func (c *chaos) injectFaults(random *rand.Rand) {
	c.api.ClearFaults() // With more faults than requests no poll would end.
	f := sandbox.Fault{Route: "GET /submissions", Skip: random.IntN(5), Times: 1}
	switch random.IntN(3) {
	case 0:
		f.Status, f.Code = http.StatusInternalServerError, hiring.ErrInternal
	case 1:
		f.Reset = true
	case 2:
		f.CutAfter = 1 + random.IntN(5000)
	}
	c.api.Inject(f)
	if longTests() && random.IntN(5) == 0 {
		c.api.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", Skip: random.IntN(5), Times: 1, After: true, Reset: true})
	}
}

// chaosKills returns the number of kills of a test.
func chaosKills() int {
	if longTests() {
		return 75
	}
	return 4
}

// split are processes of which one half only watches, and the other half only invites.
var split = []string{"watch", "invite", "watch", "invite"}

func TestChaosPostgres(t *testing.T) {
	t.Parallel()
	for name, roles := range map[string][]string{"Together": {"", "", ""}, "Split": split} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPostgres(t)
			u, err := url.Parse(s.url)
			require.NoError(t, err)
			u.RawQuery += "&application_name=hiring-worker"
			cuts := 0
			surviveKills(t, s, &chaos{database: u.String(), roles: roles, wanted: chaosKills(), mayFail: true}, func() {
				cuts += queryValue[int](t, s.db, `SELECT count(*) FILTER (WHERE ended) FROM (SELECT pg_terminate_backend(pid) AS ended
					FROM (SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'hiring-worker' ORDER BY random() LIMIT 3) AS chosen) AS cut`)
			})
			require.Positive(t, cuts)
			t.Logf("%d connections to the database were cut", cuts)
		})
	}
}

func TestChaosSQLite(t *testing.T) {
	t.Parallel()
	for name, roles := range map[string][]string{"Together": {""}, "Split": split[:2]} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSQLite(t)
			surviveKills(t, s, &chaos{database: s.url, roles: roles, wanted: chaosKills()}, func() {})
		})
	}
}

// surviveKills queues invitations while processes are killed, requests fail, and disturb is called. Candidates of the fake API finish
// within seconds. Each address gets one e-mail, and each result is stored once.
func surviveKills[TTx any](t *testing.T, s *store[TTx], c *chaos, disturb func()) {
	t.Helper()
	c.api = newAPI(t, sandbox.WithQuota(1_000_000, 100_000), sandbox.WithTimeline(sandbox.Timeline{Open: time.Second, Begin: time.Second, Submit: time.Second, Evaluate: time.Second}))
	client := s.idle(t, &river.Config{})
	random := rand.New(rand.NewPCG(1, uint64(len(c.roles))))
	began := time.Now()
	c.db = s.db
	c.run(t)
	n := 0
	for kills := 0; kills < c.wanted; {
		n += 5
		s.invite(t, client, c.api.assessment, candidates(n)[n-5:]...)
		c.injectFaults(random)
		disturb()
		time.Sleep(time.Duration(500+random.IntN(2500)) * time.Millisecond)
		kills = c.kill(random.IntN(len(c.roles)))
	}
	killed := time.Now()
	reached := func(rows string) {
		t.Helper()
		looks := 0
		waitForCount(t, n, func() int {
			if looks++; looks%20 == 0 && !longTests() { // A new leader looks for the jobs of killed processes at once, and later every 30 s.
				_ = client.Notify().RequestResign(t.Context())
			}
			return s.count(t, rows)
		}, func() string { return s.summary(t) })
	}
	reached("results")
	reached("hiring_jobs WHERE status IN ('sent', 'existing')") // Existing: the process died during the request.
	recovered := time.Now()
	c.stop()
	s.requireStoredOnce(t, n)
	c.api.requireInvitedOnce(t, n)
	mails := make(map[string]int)
	for _, m := range c.api.Mails() {
		mails[m.Email]++
		require.Equal(t, 1, mails[m.Email], "each address gets one e-mail")
	}
	require.Len(t, mails, n)
	t.Logf("%d kills: %d results stored once and %d e-mails to %d addresses (%d of them sent by a process that died before the result) after %s, %s after the last kill",
		c.kills, n, len(c.api.Mails()), n, s.count(t, "hiring_jobs WHERE status = 'existing'"), recovered.Sub(began).Round(time.Second), recovered.Sub(killed).Round(time.Second))
}
