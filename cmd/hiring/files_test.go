package main

import (
	"bytes"
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

// TestArchiveToARedirectedOutput: the user expects the archive in that file, and not beside it.
func TestArchiveToARedirectedOutput(t *testing.T) {
	t.Parallel()
	u := newUser(t, sandbox.New(), sandbox.TestKey)
	c := u.command(t.Context(), "submissions", "archive", sandbox.SubmissionID)
	var stderr bytes.Buffer
	file, err := os.Create(filepath.Join(u.home, "x.zip"))
	require.NoError(t, err)
	c.Stdout, c.Stderr = file, &stderr
	assert.Equal(t, exitUsage, exitCode(t, c.Run()))
	assert.Contains(t, stderr.String(), "Use -f - for standard output, or -f <file>.")
	require.NoError(t, file.Close())
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
