package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// everyCommand returns all visible commands.
func everyCommand(t *testing.T) []*cobra.Command {
	t.Helper()
	var all []*cobra.Command
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, child := range c.Commands() {
			if !child.Hidden && !child.IsAdditionalHelpTopicCommand() {
				all = append(all, child)
				walk(child)
			}
		}
	}
	root := (&app{}).rootCommand()
	root.InitDefaultHelpCmd()
	walk(root)
	require.Greater(t, len(all), 40)
	return all
}

// TestEveryCommandHasAShortAndALongText: the short text has no full stop, and the long text ends
// with one.
func TestEveryCommandHasAShortAndALongText(t *testing.T) {
	t.Parallel()
	for _, c := range everyCommand(t) {
		assert.NotEmpty(t, c.Short, c.CommandPath())
		assert.False(t, strings.HasSuffix(c.Short, "."), c.CommandPath())
		ownWords := c.Long != "" && c.Name() != "help"
		assert.True(t, !ownWords || strings.HasSuffix(strings.TrimSpace(c.Long), "."), c.CommandPath())
	}
}

// TestCompletionOfEveryShell: each shell's script calls the program, which completes
// commands and formats.
func TestCompletionOfEveryShell(t *testing.T) {
	t.Parallel()
	u := newUser(t, nil, "")
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		got := u.run("completion", shell)
		assert.Zero(t, got.code, got.stderr)
		assert.Contains(t, got.stdout, "hiring")
		assert.Contains(t, got.stdout, "__complete", "%s asks the program", shell)
	}
	below := make(map[string][]string)
	for _, c := range everyCommand(t) {
		below[c.Parent().CommandPath()] = append(below[c.Parent().CommandPath()], c.Name())
	}
	for group, commands := range below {
		assert.Subset(t, u.completed(append(strings.Fields(group)[1:], "")...), commands)
	}
	assert.Subset(t, u.completed("account", "-o", ""), []string{"table", "json", "jsonl", "csv"})
	assert.Contains(t, u.completed("invitations", "import", "--"), "--dry-run")
}

// TestManualPages: the packaging script writes a page for the program and for each command, with
// the placeholders of its usage.
func TestManualPages(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "man1")
	c := exec.CommandContext(t.Context(), "go", "run", "-tags", "man", ".", folder)
	c.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1700000000")
	text, err := c.CombinedOutput()
	require.NoError(t, err, "%s", text)
	page := func(name string) string {
		text, err := os.ReadFile(filepath.Join(folder, name+".1"))
		require.NoError(t, err)
		return strings.ReplaceAll(string(text), `\`, "")
	}
	for _, c := range everyCommand(t) {
		if c.Name() != "help" {
			assert.Contains(t, page(strings.ReplaceAll(c.CommandPath(), " ", "-")), c.Short)
		}
	}
	assert.Contains(t, page("hiring"), "HIRING_BASE_URL")
	assert.Contains(t, page("hiring"), "interrupted; watch ends with 0 after SIGTERM")
	assert.Contains(t, page("hiring"), "Nov 2023", "the same commit makes the same bytes")
	archive := page("hiring-submissions-archive")
	assert.Contains(t, archive, "archive <submission>")
	assert.Contains(t, archive, "\n<submission> is the id of a submission")
	assert.Contains(t, archive, "default <submission-id>.zip")
}
