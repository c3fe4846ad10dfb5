package invite_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/serverclock"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const senderPeople = 15 // In each of two assessments.

// TestSendAllInAProcessThatIsKilled runs SendAll for two assessments in a process of
// its own, over TCP and with a FileCheckpoint each. The parent kills the process with
// SIGKILL at random requests and waits, and starts it again 0 to 70 s later by the
// server's clock. Responses are lost, requests are handled up to 59 s late, and some
// responses are a 503. Every reported outcome is checked, and at the end each
// candidate has exactly one e-mail.
//
// The clock of the server and that of the process are advanced together, when all runs
// in the process wait for a lookup.
func TestSendAllInAProcessThatIsKilled(t *testing.T) {
	t.Parallel()
	want := 50
	if apitest.Long() {
		want = 200
	}
	kills, runs, existing := 0, 0, 0
	for seed := uint64(0); kills < want; seed++ {
		w := newProcessWorld(t, seed)
		for len(w.finished) < len(w.assessments) {
			require.Less(t, w.run, 200, "seed %d does not end", seed)
			w.process(t)
			w.advance(restartDelay(w.random))
		}
		w.advance(2 * time.Minute) // Every late request is handled.
		for _, id := range w.assessments {
			requireOneMailEach(t, w.server, id, senderPeople)
		}
		require.Empty(t, w.wrong, "seed %d", seed)
		kills, runs, existing = kills+w.kills, runs+w.run, existing+w.existing
	}
	t.Logf("%d kills in %d processes of two assessments; %d results of an earlier process", kills, runs, existing)
	assert.Positive(t, existing, "invitations of an earlier process: no kill came after a request, so nothing was shown")
}

// processWorld is a server over TCP with faults, and one process at a time that sends.
type processWorld struct {
	server      *sandbox.Server
	front       *httptest.Server
	dir         string
	assessments []string

	mu       sync.Mutex
	rng      *rand.Rand
	conns    int // Open connections of the process.
	late     []lateRequest
	run      int
	events   int // Events until the kill.
	kill     func()
	dead     bool
	kills    int
	effects  map[string][]int // Runs by assessment and address.
	finished map[string]bool
	existing int
	wrong    []string
}

// lateRequest is a request that the server handles after its response was lost.
type lateRequest struct {
	due time.Time // By the server's clock.
	key string
	run int
	do  func()
}

func newProcessWorld(t *testing.T, seed uint64) *processWorld {
	t.Helper()
	w := &processWorld{
		server: sandbox.Start(t, sandbox.WithQuota(100_000, 100_000)), dir: t.TempDir(), rng: rand.New(rand.NewPCG(seed, 23)),
		effects: make(map[string][]int), finished: make(map[string]bool),
	}
	w.server.AddKey(sandbox.Key{Token: apitest.UnlimitedKey, Scope: sandbox.ScopeAdmin})
	for _, name := range []string{"Backend engineer", "Frontend engineer"} {
		w.assessments = append(w.assessments, w.server.AddAssessment(name))
	}
	w.front = httptest.NewUnstartedServer(w)
	w.front.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch state {
		case http.StateNew:
			w.conns++
		case http.StateClosed, http.StateHijacked:
			w.conns--
		}
	}
	w.front.Start()
	t.Cleanup(w.front.Close)
	return w
}

func (w *processWorld) random(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rng.IntN(n)
}

// now returns the server's time.
func (w *processWorld) now() time.Time { return time.Now().Add(w.ahead()) }

func (w *processWorld) ahead() time.Duration {
	return serverclock.Of(strings.TrimPrefix(w.server.URL(), "http://")).Ahead()
}

// advance moves the server's clock and handles the late requests that are due.
func (w *processWorld) advance(d time.Duration) {
	end := w.now().Add(d)
	for {
		next := end
		w.mu.Lock()
		for _, l := range w.late {
			if l.due.Before(next) {
				next = l.due
			}
		}
		w.mu.Unlock()
		if ahead := next.Sub(w.now()); ahead > 0 {
			w.server.Advance(ahead)
		}
		w.handleLate()
		if !next.Before(end) {
			return
		}
	}
}

// handleLate handles the late requests whose time has come.
func (w *processWorld) handleLate() {
	now := w.now()
	w.mu.Lock()
	var due []lateRequest
	w.late = slices.DeleteFunc(w.late, func(l lateRequest) bool {
		if l.due.After(now) {
			return false
		}
		due = append(due, l)
		return true
	})
	w.mu.Unlock()
	for _, l := range due {
		l.do()
	}
}

