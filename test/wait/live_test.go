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

const writerKey = "sk_live_sandbox_writer"

func newLiveWorld(t *testing.T, opts ...sandbox.Option) *liveData {
	t.Helper()
	w := &liveData{t: t, random: rand.New(rand.NewPCG(1, 2))}
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
func (w *liveData) begin() string {
	invitation, err := w.hand.Invitations.Send(w.t.Context(), w.assessment, hiring.NewInvitation{Email: fmt.Sprintf("c%d@example.test", w.random.Uint64()), Name: "C"})
	require.NoError(w.t, err)
	id, err := w.server.Begin(invitation.ID)
	require.NoError(w.t, err)
	return id
}

func (w *liveData) evaluate(id string) {
	if err := w.server.Evaluate(id, sandbox.Result{ShipScore: new(70)}); err != nil {
		w.t.Error(err)
	}
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
