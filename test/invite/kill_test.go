package invite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const (
	inviteKills   = 1000
	inviteTimeout = 5 * time.Second
)

var errKilledRun = errors.New("the process was killed")

// TestSendAllIsKilledAndRestartedAtAnyMoment kills a process that invites the same
// candidates to two assessments at 1000 random points: before, in and after requests
// and saves, and in waits. It restarts the process 0 to 70 s later with a new client and
// the saved checkpoints. Responses are lost, requests arrive up to 59 s late, and some
// responses are a 503. Each result is checked when Each receives it.
//
// In every other world two programs that keep their client take turns with new processes:
// the end of a run ends its requests there, but the client remembers them.
func TestSendAllIsKilledAndRestartedAtAnyMoment(t *testing.T) {
	t.Parallel()
	want := inviteKills
	if apitest.Long() {
		want *= 20
	}
	kills, runs, lookedUp := 0, 0, 0
	for seed := uint64(0); kills < want; seed++ {
		synctest.Test(t, func(t *testing.T) {
			w := newKillWorld(t, seed, 40)
			if seed%2 == 1 {
				w.people, w.keepsClients = w.people[:3], true
			}
			for n := 0; !w.done(); n++ {
				require.Less(t, n, 200, "seed %d does not end", seed)
				w.process(t)
				if w.killed() {
					kills++
				}
				runs++
				time.Sleep(restartDelay(w.rng.IntN))
			}
			time.Sleep(2 * time.Minute)
			for _, id := range w.assessments {
				requireOneMailEach(t, w.server, id, len(w.people))
			}
			require.Empty(t, w.wrong, "seed %d", seed)
			lookedUp += w.existing
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("%d kills in %d runs of two assessments; %d results of an earlier run", kills, runs, lookedUp)
	assert.Positive(t, lookedUp, "results of an earlier run: no kill came after a request, so nothing was shown")
}

// restartDelay returns when a killed process is restarted: 0 to 70 s later, and each
// fifth time at once.
func restartDelay(random func(n int) int) time.Duration {
	return time.Duration(max(0, random(87_501)-17_500)) * time.Millisecond
}

// killWorld is a server with faults, and one process at a time.
type killWorld struct {
	server      *sandbox.Server
	assessments []string
	people      []hiring.NewInvitation
	stores      map[string]*memory
	finished    map[string]bool

	keepsClients bool
	clients      [2]*hiring.Client // Of programs that outlive a run.

	mu       sync.Mutex
	rng      *rand.Rand
	run      int
	events   int // Events until the kill; negative: there is no kill.
	dead     bool
	kill     func()
	effects  map[string][]int // Runs by assessment and address.
	late     map[string][]int // Runs whose requests are in flight.
	existing int              // Results of an earlier run.
	wrong    []string
}

func newKillWorld(t *testing.T, seed uint64, people int) *killWorld {
	t.Helper()
	w := &killWorld{
		server: sandbox.Start(t), people: apitest.Candidates(people, 1), stores: make(map[string]*memory), finished: make(map[string]bool),
		rng: rand.New(rand.NewPCG(seed, 7)), effects: make(map[string][]int), late: make(map[string][]int),
	}
	w.server.AddKey(sandbox.Key{Token: apitest.UnlimitedKey, Scope: sandbox.ScopeAdmin})
	for _, name := range []string{"Backend engineer", "Frontend engineer"} {
		id := w.server.AddAssessment(name)
		w.assessments = append(w.assessments, id)
		w.stores[id] = &memory{}
	}
	return w
}

func (w *killWorld) done() bool { return len(w.finished) == len(w.assessments) }

// process runs SendAll for both assessments until they end or the process is killed.
func (w *killWorld) process(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.mu.Lock()
	w.run++
	w.dead, w.kill, w.events = false, cancel, 1+w.rng.IntN(20+len(w.people))
	if w.rng.IntN(6) == 0 { // Perhaps in a wait.
		time.AfterFunc(time.Duration(w.rng.IntN(100_000))*time.Millisecond, w.killProcess)
	}
	w.mu.Unlock()
	client := w.client(t)
	var group sync.WaitGroup
	for _, id := range w.assessments {
		group.Go(func() {
			store := &killStore{world: w, memory: w.stores[id]}
			n := 0
			err := client.Invitations.SendAll(ctx, id, func(yield func(hiring.NewInvitation) bool) {
				for _, in := range w.people {
					if !yield(in) {
						return
					}
				}
			}, hiring.SendAllOptions{Checkpoint: store, Each: func(got hiring.InviteResult, err error) bool {
				w.check(id, w.people[n], got, err)
				n++
				return true
			}})
			w.mu.Lock()
			defer w.mu.Unlock()
			if err == nil && !w.dead {
				w.finished[id] = true
			}
		})
	}
	group.Wait()
}

// client returns the client of the process: a new one, or one that has made runs before.
func (w *killWorld) client(t *testing.T) *hiring.Client {
	t.Helper()
	n := len(w.clients)
	if w.keepsClients {
		n = w.rng.IntN(n + 1)
	}
	if n < len(w.clients) && w.clients[n] != nil {
		return w.clients[n]
	}
	client, err := hiring.New("https://sandbox.invalid", sandbox.LiveKey, hiring.WithHTTPClient(&http.Client{Transport: w}), hiring.WithTimeout(inviteTimeout))
	require.NoError(t, err)
	if n < len(w.clients) {
		w.clients[n] = client
	}
	return client
}

func (w *killWorld) killed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dead
}

func (w *killWorld) killProcess() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dead = true
	w.kill()
}

// event counts towards the kill. It reports whether the process is dead.
func (w *killWorld) event() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events--
	if w.events == 0 {
		w.dead = true
		w.kill()
	}
	return w.dead
}

