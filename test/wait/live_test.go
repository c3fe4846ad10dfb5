package wait_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// liveData is a sandbox whose candidates a test moves. It runs in a synctest bubble.
type liveData struct {
	*sandbox.Server

	t          *testing.T
	assessment string
	random     *rand.Rand
}

func newLiveWorld(t *testing.T, opts ...sandbox.Option) *liveData {
	t.Helper()
	server := sandbox.Start(t, opts...)
	return &liveData{server, t, server.AddAssessment("Go"), rand.New(rand.NewPCG(1, 2))}
}

// begin creates a submission.
func (w *liveData) begin() string {
	invitation, err := w.Invite(w.assessment, fmt.Sprintf("c%d@example.test", w.random.Uint64()), "C")
	require.NoError(w.t, err)
	id, err := w.Begin(invitation)
	require.NoError(w.t, err)
	return id
}

func (w *liveData) evaluate(id string) {
	assert.NoError(w.t, w.Evaluate(id, sandbox.Result{ShipScore: new(70)}))
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
		fault.Route = []string{"GET *", "GET /submissions/{id}/events"}[i%2]
		time.AfterFunc(time.Duration(w.random.Int64N(int64(over))), func() { w.Inject(fault) })
	}
}
