package sandbox_test

import (
	"net/http"
	"syscall"
	"testing"

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