// killStore is a checkpoint that a killed process cannot write.
type killStore struct {
	world *killWorld
	*memory
}

func (s *killStore) Save(ctx context.Context, state string) error {
	if s.world.event() {
		return errKilledRun
	}
	err := s.memory.Save(ctx, state)
	if s.world.event() {
		return errKilledRun
	}
	return err
}

// check checks a result when it is reported, unless the process is dead.
func (w *killWorld) check(id string, in hiring.NewInvitation, got hiring.InviteResult, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dead {
		return
	}
	key := id + " " + in.Email
	ours, all := 0, len(w.effects[key])
	for _, run := range w.effects[key] {
		if run == w.run {
			ours++
		}
	}
	problem := ""
	switch got.Outcome {
	case hiring.InviteSent:
		if all != 1 || ours != 1 || len(w.late[key]) > 0 || err != nil {
			problem = "sent"
		}
	case hiring.InviteExisting:
		if all != 1 || ours != 0 || len(w.late[key]) > 0 || err != nil {
			problem = "existing"
		}
		w.existing++
	case hiring.InviteNotSent:
		if ours != 0 || slices.Contains(w.late[key], w.run) || err == nil || errors.Is(err, hiring.ErrOutcomeUnknown) {
			problem = "not sent"
		}
	case hiring.InviteUnknown:
		if !errors.Is(err, hiring.ErrOutcomeUnknown) {
			problem = "unknown"
		}
	}
	if problem != "" || got.Candidate.Email != in.Email {
		w.wrong = append(w.wrong, fmt.Sprintf("run %d: %s reported as %q: effects of runs %v, in flight of runs %v: %v", w.run, in.Email, got.Outcome, w.effects[key], w.late[key], err))
	}
}

// RoundTrip kills the process before or after the server has the request, loses
// responses, and lets requests arrive late.
func (w *killWorld) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		if w.event() {
			return nil, errKilledRun
		}
		return w.server.Transport().RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	dead := w.event() // The request may be in flight nevertheless.
	w.mu.Lock()
	fault, delay, run := w.rng.IntN(10), time.Duration(w.rng.IntN(59_001))*time.Millisecond, w.run
	w.mu.Unlock()
	switch {
	case fault == 0 || dead && fault < 4:
		return nil, reset()
	case fault == 1 || dead && fault < 8:
		w.later(context.WithoutCancel(r.Context()), r, body, run, delay)
		return nil, reset()
	case fault == 2:
		<-r.Context().Done() // The attempt's timeout expires, and then the request arrives.
		w.later(context.WithoutCancel(r.Context()), r, body, run, delay)
		return nil, r.Context().Err()
	case fault == 3:
		return apitest.NewResponse(r, http.StatusServiceUnavailable, io.NopCloser(strings.NewReader("try later"))), nil
	}
	resp, err := w.act(context.WithoutCancel(r.Context()), r, body, run) // The effect outlives the process.
	if err != nil || fault == 4 || w.event() {
		return nil, reset()
	}
	return resp, nil
}

// later lets the server handle the request after its response was lost.
func (w *killWorld) later(ctx context.Context, r *http.Request, body []byte, run int, delay time.Duration) {
	key := w.key(r, body)
	w.mu.Lock()
	w.late[key] = append(w.late[key], run)
	w.mu.Unlock()
	time.AfterFunc(delay, func() {
		_, _ = w.act(ctx, r, body, run)
		w.mu.Lock()
		n := slices.Index(w.late[key], run)
		w.late[key] = slices.Delete(w.late[key], n, n+1)
		w.mu.Unlock()
	})
}

func (w *killWorld) act(ctx context.Context, r *http.Request, body []byte, run int) (*http.Response, error) {
	r = r.Clone(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := w.server.Transport().RoundTrip(r)
	if err == nil && resp.StatusCode == http.StatusCreated {
		w.mu.Lock()
		w.effects[w.key(r, body)] = append(w.effects[w.key(r, body)], run)
		w.mu.Unlock()
	}
	return resp, err
}

func (w *killWorld) key(r *http.Request, body []byte) string {
	var in struct {
		Email string `json:"candidate_email"`
	}
	_ = json.Unmarshal(body, &in)
	return strings.Split(r.URL.Path, "/")[4] + " " + in.Email
}