// process runs the sending process until it ends or is killed.
func (w *processWorld) process(t *testing.T) {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), executable, "-test.run=^TestSenderProcess$")
	command.Env = append(os.Environ(), "HIRING_SENDER="+w.front.URL, "HIRING_SENDER_DIR="+w.dir, "HIRING_SENDER_IDS="+strings.Join(w.assessments, ","))
	in, err := command.StdinPipe()
	require.NoError(t, err)
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	var stderr strings.Builder
	command.Stderr = &stderr
	w.mu.Lock() // The first request of the process must not arrive before the run has its number.
	err = command.Start()
	w.run++
	w.dead, w.events, w.kill = false, 1+w.rng.IntN(40), func() { _ = command.Process.Kill() }
	w.mu.Unlock()
	require.NoError(t, err)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		words := strings.SplitN(lines.Text(), " ", 5)
		switch words[0] {
		case "wait":
			d, err := time.ParseDuration(words[1])
			require.NoError(t, err)
			if w.event() {
				continue
			}
			w.advance(d)
			_, _ = fmt.Fprintln(in, d)
		case "result":
			w.check(words[1], words[2], hiring.InviteOutcome(strings.ReplaceAll(words[3], "_", " ")), words[4])
		case "finished":
			w.mu.Lock()
			w.finished[words[1]] = true
			w.mu.Unlock()
		case "failed":
			w.mu.Lock()
			w.wrong = append(w.wrong, lines.Text())
			w.mu.Unlock()
		}
	}
	err = command.Wait()
	w.mu.Lock()
	killed := w.dead
	w.mu.Unlock()
	if killed {
		w.kills++
	} else {
		require.NoError(t, err, "%s", &stderr)
	}
	w.drain(t)
	require.Empty(t, w.wrong)
}

// drain waits until the server has handled every request of a process that has ended.
// Connections are accepted in order, so the process's are open or closed once one of
// drain's own is accepted.
func (w *processWorld) drain(t *testing.T) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodHead, w.front.URL, http.NoBody)
	require.NoError(t, err)
	response, err := client.Do(request)
	require.NoError(t, err)
	_ = response.Body.Close()
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.conns == 0
	}, time.Minute, time.Millisecond)
}

// event counts towards the kill, and kills. It reports whether the process is dead.
func (w *processWorld) event() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events--
	if w.events == 0 {
		w.dead = true
		w.kill()
	}
	return w.dead
}

// ServeHTTP passes requests to the server, with faults.
func (w *processWorld) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		return // From drain.
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // The process was killed while it sent.
	}
	w.handleLate()
	dead := w.event()
	if r.Method == http.MethodGet {
		w.respond(rw, w.act(r, body, "", 0))
		return
	}
	w.mu.Lock()
	fault, late, run := w.rng.IntN(10), time.Duration(w.rng.IntN(59_001))*time.Millisecond, w.run
	w.mu.Unlock()
	key := senderKey(r, body)
	switch {
	case fault == 0 || dead && fault < 4:
		panic(http.ErrAbortHandler) // Not done.
	case fault == 1 || dead && fault < 8:
		due := w.now().Add(late)
		w.mu.Lock()
		w.late = append(w.late, lateRequest{due, key, run, func() { w.act(r, body, key, run) }})
		w.mu.Unlock()
		panic(http.ErrAbortHandler)
	case fault == 2:
		rw.Header().Set("Date", w.now().UTC().Format(http.TimeFormat)) // Else that of the real clock.
		http.Error(rw, "try later", http.StatusServiceUnavailable)
		return
	}
	response := w.act(r, body, key, run)
	if fault == 3 || w.event() {
		panic(http.ErrAbortHandler)
	}
	w.respond(rw, response)
}

func senderKey(r *http.Request, body []byte) string {
	var in struct {
		Email string `json:"candidate_email"`
	}
	_ = json.Unmarshal(body, &in)
	return strings.Split(r.URL.Path, "/")[4] + " " + in.Email
}

// act lets the sandbox handle a request, even if the process no longer waits.
func (w *processWorld) act(r *http.Request, body []byte, key string, run int) *httptest.ResponseRecorder {
	request := r.Clone(context.Background())
	request.Body = io.NopCloser(strings.NewReader(string(body)))
	recorder := httptest.NewRecorder()
	w.server.ServeHTTP(recorder, request)
	if key != "" && recorder.Code == http.StatusCreated {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.effects[key] = append(w.effects[key], run)
	}
	return recorder
}

func (w *processWorld) respond(rw http.ResponseWriter, recorded *httptest.ResponseRecorder) {
	maps.Copy(rw.Header(), recorded.Header())
	rw.WriteHeader(recorded.Code)
	_, _ = rw.Write(recorded.Body.Bytes())
}

