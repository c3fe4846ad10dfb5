package sandbox_test

import (
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestAResetOfAnOldConnection checks that net/http retries the request, as in production.
func TestAResetOfAnOldConnection(t *testing.T) {
	s := sandbox.Start(t)
	d := transports(t, s)[1]
	assert.Equal(t, 200, d.get(t, "/account").status)
	s.Inject(sandbox.Fault{Route: "GET /account", Reset: true})
	assert.Equal(t, 200, d.get(t, "/account").status)
	assert.Len(t, s.Journal(), 3, "the repeated request is in the journal")
	s.Inject(sandbox.Fault{Route: "POST /assessments", Reset: true})
	require.ErrorIs(t, d.send(t.Context(), t, http.MethodPost, "/assessments", "{}").err, syscall.ECONNRESET)
	assert.Len(t, s.Journal(), 4, "a write is not repeated")
}

// TestAnHourOfPolling takes milliseconds; BenchmarkHourOfPolling measures how many.
func TestAnHourOfPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.Start(t)
		client, began := s.Client(), time.Now()
		for time.Since(began) < time.Hour {
			_, err := client.Submissions.Report(t.Context(), sandbox.PendingSubmissionID)
			require.NoError(t, err)
			time.Sleep(30 * time.Second)
		}
		assert.Len(t, s.Journal(), 120)
	})
}
