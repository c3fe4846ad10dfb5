package sandbox_test

import (
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// BenchmarkHourOfPolling makes 120 requests, one every 30 seconds of a clock that only
// this benchmark moves.
func BenchmarkHourOfPolling(b *testing.B) {
	server := sandbox.Start(b)
	client := server.Client()
	b.ReportAllocs()
	for b.Loop() {
		for range 120 {
			if _, err := client.Submissions.Report(b.Context(), sandbox.PendingSubmissionID); err != nil {
				b.Fatal(err)
			}
			server.Advance(30 * time.Second)
		}
	}
}

// BenchmarkCallsDuringASearch makes 50 calls a second over TCP while the journal has 10,000
// entries and a page searches it for a text. It reports the latency of the calls.
func BenchmarkCallsDuringASearch(b *testing.B) {
	server := sandbox.Start(b, sandbox.WithQuota(1<<30, 1))
	inProcess := server.Client()
	for range 10_000 {
		_, err := inProcess.Submissions.Report(b.Context(), sandbox.SubmissionID)
		require.NoError(b, err)
	}
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, server.URL()+"/_sandbox/events?after=0&text=nothing+is+like+this", http.NoBody)
	require.NoError(b, err)
	page, err := new(http.Client).Do(r)
	require.NoError(b, err)
	defer page.Body.Close()
	require.Equal(b, http.StatusOK, page.StatusCode)
	go func() { _, _ = io.Copy(io.Discard, page.Body) }()
	client, err := hiring.New(server.URL(), sandbox.TestKey)
	require.NoError(b, err)

	tick := time.NewTicker(time.Second / 50)
	defer tick.Stop()
	var took []time.Duration
	for b.Loop() {
		<-tick.C
		begun := time.Now()
		_, err := client.Submissions.Report(b.Context(), sandbox.SubmissionID)
		require.NoError(b, err)
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	for name, share := range map[string]int{"ms-p50": 50, "ms-p95": 95} {
		b.ReportMetric(float64(took[len(took)*share/100].Microseconds())/1000, name)
	}
}