// check checks a result that the process has reported.
func (w *processWorld) check(id, email string, outcome hiring.InviteOutcome, failure string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := id + " " + email
	ours, all := 0, len(w.effects[key])
	for _, run := range w.effects[key] {
		if run == w.run {
			ours++
		}
	}
	inFlight := slices.ContainsFunc(w.late, func(l lateRequest) bool { return l.key == key })
	oursInFlight := slices.ContainsFunc(w.late, func(l lateRequest) bool { return l.key == key && l.run == w.run })
	ok := false
	switch outcome {
	case hiring.InviteSent:
		ok = all == 1 && ours == 1 && !inFlight && failure == "-"
	case hiring.InviteExisting:
		ok = all == 1 && ours == 0 && !inFlight && failure == "-"
		w.existing++
	case hiring.InviteNotSent:
		ok = ours == 0 && !oursInFlight && failure != "-" && failure != "unknown"
	case hiring.InviteUnknown:
		ok = failure == "unknown"
	}
	if !ok {
		w.wrong = append(w.wrong, fmt.Sprintf("run %d: %s reported as %q: effects of runs %v, in flight: %t: %s", w.run, email, outcome, w.effects[key], inFlight, failure))
	}
}

// TestSenderProcess is the process of TestSendAllInAProcessThatIsKilled.
func TestSenderProcess(t *testing.T) {
	base := os.Getenv("HIRING_SENDER")
	if base == "" {
		t.Skip("this is a process that another test starts")
	}
	u, err := url.Parse(base)
	require.NoError(t, err)
	s := &sender{clock: new(serverclock.Test), in: bufio.NewScanner(os.Stdin), waiting: make(map[string]time.Time), advanced: sync.NewCond(new(sync.Mutex))}
	serverclock.Register(u.Host, s.clock)
	client, err := hiring.New(base, sandbox.LiveKey, hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: time.Millisecond}))
	require.NoError(t, err)
	ids := strings.Split(os.Getenv("HIRING_SENDER_IDS"), ",")
	s.active = len(ids)
	var group sync.WaitGroup
	for _, id := range ids {
		group.Go(func() {
			defer s.leave()
			err := client.Invitations.SendAll(t.Context(), id, slices.Values(apitest.Candidates(senderPeople, 1)), hiring.SendAllOptions{
				Checkpoint: hiring.FileCheckpoint(filepath.Join(os.Getenv("HIRING_SENDER_DIR"), id)),
				Each: func(got hiring.InviteResult, err error) bool {
					failure := "-"
					if errors.Is(err, hiring.ErrOutcomeUnknown) {
						failure = "unknown"
					} else if err != nil {
						failure = err.Error()
					}
					s.print("result %s %s %s %s", id, got.Candidate.Email, strings.ReplaceAll(string(got.Outcome), " ", "_"), failure)
					return true
				},
				Progress: func(p hiring.InviteProgress) {
					if p.Reason == hiring.PauseLookup {
						s.wait(id, p.WaitUntil)
					}
				},
			})
			switch {
			case err == nil:
				s.print("finished %s", id)
			case !errors.Is(err, hiring.ErrOutcomeUnknown) && !hiring.IsTransient(err):
				s.print("failed %s %v", id, err)
			}
		})
	}
	group.Wait()
}

// sender is the connection to the parent. When all runs of the process wait, it asks the
// parent to advance the server's clock, and advances its own by as much.
type sender struct {
	clock    *serverclock.Test
	in       *bufio.Scanner
	advanced *sync.Cond
	active   int
	waiting  map[string]time.Time
	turn     int
}

func (s *sender) print(format string, arguments ...any) { fmt.Printf(format+"\n", arguments...) }

func (s *sender) wait(id string, until time.Time) {
	s.advanced.L.Lock()
	defer s.advanced.L.Unlock()
	s.waiting[id] = until
	turn := s.turn
	s.ask()
	for s.turn == turn {
		s.advanced.Wait()
	}
}

func (s *sender) leave() {
	s.advanced.L.Lock()
	defer s.advanced.L.Unlock()
	s.active--
	s.ask()
}

// ask waits for the parent when all runs wait. The lock is held.
func (s *sender) ask() {
	if len(s.waiting) == 0 || len(s.waiting) < s.active {
		return
	}
	var first time.Time
	for _, until := range s.waiting {
		if first.IsZero() || until.Before(first) {
			first = until
		}
	}
	s.print("wait %s", max(0, time.Until(first)))
	if !s.in.Scan() {
		os.Exit(1) // The parent has ended.
	}
	d, err := time.ParseDuration(s.in.Text())
	if err != nil {
		panic(err)
	}
	s.clock.Advance(d)
	clear(s.waiting)
	s.turn++
	s.advanced.Broadcast()
}
