package main

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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

	before := u.read("results.csv")
	assert.Equal(t, result{stderr: "hiring: results.csv exists. --force replaces it.\n", code: exitUsage}, u.run("submissions", "export", "results.csv"))
	assert.Equal(t, before, u.read("results.csv"))
	require.Zero(t, u.run("submissions", "export", "results.csv", "--columns", "id", "--status", "started", "--force").code)
	assert.True(t, strings.HasPrefix(u.read("results.csv"), "\ufeffid\n5b"), "a complete export replaces the file")
	require.Zero(t, u.run("submissions", "export", "results.txt", "-o", "jsonl", "--jq", ".id").code)
	assert.True(t, strings.HasPrefix(u.read("results.txt"), "5b"))
	for line, says := range map[string]string{
		"results.xlsx":      "Use .csv, .json or .jsonl, or -o.",
		"- -o csv":          "- is not possible: give the name of a file.",
		"none/results.csv":  "none/results.csv: the folder does not exist",
		"other.csv --jq .x": "--jq is for JSON",
	} {
		u.fails(exitUsage, says, append([]string{"submissions", "export"}, strings.Fields(line)...)...)
	}
}

// TestNoOutputHasSignedLinks: a signed link works without a key for an hour, so that no output has
// it, except that of api. archive uses it.
func TestNoOutputHasSignedLinks(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 1)
	submission := newSubmission(t, h, "a@example.com")
	require.NoError(t, h.server.Evaluate(submission, sandbox.Result{ShipScore: new(71)}))
	for _, line := range []string{
		"submissions list -o json", "submissions list -o jsonl", "submissions list -o csv", "submissions list --jq .", "submissions get -o json " + submission,
		"submissions find a@example.com -o json", "report -o json " + submission, "watch --once --checkpoint s --since 1h", "submissions wait " + submission,
		"submissions list --columns workspace_archive_url", "submissions get -o csv --columns workspace_archive_url " + submission, "submissions export all.csv --columns workspace_archive_url",
	} {
		got := u.run(strings.Fields(line)...)
		assert.NotContains(t, got.stdout, "archive", line)
		if strings.Contains(line, "_url") {
			assert.Equal(t, exitUsage, got.code, line)
			assert.Contains(t, got.stderr, "There is no column workspace_archive_url.", line)
		} else {
			assert.NotEmpty(t, got.stdout, "%s: %s", line, got.stderr)
		}
	}
	for _, name := range []string{"results.csv", "results.json", "results.jsonl"} {
		require.Zero(t, u.run("submissions", "export", name).code)
		assert.Contains(t, u.read(name), submission)
		assert.NotContains(t, u.read(name), "archive")
	}
	assert.Contains(t, u.run("api", "/submissions/"+submission).stdout, "/_archive/")
	assert.Zero(t, u.run("submissions", "archive", submission).code)
}

// TestInterruptedExport leaves the old file as it is, and no other.
func TestInterruptedExport(t *testing.T) {
	t.Parallel()
	server := sandbox.New()
	u := newUser(t, server, sandbox.TestKey)
	u.write("all.jsonl", "before\n")
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 2)
	u.env = append(u.env, "TZ=UTC")
	got, _ := u.inDialog([]answer{{" UTC", "\x03"}}, "submissions", "export", "all.jsonl", "--force")
	assert.Equal(t, exitInterrupted, got.code)
	assert.Regexp(t, `exported 200, waiting for the rate limit until \d\d:\d\d:\d\d UTC`, got.stdout)
	assert.Contains(t, got.stdout, " Interrupted.\n")
	assert.Equal(t, "before\n", u.read("all.jsonl"))
	left, err := filepath.Glob(filepath.Join(u.home, "all.jsonl*"))
	require.NoError(t, err)
	assert.Len(t, left, 1)
	server.Advance(time.Hour)
	got = u.onTerminal("submissions", "export", "all.jsonl", "--force")
	require.Zero(t, got.code)
	assert.Contains(t, got.stdout, "Wrote 293 submissions to all.jsonl.")
	assert.Equal(t, 293, strings.Count(u.read("all.jsonl"), "\n"))
}

// TestFilesOfEndedExports: a closed terminal is an interruption, unless nohup ignores it. The
// files that name candidates do not stay, also when the program was killed.
func TestFilesOfEndedExports(t *testing.T) {
	t.Parallel()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // A program does not inherit that nohup ignores it.
	for name, c := range map[string]struct {
		signal     syscall.Signal
		shell      string
		code, left int
	}{
		"a closed terminal": {syscall.SIGHUP, "", exitInterrupted, 0},
		"nohup":             {syscall.SIGHUP, "trap '' HUP; ", exitOK, 1},
		"a service stops":   {syscall.SIGTERM, "", exitInterrupted, 0},
		"killed":            {syscall.SIGKILL, "", -1, 2}, // A temporary file and the lock.
	} {
		server := sandbox.New()
		u := newUser(t, server, sandbox.TestKey)
		asked, signalled := make(chan struct{}), make(chan struct{})
		slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if len(server.Journal()) == 1 {
				close(asked)
				<-signalled
			}
			server.ServeHTTP(w, r)
		}))
		t.Cleanup(slow.Close)
		plain := u.env
		u.env = append(slices.Clip(plain), envBaseURL+"="+slow.URL)
		program := u.command(t.Context(), "submissions", "export", "all.jsonl", "--force")
		program.Path, program.Args = "/bin/sh", append([]string{"sh", "-c", c.shell + `exec "$0" "$@"`}, program.Args...)
		require.NoError(t, program.Start())
		<-asked
		require.NoError(t, program.Process.Signal(c.signal))
		if c.code != exitOK {
			assert.Equal(t, c.code, exitCode(t, program.Wait()), name)
		}
		close(signalled)
		if c.code == exitOK {
			assert.Equal(t, c.code, exitCode(t, program.Wait()), name)
		}
		left, _ := filepath.Glob(filepath.Join(u.home, "all.jsonl*"))
		assert.Len(t, left, c.left, name)
		u.env = plain
		assert.Zero(t, u.run("submissions", "export", "all.jsonl", "--force").code, name)
		left, _ = filepath.Glob(filepath.Join(u.home, "all.jsonl*"))
		assert.Len(t, left, 1, name)
	}
}

// TestTimesOfFlags: a date begins at midnight in the user's zone, also in a container without a
// database of zones. A zone that is not known is an error.
func TestTimesOfFlags(t *testing.T) {
	t.Parallel()
	program, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	assert.Contains(t, string(program), "\ntime/tzdata\n")
	for _, c := range []struct{ zone, given, begins string }{
		{"Europe/Berlin", "2026-07-15", "2026-07-14T22:00:00Z"},
		{"Europe/Berlin", "2026-07-15T02:30", "2026-07-15T00:30:00Z"},
		{"Europe/Berlin", "2026-01-15 02:30", "2026-01-15T01:30:00Z"},
		{"Europe/Berlin", "2026-03-29T02:30:00.5Z", "2026-03-29T02:30:00.5Z"},
	} {
		zone, err := time.LoadLocation(c.zone)
		require.NoError(t, err)
		value := &timeValue{zone: zone}
		require.NoError(t, value.Set(c.given))
		assert.Equal(t, c.begins, value.at.UTC().Format(time.RFC3339Nano), "%s %s", c.zone, c.given)
	}
}
