package benchmarks

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// world is a live sandbox in virtual time whose candidates move by themselves.
// It sees what a program that waits for them sends, and what that is told.
type world struct {
	t       *testing.T
	server  *sandbox.Server
	hand    *hiring.Client // Of the candidates, with a key of its own.
	posting string
	random  *rand.Rand

	mu        sync.Mutex
	wire      http.RoundTripper // What the program is connected to.
	sent      []time.Time
	refused   int                  // Responses of 429 that the API made.
	evaluated map[string]time.Time // When each submission was.
	delivered map[string]time.Time // When the program had its report.
	twice     int                  // Deliveries of what was delivered before.
}

const handKey = "sk_live_sandbox_hand"

// newWorld is a world whose chances go with a seed.
func newWorld(t *testing.T, on sandbox.SinceField, seed int) *world {
	w := &world{
		t: t, random: rand.New(rand.NewPCG(uint64(seed), 7)),
		evaluated: make(map[string]time.Time), delivered: make(map[string]time.Time),
	}
	w.server = sandbox.Start(t, sandbox.WithSinceOn(on), sandbox.WithQuota(1000, 1<<30),
		sandbox.WithKey(sandbox.Key{Token: handKey, Scope: sandbox.ScopeAdmin}))
	w.server.SetPlan(sandbox.LiveKey, 0, 1<<30)
	w.connect(nil)
	var err error
	w.hand, err = hiring.New(address, handKey, hiring.WithHTTPClient(&http.Client{Transport: w.server.Transport()}))
	if err != nil {
		t.Fatal(err)
	}
	challenges, err := w.hand.Challenges.List().Page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	posting, err := w.hand.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: challenges.Items[0].ID, Name: "Go"})
	if err != nil {
		t.Fatal(err)
	}
	w.posting = posting.ID
	return w
}

// begin lets a candidate begin.
func (w *world) begin(n int) string {
	invitation, err := w.hand.Invitations.Send(w.t.Context(), w.posting, hiring.NewInvitation{Email: fmt.Sprintf("c%d@example.test", n), Name: "C"})
	if err != nil {
		w.t.Error(err)
		return ""
	}
	id, err := w.server.Begin(invitation.ID)
	if err != nil {
		w.t.Error(err)
	}
	return id
}

// finish lets a candidate submit, and be evaluated after a time.
func (w *world) finish(id string, after time.Duration) {
	grading := min(after/2, 2*time.Minute+time.Duration(w.draw()*float64(20*time.Minute)))
	time.AfterFunc(after-grading, func() {
		if err := w.server.Submit(id); err != nil {
			w.t.Error(err)
		}
	})
	time.AfterFunc(after, func() {
		if err := w.server.Evaluate(id, sandbox.Result{ShipScore: 70}); err != nil {
			w.t.Error(err)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.evaluated[id] = time.Now()
	})
}

// draw is a random number below 1.
func (w *world) draw() float64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.random.Float64()
}

// crowd is so many submissions, each evaluated at random within a time.
func (w *world) addAttempts(size int, over time.Duration) []string {
	ids := make([]string, size)
	for i := range ids {
		time.Sleep(time.Second)
		ids[i] = w.begin(i)
	}
	for _, id := range ids {
		w.finish(id, time.Duration(w.draw()*float64(over)))
	}
	return ids
}

// The stream's time from creation to evaluation is lognormal.
const (
	usualWork = 3 * time.Hour
	longWork  = 72 * time.Hour // One in a hundred takes longer.
)

// stream lets candidates begin at random, so many a day. Those that would be
// evaluated only after the end stay as they are.
func (w *world) stream(aDay int, over time.Duration) {
	deviation := math.Log(longWork.Seconds()/usualWork.Seconds()) / 2.326
	for n := range int(float64(aDay) * over.Hours() / 24) {
		at, normal := time.Duration(w.draw()*float64(over)), w.random.NormFloat64()
		after := time.Duration(float64(usualWork) * math.Exp(deviation*normal))
		time.AfterFunc(at, func() {
			if id := w.begin(n); at+after < over {
				w.finish(id, after)
			}
		})
	}
}

// RoundTrip is the program's way to the API.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.sent = append(w.sent, time.Now())
	wire := w.wire
	w.mu.Unlock()
	reply, err := wire.RoundTrip(r)
	if err == nil && reply.StatusCode == http.StatusTooManyRequests && reply.Header.Get(invented) == "" {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.refused++
	}
	return reply, err
}

// invented is a header of responses that the API did not make.
const invented = "X-Invented"

// connect puts something between the program and the API, or nothing.
func (w *world) connect(wire http.RoundTripper) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wire = wire
	if wire == nil {
		w.wire = w.server.Transport()
	}
}

// deliver notes that the program has a report.
func (w *world) deliver(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, twice := w.delivered[id]; twice {
		w.twice++
		return
	}
	w.delivered[id] = time.Now()
}

// overdue returns how many submissions were evaluated since a time and are not delivered.
func (w *world) overdue(since time.Time) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, at := range w.evaluated {
		if _, delivered := w.delivered[id]; !delivered && !at.Before(since) {
			n++
		}
	}
	return n
}

// caughtUp is how long after a time all that was evaluated before was delivered.
func (w *world) caughtUp(end time.Time) (after time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, at := range w.evaluated {
		if at.Before(end) {
			after = max(after, w.delivered[id].Sub(end))
		}
	}
	return after
}
