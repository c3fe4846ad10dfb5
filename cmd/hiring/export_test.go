package main

import (
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestExportFormatFollowsTheEnding: the ending of the file chooses the format. A CSV file
// begins with a byte order mark, and a cell without data is empty.
func TestExportFormatFollowsTheEnding(t *testing.T) {
	t.Parallel()
	u := newUser(t, sandbox.New(), sandbox.TestKey)
	for _, name := range []string{"results.csv", "results.JSONL", "results.json"} {
		got := u.run("submissions", "export", name)
		require.Zero(t, got.code, got.stderr)
		assert.Equal(t, result{}, got, "cron sends what is printed by e-mail")
	}
	text, hasBOM := strings.CutPrefix(u.read("results.csv"), "\ufeff")
	assert.True(t, hasBOM)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	assert.Len(t, rows, 294)
	assert.Equal(t, "candidate", rows[0][0])
	assert.NotContains(t, text, "not enough data")
	assert.Equal(t, 293, strings.Count(u.read("results.JSONL"), "\n"))
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(u.read("results.json")), &all))
	assert.Len(t, all, 293)

	require.Zero(t, u.run("submissions", "export", "results.csv", "--columns", "id", "--status", "started").code)
	assert.True(t, strings.HasPrefix(u.read("results.csv"), "\ufeffid\n5b"), "a complete export replaces the file")
	require.Zero(t, u.run("submissions", "export", "results.txt", "-o", "jsonl", "--jq", ".id").code)
	assert.True(t, strings.HasPrefix(u.read("results.txt"), "5b"))
	for line, says := range map[string]string{
		"results.xlsx":        "Use .csv, .json or .jsonl, or -o.",
		"- -o csv":            "For standard output, use hiring submissions list --all -o csv.",
		"none/results.csv":    "none/results.csv: the folder does not exist",
		"results.csv --jq .x": "--jq is for JSON",
	} {
		got := u.run(append([]string{"submissions", "export"}, strings.Fields(line)...)...)
		assert.Equal(t, exitUsage, got.code, line)
		assert.Contains(t, got.stderr, says, line)
	}
}

// TestFilesHaveNoSignedLinks: whoever has the link has the workspace for an hour.
func TestFilesHaveNoSignedLinks(t *testing.T) {
	t.Parallel()
	h := newCampaign(t, 1)
	u := newUser(t, h.server, sandbox.LiveKey)
	submission := newSubmission(t, h, "a@example.com")
	assert.Contains(t, u.run("submissions", "get", submission, "-o", "json").stdout, "/_archive/")
	for _, name := range []string{"results.csv", "results.json", "results.jsonl"} {
		require.Zero(t, u.run("submissions", "export", name).code)
		assert.Contains(t, u.read(name), submission)
		assert.NotContains(t, u.read(name), "archive")
	}
	for _, line := range []string{"submissions list -o csv", "submissions get -o csv " + submission, "submissions export results.json"} {
		got := u.run(append(strings.Fields(line), "--columns", "workspace_archive_url")...)
		assert.Equal(t, exitUsage, got.code, line)
		assert.NotContains(t, got.stdout, "/_archive/")
		assert.Contains(t, got.stderr, "There is no column workspace_archive_url.", line)
	}
}

// TestInterruptedExport leaves the old file as it is, and no other.
func TestInterruptedExport(t *testing.T) {
	t.Parallel()
	server := sandbox.New()
	u := newUser(t, server, sandbox.TestKey)
	u.write("all.jsonl", "before\n")
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 2)
	u.env = append(u.env, "TZ=UTC")
	got, _ := u.inDialog([]answer{{" UTC", "\x03"}}, "submissions", "export", "all.jsonl")
	assert.Equal(t, exitInterrupted, got.code)
	assert.Regexp(t, `exported 200, waiting for the rate limit until \d\d:\d\d:\d\d UTC`, got.stdout)
	assert.Contains(t, got.stdout, " Interrupted.\n")
	assert.Equal(t, "before\n", u.read("all.jsonl"))
	left, err := filepath.Glob(filepath.Join(u.home, "all.jsonl*"))
	require.NoError(t, err)
	assert.Len(t, left, 1)
	server.Advance(time.Hour)
	got = u.onTerminal("submissions", "export", "all.jsonl")
	require.Zero(t, got.code)
	assert.Contains(t, got.stdout, "Wrote 293 submissions to all.jsonl.")
	assert.Equal(t, 293, strings.Count(u.read("all.jsonl"), "\n"))
}
