package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
