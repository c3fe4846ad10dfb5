package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// completed returns the completions of a command line, without descriptions.
func (u *user) completed(args ...string) (words []string) {
	for line := range strings.Lines(u.run(append([]string{"__complete"}, args...)...).stdout) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if !strings.HasPrefix(word, ":") {
			words = append(words, word)
		}
	}
	return words
}

// TestCompletionOfIDs: each completion costs one read and stores nothing.
func TestCompletionOfIDs(t *testing.T) {
	t.Parallel()
	server := sandbox.New(sandbox.WithClock(noon))
	u := newUser(t, server, sandbox.TestKey)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"assessments", "get", ""}, "Senior payments engineer"},
		{[]string{"assessments", "get", "sen"}, "Senior payments engineer"},
		{[]string{"assessments", "get", "a0"}, sandbox.AssessmentID},
		{[]string{"invitations", "list", "--assessment", "a0"}, sandbox.AssessmentID},
		{[]string{"challenges", "get", ""}, "Payments backend"},
		{[]string{"challenges", "get", "c0"}, "c0000000-0000-4000-8000-000000000001"},
	} {
		assert.Contains(t, u.completed(c.args...), c.want, c.args)
	}
	assert.Len(t, server.Journal(), 6, "one read for each")
	assert.Empty(t, u.completed("assessments", "get", "b"))
	assert.Empty(t, u.completed("assessments", "get", sandbox.AssessmentID, ""), "the command takes one argument")
	assert.NoDirExists(t, filepath.Join(u.home, ".cache"))
}

// TestCompletionWithoutAServer returns nothing and does not retry.
func TestCompletionWithoutAServer(t *testing.T) {
	t.Parallel()
	server := sandbox.New(sandbox.WithClock(noon))
	server.Inject(sandbox.Fault{Route: "GET /assessments", Times: 9, Status: 500})
	u := newUser(t, server, sandbox.TestKey)
	assert.Empty(t, u.completed("assessments", "get", ""))
	assert.Len(t, server.Journal(), 1)
	nothing := newUser(t, nil, "")
	assert.Empty(t, nothing.completed("assessments", "get", ""))
	assert.NotEmpty(t, nothing.completed("--sandbox", "assessments", "get", ""))
}

// TestCompletionOfValues completes statuses, profiles, settings and methods.
func TestCompletionOfValues(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	require.Zero(t, u.runWith(secretTest, "profile", "add", "acme", "--base-url", server.URL()).code)
	assert.Equal(t, []string{"evaluated", "started", "submitted"}, u.completed("submissions", "list", "--status", ""))
	assert.Equal(t, []string{"acme"}, u.completed("--profile", ""))
	assert.Contains(t, u.completed("api", "-X", ""), "PATCH")
	for _, line := range []string{"submissions find", "report", "invitations resend"} {
		assert.Equal(t, ":4\n", u.run(append([]string{"__complete"}, append(strings.Fields(line), "")...)...).stdout, "no data of candidates, and no files")
	}
}

// TestNamesWithSpacesCompleteInShells types a name in each shell up to the common beginning of
// two names, and then the difference, without quotes, in quotes and behind "=".
func TestNamesWithSpacesCompleteInShells(t *testing.T) {
	t.Parallel()
	h := newCampaign(t, 0)
	h.server.AddAssessment("Ops: R&D 2026 north")
	wanted := h.server.AddAssessment("Ops: R&D 2027 north")
	u := newUser(t, h.server, sandbox.LiveKey)
	require.NoError(t, os.Symlink(os.Args[0], filepath.Join(u.home, "hiring")))
	u.env = append(u.env, "PATH="+u.home+":"+os.Getenv("PATH"))
	for shell, start := range map[string][]string{
		"bash": {"--norc", "--noprofile", "-i"}, "zsh": {"-f", "-i"}, "fish": {"--no-config", "-i"},
	} {
		path, err := exec.LookPath(shell)
		if err != nil && os.Getenv("HIRING_SKIP_NOTHING") == "" {
			t.Log(shell + " is missing: install it, or run .ci/run, which does that")
			continue
		}
		require.NoError(t, err)
		script := "hiring." + shell
		u.write(script, u.run("completion", shell).stdout)
		load := map[string]string{"zsh": "autoload -U compinit; compinit -u -D; "}[shell] + "source " + script
		for _, typed := range []string{"assessments close Op\t7\t", "assessments close 'Op\t7\t", "assessments close \"Op\t7\t", "invitations resend a@example.com --assessment=Op\t7\t"} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			c := exec.CommandContext(ctx, path, start...)
			c.Env, c.Dir = u.env, u.home
			terminal, err := pty.StartWithSize(c, &pty.Winsize{Rows: 40, Cols: 200})
			require.NoError(t, err)
			_, err = terminal.WriteString(load + "\nhiring " + typed + " --yes\nexit\n")
			require.NoError(t, err)
			screen, _ := io.ReadAll(terminal)
			_ = c.Wait()
			cancel()
			_ = terminal.Close()
			asked := h.server.Journal()
			h.server.ClearJournal()
			assert.True(t, slices.ContainsFunc(asked, func(e sandbox.Entry) bool { return strings.Contains(e.Path, wanted) }), "%s, %q: %s", shell, typed, screen)
		}
	}
}
