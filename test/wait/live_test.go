package wait_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// liveData is a sandbox whose candidates a test moves. It counts the requests that it
// receives. It runs in a synctest bubble.
type liveData struct {
	t          *testing.T
	server     *sandbox.Server
	hand       *hiring.Client // The test's own client, which is not counted.
	assessment string
	random     *rand.Rand

	mu   sync.Mutex
	sent []liveRequest
}

type liveRequest struct {
	at     time.Time
	path   string
	status int
}

// lockedSource is a source of random numbers for timers that fire at the same time.
type lockedSource struct {
	mu     sync.Mutex
	source rand.Source
}

func (s *lockedSource) Uint64() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.source.Uint64()
}

// sinceFields returns the times that since may filter on. The race detector needs one of them.
func sinceFields() []sandbox.SinceField {
	if testing.Short() {
		return []sandbox.SinceField{sandbox.SinceCreated}
	}
	return []sandbox.SinceField{sandbox.SinceCreated, sandbox.SinceSubmitted, sandbox.SinceEvaluated}
}

const writerKey = "sk_live_sandbox_writer"

func newLiveWorld(t *testing.T, opts ...sandbox.Option) *liveData {
	t.Helper()
	w := &liveData{t: t, random: rand.New(&lockedSource{source: rand.NewPCG(1, 2)})}
	opts = append([]sandbox.Option{sandbox.WithQuota(1000, 1<<30), sandbox.WithKey(sandbox.Key{Token: writerKey, Scope: sandbox.ScopeAdmin})}, opts...)
	w.server = sandbox.Start(t, opts...)
	w.server.SetPlan(sandbox.LiveKey, 0, 1<<30)
	var err error
	w.hand, err = hiring.New("https://sandbox.invalid", writerKey, hiring.WithHTTPClient(&http.Client{Transport: w.server.Transport()}))
	require.NoError(t, err)
	w.assessment = w.post()
	return w
}

func (w *liveData) post() string {
	challenges, err := w.hand.Challenges.List().Page(w.t.Context())
	require.NoError(w.t, err)
	assessment, err := w.hand.Assessments.Create(w.t.Context(), hiring.NewAssessment{ChallengeID: challenges.Items[0].ID, Name: "Go"})
	require.NoError(w.t, err)
	return assessment.ID
}

// begin creates a submission.
func (w *liveData) begin(assessment string) string {
	invitation, err := w.hand.Invitations.Send(w.t.Context(), assessment, hiring.NewInvitation{Email: fmt.Sprintf("c%d@example.test", w.random.Uint64()), Name: "C"})
	require.NoError(w.t, err)
	id, err := w.server.Begin(invitation.ID)
	require.NoError(w.t, err)
	return id
}

func (w *liveData) addCandidates(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		time.Sleep(time.Second)
		ids[i] = w.begin(w.assessment)
	}
	return ids
}

func (w *liveData) evaluate(id string) {
	if err := w.server.Evaluate(id, sandbox.Result{ShipScore: new(70)}); err != nil {
		w.t.Error(err)
	}
}

// evaluateAll evaluates each submission at a random time within a span from now.
func (w *liveData) evaluateAll(ids []string, span time.Duration) {
	for _, id := range ids {
		w.grade(id, time.Duration(w.random.Int64N(int64(span))), func() {})
	}
}

// grade submits an attempt and evaluates it up to twenty minutes later.
func (w *liveData) grade(id string, evaluated time.Duration, done func()) {
	submitted := evaluated - time.Duration(w.random.Int64N(int64(20*time.Minute)))
	time.AfterFunc(max(0, submitted), func() {
		if err := w.server.Submit(id); err != nil {
			w.t.Error(err)
		}
		time.AfterFunc(evaluated-max(0, submitted), func() {
			w.evaluate(id)
			done()
		})
	})
}

// client returns a client whose requests are counted.
func (w *liveData) client() *hiring.Client {
	return w.server.LiveClient(hiring.WithHTTPClient(&http.Client{Transport: w}))
}

func (w *liveData) RoundTrip(r *http.Request) (*http.Response, error) {
	at := time.Now()
	res, err := w.server.Transport().RoundTrip(r)
	w.mu.Lock()
	defer w.mu.Unlock()
	sent := liveRequest{at: at, path: r.URL.RequestURI()}
	if err == nil {
		sent.status = res.StatusCode
	}
	w.sent = append(w.sent, sent)
	return res, err
}

func (w *liveData) count(status int) (n int) {
	for _, sent := range w.sent {
		if sent.status == status {
			n++
		}
	}
	return n
}

// quantile returns the value below which that share of the values lies.
func quantile[T cmp.Ordered](values []T, share float64) T {
	if len(values) == 0 {
		return *new(T)
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

// injectFaults injects faults of all kinds at random times, and an outage at the end.
func injectFaults(w *liveData, over time.Duration) {
	faults := []sandbox.Fault{
		{Status: 500}, {Status: 503, RetryAfter: 90 * time.Second}, {Reset: true, Times: 9}, {CutAfter: 300, After: true, Times: 5},
		{Status: 502, Body: "<html>", Times: 6}, {Status: 429, RetryAfter: 3 * time.Minute}, {Delay: 45 * time.Second, After: true, Times: 2},
	}
	for i := range 10 * len(faults) {
		fault := faults[i%len(faults)]
		fault.Route = "GET *"
		time.AfterFunc(time.Duration(w.random.Int64N(int64(over))), func() { w.server.Inject(fault) })
	}
}
