package main

import (
	"bufio"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestReadingCommandsWorkWithSandboxAlone: --sandbox suffices and takes precedence over
// the variables.
func TestReadingCommandsWorkWithSandboxAlone(t *testing.T) {
	for _, line := range []string{
		"account", "members", "challenges list", "challenges get c0000000-0000-4000-8000-000000000001",
		"assessments list", "assessments get " + sandbox.AssessmentID, "invitations list -a " + sandbox.AssessmentID,
		"submissions list", "submissions get " + sandbox.SubmissionID, "submissions find bjorn.bergstrom@candidates.test -a " + sandbox.AssessmentID,
		"submissions report " + sandbox.SubmissionID, "submissions wait " + sandbox.SubmissionID, "submissions export all.jsonl",
		"events list " + sandbox.SubmissionID, "events follow " + sandbox.SubmissionID, "watch --since 2026-01-01 --limit 1", "quota", "api GET /account",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			u := newUser(t, nil, "")
			u.env = append(u.env, envBaseURL+"=https://elsewhere.invalid", envKey+"=sk_live_never_used")
			got := u.run(append([]string{"--sandbox"}, strings.Fields(line)...)...)
			assert.Zero(t, got.code, got.stderr)
		})
	}
}

// TestSandboxPrintsUsableVariables: the printed variables suffice for another run.
func TestSandboxPrintsUsableVariables(t *testing.T) {
	t.Parallel()
	server := newUser(t, nil, "")
	c := server.command(t.Context(), "sandbox", "--addr", "127.0.0.1:0")
	stdout, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	client := newUser(t, nil, "")
	lines := bufio.NewScanner(stdout)
	for range 2 {
		require.True(t, lines.Scan())
		client.env = append(client.env, strings.TrimPrefix(lines.Text(), "export "))
	}
	got := client.run("account", "--jq", ".name")
	assert.Equal(t, result{stdout: "Sandbox Hiring Ltd\n"}, got)
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	assert.NoError(t, c.Wait(), "a requested stop is not an error")
}

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

// TestSandboxSaysThatTestKeysStoreNothing: the output says that a test key stores no changes.
func TestSandboxSaysThatTestKeysStoreNothing(t *testing.T) {
	t.Parallel()
	u := newUser(t, nil, "")
	s := u.start("sandbox", "--addr", "127.0.0.1:0")
	base := strings.TrimSpace(strings.TrimPrefix(nextLine(t, s.stdout), "export "))
	nextLine(t, s.stdout) // The test key.
	said := ""
	live := ""
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
