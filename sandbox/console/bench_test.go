package console_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/console"
)

const largestResponse = 300 << 10

// BenchmarkViews measures what the views of the page read after 10,000 submissions and
// 100,000 exchanges, over a socket. It fails if a response is too large, and if the details
// use too much memory.
func BenchmarkViews(b *testing.B) {
	server := sandbox.New(sandbox.WithQuota(1<<30, 1<<30))
	handler := console.Handler(server)
	server.SetPlan(sandbox.LiveKey, 0, 1<<30)
	posting := server.AddAssessment("Backend engineer")
	var last string
	for i := range 10_000 {
		id, err := server.Invite(posting, fmt.Sprintf("c%d@candidates.test", i), fmt.Sprintf("Candidate %d", i))
		require.NoError(b, err)
		submission, err := server.Begin(id)
		require.NoError(b, err)
		if i%2 == 0 {
			require.NoError(b, server.Evaluate(submission, sandbox.Result{ShipScore: new(i % 101)}))
		}
		last = id
	}
	heap := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / (1 << 20)
	}
	before := heap()
	client := &http.Client{Transport: server.Transport()}
	for i := range 100_000 {
		r, err := http.NewRequest(http.MethodGet, fmt.Sprintf("https://sandbox.invalid/api/v1/submissions?page_size=%d", i%50+1), http.NoBody)
		require.NoError(b, err)
		r.Header.Set("Authorization", "Bearer "+sandbox.LiveKey)
		res, err := client.Do(r)
		require.NoError(b, err)
		require.NoError(b, res.Body.Close())
	}
	grown := heap() - before
	require.Less(b, grown, 64.0, "MiB that the journal takes")

	web := httptest.NewServer(handler)
	defer web.Close()
	for name, path := range map[string]string{
		"page": "/", "journal": "/_sandbox/journal?limit=200", "search": "/_sandbox/journal?limit=200&text=nothing+is+like+this",
		"slowest": "/_sandbox/journal?limit=200&sort=took", "request": "/_sandbox/journal/99999", "stage": "/_sandbox/candidates?stage=evaluated&limit=30",
		"candidate": "/_sandbox/candidates/" + last, "keys": "/_sandbox/keys", "clock": "/_sandbox/clock?seconds=2678400",
	} {
		b.Run(name, func(b *testing.B) {
			worst, size := time.Duration(0), 0
			for b.Loop() {
				begun := time.Now()
				res, err := web.Client().Get(web.URL + path)
				require.NoError(b, err)
				_, err = res.Body.Read(make([]byte, 1))
				require.NoError(b, err)
				worst = max(worst, time.Since(begun))
				raw, err := io.ReadAll(res.Body)
				require.NoError(b, err)
				require.NoError(b, res.Body.Close())
				require.Equal(b, 200, res.StatusCode)
				size = len(raw) + 1
			}
			require.Less(b, size, largestResponse)
			b.ReportMetric(float64(worst)/float64(time.Millisecond), "ms-worst-first-byte")
			b.ReportMetric(float64(size)/1024, "KiB-response")
			b.ReportMetric(grown, "MiB-journal")
		})
	}
}
