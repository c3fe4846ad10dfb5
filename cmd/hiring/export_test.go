package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

var errStopped = errors.New("killed")

// TestKilledExportResumes: an export is killed before, after and within each
// change on the disk, and resumed.
func TestKilledExportResumes(t *testing.T) {
	t.Parallel()
	list := sandbox.Start(t).Client().Submissions.List(hiring.SubmissionFilter{}).PageSize(100)
	all, err := list.Collect(t.Context())
	require.NoError(t, err)
	killed := 0
	for killing := true; killing; killed++ {
		file := filepath.Join(t.TempDir(), "all.jsonl")
		before := killed
		err := exportUntil(t, list, file, func(change func() error) error {
			before--
			if before < 0 {
				return errStopped
			}
			return change()
		})
		killing = err != nil
		if killing {
			require.ErrorIs(t, err, errStopped)
			halfAPage(t, file)
			require.NoError(t, exportUntil(t, list, file, nil), "killed at change %d", killed)
		}
		assert.Equal(t, idsOf(all), idsIn(t, file), "killed at change %d", killed)
		assert.NoFileExists(t, file+".state")
		require.ErrorContains(t, exportUntil(t, list, file, nil), "already exists")
		assert.Equal(t, idsOf(all), idsIn(t, file), "a complete file is not replaced")
	}
	assert.Equal(t, 10, killed, "state, file, 3 pages with a state each, the end, and once not at all")
}

// exportUntil runs an export with a hook that may end it. A nil hook lets it finish.
func exportUntil(t *testing.T, list hiring.Pager[hiring.Submission], file string, change func(func() error) error) error {
	t.Helper()
	progress := output.Stream{Writer: io.Discard}.Progress("exported")
	if change == nil {
		_, err := export(t.Context(), list, file, file, exportContent{}, progress)
		return err
	}
	e := exportRun{name: file, file: file, stateFile: file + ".state", change: change}
	return e.run(t.Context(), list, exportContent{}, progress)
}

// halfAPage appends part of a page to an incomplete file, as a killed run does.
func halfAPage(t *testing.T, file string) {
	t.Helper()
	var state exportState
	text, err := os.ReadFile(file + ".state")
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &state))
	to, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if state.Done || errors.Is(err, os.ErrNotExist) {
		return
	}
	require.NoError(t, err)
	_, err = to.WriteString(`{"id":"half`)
	require.NoError(t, errors.Join(err, to.Close()))
}

func idsOf(all []hiring.Submission) (ids []string) {
	for _, one := range all {
		ids = append(ids, one.ID)
	}
	return ids
}

func idsIn(t *testing.T, file string) (ids []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		var one hiring.Submission
		require.NoError(t, json.Unmarshal([]byte(line), &one))
		ids = append(ids, one.ID)
	}
	return ids
}

// TestExportIntoAChangedFileFails: a file that was shortened, edited or extended by the user
// is neither truncated nor completed.
func TestExportIntoAChangedFileFails(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(text string) string{
		"shorter":  func(text string) string { return text[:len(text)/2] },
		"edited":   func(text string) string { return strings.Replace(text, "evaluated", "EVALUATED", 1) },
		"extended": func(text string) string { return text + "my notes\n" },
		"empty":    func(string) string { return "" },
	} {
		server := sandbox.New()
		u := newUser(t, server, sandbox.TestKey)
		server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 2)
		got := u.run("submissions", "export", "all.jsonl", "--timeout", "3s")
		require.NotZero(t, got.code, name)
		changed := change(u.read("all.jsonl"))
		u.write("all.jsonl", changed)
		server.Advance(time.Hour)
		got = u.run("submissions", "export", "all.jsonl")
		assert.Equal(t, exitUsage, got.code, name)
		assert.Contains(t, got.stderr, "all.jsonl was changed since it was begun. Move it away and remove ", name)
		assert.Equal(t, changed, u.read("all.jsonl"), name)
	}
}

// TestExportThatReadsNoPage leaves no state, so that the next run cannot truncate what the
// user stores in the file meanwhile.
func TestExportThatReadsNoPage(t *testing.T) {
	t.Parallel()
	server := sandbox.New()
	u := newUser(t, server, sandbox.TestKey)
	server.Inject(sandbox.Fault{Route: "GET /submissions", Times: 4, Status: 500})
	require.NotZero(t, u.run("submissions", "export", "all.jsonl").code)
	entries, err := filepath.Glob(filepath.Join(u.home, "*"))
	require.NoError(t, err)
	assert.Empty(t, entries)
	u.write("all.jsonl", "my notes\n")
	got := u.run("submissions", "export", "all.jsonl")
	assert.Equal(t, result{stderr: "hiring: all.jsonl already exists: remove it or choose another file.\n", code: exitUsage}, got)
	assert.Equal(t, "my notes\n", u.read("all.jsonl"))
}

// TestResumedExportHasOneContent: neither another organization nor other filters.
func TestResumedExportHasOneContent(t *testing.T) {
	t.Parallel()
	server := sandbox.New()
	u := newUser(t, server, sandbox.TestKey)
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 2)
	require.NotZero(t, u.run("submissions", "export", "all.jsonl", "--timeout", "3s").code)
	begun := u.read("all.jsonl")
	require.NotEmpty(t, begun)

	other := *u
	other.env = append(slices.Clone(u.env), envKey+"="+sandbox.LiveKey)
	got := other.run("submissions", "export", "all.jsonl")
	assert.Equal(t, result{stderr: "hiring: all.jsonl has submissions of another organization. Use the key or the profile that began it, or choose another file.\n",
		code: exitUsage}, got)
	server.Advance(time.Hour)
	got = u.run("submissions", "export", "all.jsonl", "--status", "evaluated")
	assert.Equal(t, exitUsage, got.code)
	assert.True(t, strings.HasPrefix(got.stderr, "hiring: all.jsonl was begun with other filters. Give the same --assessment, --status and --since"), got.stderr)
	assert.Equal(t, begun, u.read("all.jsonl"))
	got = u.run("submissions", "export", "all.jsonl")
	assert.Zero(t, got.code, got.stderr)
	assert.Equal(t, 293, strings.Count(u.read("all.jsonl"), "\n"))
}

// TestTwoExportsIntoOneFile: the second one is refused.
func TestTwoExportsIntoOneFile(t *testing.T) {
	t.Parallel()
	server := sandbox.New()
	u := newUser(t, server, sandbox.TestKey)
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 3)
	s := u.start("submissions", "export", "all.jsonl")
	assert.Equal(t, "exported 100\n", nextLine(t, s.stderr))
	other := *u
	other.env = append(slices.Clone(u.env), envKey+"="+sandbox.ReadOnlyKey)
	got := other.run("submissions", "export", "all.jsonl")
	assert.Equal(t, result{stderr: "hiring: all.jsonl: another export is writing this file: wait until it has ended.\n", code: exitUsage}, got)
	_, code := s.stop()
	assert.Equal(t, exitInterrupted, code)
	assert.NoFileExists(t, filepath.Join(u.home, "all.jsonl.lock"))
}
