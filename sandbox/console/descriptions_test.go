package console_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestFaultsAreShownInWords also checks the remaining requests.
func TestFaultsAreShownInWords(t *testing.T) {
	v := visit(t)
	v.server.Inject(sandbox.Fault{Route: "GET /account", Status: http.StatusBadGateway, Times: 3})
	client := v.server.Client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
	_, _ = client.Account.Get(t.Context())
	text := v.see("/_sandbox/console/trouble")
	assert.Contains(t, text, "502 for GET /account, 2 of 3 left")
	assert.Contains(t, text, "<h1>Faults &amp; limits</h1>")
	assert.NotContains(t, text, "Fault{")
}

// TestTheListNamesTheError checks the code, the first field error, and shortened ids with
// the whole id in the title.
func TestTheListNamesTheError(t *testing.T) {
	v := visit(t)
	client := v.server.Client()
	_, err := client.Do(t.Context(), http.MethodPost, "/assessments", nil, map[string]any{"name": ""}, nil)
	require.Error(t, err)
	_, err = client.Submissions.Get(t.Context(), sandbox.UnknownID)
	require.Error(t, err)
	text := v.see("/_sandbox/")
	assert.Contains(t, text, "INVALID_INPUT: challenge_id: Required.")
	assert.Contains(t, text, "NOT_FOUND")
	assert.Contains(t, text, `title="/api/v1/submissions/`+sandbox.UnknownID+`">/api/v1/submissions/00000000…0404</a>`)
	v.submit("/journal/clear")
	assert.NotContains(t, v.see("/_sandbox/"), "INVALID_INPUT")
}

// TestTheChartFollowsTheFilter compares the chart with the list.
func TestTheChartFollowsTheFilter(t *testing.T) {
	v := visit(t)
	client := v.server.Client()
	for range 3 {
		_, err := client.Account.Get(t.Context())
		require.NoError(t, err)
	}
	_, err := client.Submissions.Get(t.Context(), sandbox.UnknownID)
	require.Error(t, err)
	assert.Contains(t, v.see("/_sandbox/"), "4 requests")
	assert.Contains(t, v.see("/_sandbox/?status=404"), "1 requests")
	assert.Contains(t, v.see("/_sandbox/?status=500"), "Not found: no exchange matches the filter.")
}

// TestAKeyAQuotaAndAnEvent adds them by forms.
func TestAKeyAQuotaAndAnEvent(t *testing.T) {
	v := visit(t)
	assert.Contains(t, v.submit("/keys", "token_value", "sk_live_acme", "scope", "read", "organization", "acme"), "The key is added.")
	text := v.see("/_sandbox/console/trouble")
	assert.Contains(t, text, "acme")
	posting := v.server.AddAssessment("Backend")
	invitation, err := v.server.Invite(posting, "ada@candidates.test", "Ada")
	require.NoError(t, err)
	submission, err := v.server.Begin(invitation)
	require.NoError(t, err)
	text = v.submit("/candidates/"+invitation+"/events", "submission", submission, "kind", "ai_prompt", "payload", `{"text":"By a form"}`)
	assert.Contains(t, text, "By a form")
}
