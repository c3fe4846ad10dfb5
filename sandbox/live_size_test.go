package sandbox_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// newLargeServer returns a server with that many evaluated submissions.
func newLargeServer(tb testing.TB, size int, opts ...sandbox.Option) *sandbox.Server {
	tb.Helper()
	s := sandbox.New(append(opts, sandbox.WithQuota(1<<30, 1<<30))...)
	s.SetPlan(sandbox.LiveKey, 0, size)
	raw := rawCall{tb, s.Transport()}
	posting := raw.id(http.MethodPost, "/assessments", newAssessment)
	for range size {
		submission, err := s.Begin(raw.id(http.MethodPost, "/assessments/"+posting+"/invitations", candidateBody("a@example.test")))
		require.NoError(tb, err)
		require.NoError(tb, s.Evaluate(submission, sandbox.Result{ShipScore: 50}))
	}
	return s
}

func TestPageCostDoesNotDependOnTheNumberOfSubmissions(t *testing.T) {
	const listing = "/submissions?status=evaluated&page_size=100&since=2020-01-01T00:00:00Z"
	allocations := func(size int) (objects, bytes uint64) {
		s := newLargeServer(t, size, sandbox.WithSinceOn(sandbox.SinceEvaluated), at(noon))
		raw := rawCall{t, s.Transport()}
		raw.do(http.MethodGet, listing, "")
		return apitest.Allocations(func() { raw.do(http.MethodGet, listing, "") })
	}
	few, fewBytes := allocations(101)
	many, manyBytes := allocations(2000)
	assert.InEpsilon(t, few, many, 0.1)
	assert.InEpsilon(t, fewBytes, manyBytes, 0.01)
	assert.Less(t, manyBytes, uint64(2<<20))
}

func TestALiveWorldIsMadeAtItsFirstUse(t *testing.T) {
	sandbox.New().AddKey(sandbox.Key{Token: "sk_live_x", Organization: "x"})
	inProcess(sandbox.New()).get(t, "/account") // The samples.
	objects, _ := apitest.Allocations(func() {
		sandbox.New(sandbox.WithTimeline(steady), sandbox.WithDrift(1))
	})
	assert.Less(t, objects, uint64(60))
}

// rawCall sends a request without the checks of transport, for benchmarks.
type rawCall struct {
	tb        testing.TB
	transport http.RoundTripper
}

func (c rawCall) do(method, path, body string) *http.Response {
	r, err := http.NewRequestWithContext(c.tb.Context(), method, "https://sandbox.invalid/api/v1"+path, strings.NewReader(body))
	require.NoError(c.tb, err)
	r.Header.Set("Authorization", "Bearer "+sandbox.LiveKey)
	res, err := c.transport.RoundTrip(r)
	require.NoError(c.tb, err)
	require.Less(c.tb, res.StatusCode, 300)
	return res
}

func BenchmarkLivePage(b *testing.B) {
	for name, query := range map[string]string{
		"Newest": "", "Since": "&status=evaluated&since=2020-01-01T00:00:00Z", "NothingNew": "&status=evaluated&since=2100-01-01T00:00:00Z",
	} {
		b.Run(name, func(b *testing.B) {
			raw := rawCall{b, newLargeServer(b, 10_000, sandbox.WithSinceOn(sandbox.SinceEvaluated), at(noon)).Transport()}
			raw.do(http.MethodGet, "/submissions?page_size=100"+query, "")
			b.ReportAllocs()
			for b.Loop() {
				raw.do(http.MethodGet, "/submissions?page_size=100"+query, "")
			}
		})
	}
}

func BenchmarkLiveCandidate(b *testing.B) {
	b.ReportAllocs()
	newLargeServer(b, b.N)
}

func (c rawCall) id(method, path, body string) string {
	res := c.do(method, path, body)
	content, err := io.ReadAll(res.Body)
	require.NoError(c.tb, err)
	const prefix = `{"data":{"id":"`
	require.True(c.tb, strings.HasPrefix(string(content), prefix))
	return string(content[len(prefix) : len(prefix)+36])
}
