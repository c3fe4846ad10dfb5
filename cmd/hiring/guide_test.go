package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const guide = "../../docs/cli.md"

var (
	recording = regexp.MustCompile(`(?m)^\{\{(.+)\}\}$`)
	styles    = regexp.MustCompile(`␛\[[0-9;]*m`)
)

// TestGuideEqualsGoldenFiles: the screens in the guide equal the golden files.
func TestGuideEqualsGoldenFiles(t *testing.T) {
	text, err := os.ReadFile("testdata/guide.md")
	require.NoError(t, err)
	rendered := recording.ReplaceAllStringFunc(string(text), func(mark string) string {
		return "```\n" + screen(t, strings.Trim(mark, "{}")) + "```"
	})
	if *update {
		require.NoError(t, os.WriteFile(guide, []byte(rendered), 0o600))
	}
	is, err := os.ReadFile(guide)
	require.NoError(t, err)
	assert.Equal(t, rendered, string(is), "cmd/hiring/record writes it")
}

// screen returns the terminal part of a golden file.
func screen(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/golden/" + name + ".txt")
	require.NoError(t, err)
	all := styles.ReplaceAllString(string(text), "")
	command, _, piped := strings.Cut(all, "\n--- stdout\n")
	if !piped {
		return all
	}
	_, shown, _ := strings.Cut(all, "--- terminal of 100 columns\n")
	return command + "\n" + shown[:strings.LastIndex(shown, "--- exit")]
}

// TestFirstCommandOfTheGuideNeedsNoSetup: a reader without a key can run it.
func TestFirstCommandOfTheGuideNeedsNoSetup(t *testing.T) {
	text, err := os.ReadFile(guide)
	require.NoError(t, err)
	_, first, found := strings.Cut(string(text), "\n$ hiring ")
	require.True(t, found)
	first, _, _ = strings.Cut(first, "\n")
	assert.Contains(t, strings.Fields(first), "--sandbox")
}
