package jobs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// previousRelease is the commit of the release before this one.
const previousRelease = "beca249"

// TestPreviousReleaseBesideThisOnePostgres has a worker process of each release on one
// database, as during a deployment, until everything is stored. The worker of the
// previous release is the test binary of its commit.
func TestPreviousReleaseBesideThisOnePostgres(t *testing.T) {
	if !full() {
		t.Log("set HIRING_LONG: it builds the previous release from the repository's history")
		return
	}
	dir := t.TempDir()
	run := func(dir, program string, arguments ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), program, arguments...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOWORK=off")
		output, err := c.CombinedOutput()
		require.NoError(t, err, "%s", output)
	}
	archive := filepath.Join(dir, "previous.tar")
	run("..", "git", "archive", "--output="+archive, previousRelease)
	run(dir, "tar", "-xf", archive)
	previous := filepath.Join(dir, "previous.test")
	run(filepath.Join(dir, "jobs"), "go", "test", "-c", "-o", previous, ".")
	current, err := os.Executable()
	require.NoError(t, err)

	s, w := newPostgres(t), newWorld(t)
	start := func(name, program string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), program)
		c.Env = append(os.Environ(), roleVariable+"=worker", databaseVariable+"="+s.url, serviceVariable+"="+w.URL(), nameVariable+"="+name, untilVariable+"=0")
		c.Stderr = os.Stderr
		require.NoError(t, c.Start())
		t.Cleanup(func() {
			_ = c.Process.Kill()
			_ = c.Wait()
		})
	}
	const before, during = 150, 228
	w.evaluated(t, before)
	start("previous", previous)
	eventually(t, func() bool { return s.count(t, "results") > 0 }, "the previous release works alone")
	start("current", current)
	for range during {
		w.evaluated(t, 1)
		time.Sleep(100 * time.Millisecond) // Over many polls of both.
	}
	s.allStored(t, before+during)
	require.Equal(t, before+during, s.count(t, "results"))
	require.Equal(t, before+during, value[int](t, s.db, "SELECT count(DISTINCT submission_id) FROM results"))
	polled := value[int](t, s.db, "SELECT count(DISTINCT attempted_by[array_length(attempted_by, 1)]) FROM river_job WHERE kind = 'hiring_poll' AND state = 'completed'")
	require.Equal(t, 2, polled, "both releases polled")
}
