package main

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestEagerCandidatesAreEvaluatedInTime have a report when the help of the sandbox says so.
func TestEagerCandidatesAreEvaluatedInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := sandbox.New(sandbox.WithTimeline(eagerCandidates))
		client, id := server.LiveClient(), server.AddAssessment("Backend")
		_, err := client.Invitations.Ensure(t.Context(), id, hiring.NewInvitation{Email: "ada@example.com", Name: "Ada"})
		require.NoError(t, err)
		time.Sleep(2 * time.Minute)
		submission, err := client.Submissions.FindByEmail(t.Context(), id, "ada@example.com")
		require.NoError(t, err)
		assert.True(t, submission.Report.Ready())
	})
}

// TestSandboxPrintsUsableVariables: the printed variables suffice for other runs, and the output
// says that a test key stores no changes.
func TestSandboxPrintsUsableVariables(t *testing.T) {
	t.Parallel()
	u := newUser(t, nil, "")
	s := u.start("sandbox", "--addr", "127.0.0.1:0")
	base := strings.TrimSpace(strings.TrimPrefix(nextLine(t, s.stdout), "export "))
	client := newUser(t, nil, "")
	client.env = append(client.env, base, strings.TrimSpace(strings.TrimPrefix(nextLine(t, s.stdout), "export ")))
	assert.Equal(t, result{stdout: "Sandbox Hiring Ltd\n"}, client.run("account", "--jq", ".name"))
	said, live := "", ""
	for live == "" {
		line := nextLine(t, s.stderr)
		said += line
		live, _ = strings.CutPrefix(strings.TrimSpace(line), "export ")
		if live == strings.TrimSpace(line) {
			live = ""
		}
	}
	assert.Contains(t, said, "This is a test key: there is sample data, and no change is stored.")
	other := newUser(t, nil, "")
	other.env = append(other.env, base, live)
	challenge := strings.TrimSpace(other.run("challenges", "list", "--jq", ".[0].id").stdout)
	got := other.run("assessments", "create", "--challenge", challenge, "--name", "Backend", "--yes")
	require.Zero(t, got.code, got.stderr)
	assert.NotContains(t, got.stderr, "test key")
	assert.Equal(t, "Backend\n", other.run("assessments", "list", "--jq", ".[].name").stdout)
	_, code := s.stop(os.Interrupt)
	assert.Equal(t, exitOK, code)
}
