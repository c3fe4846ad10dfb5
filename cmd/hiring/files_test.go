package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestOutputFilesAreNeverSpecialFiles runs each command that writes a file.
func TestOutputFilesAreNeverSpecialFiles(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 2)
	submission := newSubmission(t, h, "z@example.com")
	require.NoError(t, h.server.Evaluate(submission, sandbox.Result{ShipScore: new(71)}))
	before := len(h.server.Journal())
	for _, line := range []string{
		"submissions archive --file FILE " + submission,
		"submissions export FILE -o csv",
		"invitations import people.csv --yes --results FILE -a " + h.id,
	} {
		if !strings.Contains(line, "archive") {
			u.fails(exitUsage, "hiring: - is not possible: give the name of a file.", strings.Fields(strings.Replace(line, "FILE", "-", 1))...)
		}
		for _, path := range []string{"fifo", "/dev/stdout"} {
			fifo := filepath.Join(u.home, "fifo")
			if _, err := os.Lstat(fifo); os.IsNotExist(err) {
				require.NoError(t, exec.CommandContext(t.Context(), "mkfifo", fifo).Run())
			}
			got := u.fails(exitUsage, path+" is not a regular file", strings.Fields(strings.Replace(line, "FILE", path, 1))...)
			assert.Empty(t, got.stdout, line)
			info, err := os.Lstat(fifo)
			require.NoError(t, err)
			assert.Equal(t, os.ModeNamedPipe, info.Mode().Type(), line)
		}
	}
	assert.Len(t, h.server.Journal(), before, "refused before any request")
	assert.Empty(t, h.invitations()["c0@example.com"])
}

// TestArchiveToARedirectedOutput: an empty file is meant for the archive, unless it is a log that has the errors, too.
func TestArchiveToARedirectedOutput(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 1)
	submission := newSubmission(t, h, "a@example.com")
	for script, code := range map[string]int{"> x.zip": exitUsage, ">> new.log": exitUsage, "> new.log 2>&1": exitOK, ">> new.log 2>&1": exitOK, ">> old.log": exitOK} {
		u.write("old.log", "an older line\n")
		_ = os.Remove(filepath.Join(u.home, "new.log"))
		c := exec.CommandContext(t.Context(), "sh", "-c", `"$0" submissions archive $1 --force `+script, os.Args[0], submission)
		c.Env, c.Dir = u.env, u.home
		said, err := c.CombinedOutput()
		assert.Equal(t, code, exitCode(t, err), "%s: %s", script, said)
		assert.Equal(t, code != 0, strings.Contains(string(said), "Use -f - for standard output, or -f <file>."), script)
	}
	assert.True(t, strings.HasPrefix(u.read(submission+".zip"), "PK"))
}

// TestFileSystemWithoutLocks: profiles and exports, which replace a file as a whole, go on. A
// second import or watch would send or print twice, so that they are refused.
func TestFileSystemWithoutLocks(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 1)
	u.env = append(u.env, locklessUnderTest+"=1")
	assert.Equal(t, result{}, u.run("submissions", "export", "all.csv"))
	assert.Zero(t, u.runWith(sandbox.LiveKey+"\n", "profile", "add", "acme", "--base-url", h.server.URL()).code)
	assert.Contains(t, u.run("profile", "list", "-o", "csv").stdout, "acme,live,")
	const without = ": this file system has no locks, so that a second run at the same time could not be refused. "
	assert.Equal(t, result{stderr: "hiring: people.csv.results.csv" + without + "No invitations were sent. Keep the file of results on a local disk: --results <file>.\n", code: exitUsage},
		u.run("invitations", "import", "people.csv", "-a", h.id, "--yes"))
	assert.Equal(t, result{stderr: "hiring: s" + without + "Keep it on a local disk: --checkpoint <file>.\n", code: exitUsage}, u.run("watch", "--once", "--checkpoint", "s"))
	assert.Empty(t, h.invitations())
	left, err := filepath.Glob(filepath.Join(u.home, "*.lock"))
	require.NoError(t, err)
	assert.Empty(t, left)
}
