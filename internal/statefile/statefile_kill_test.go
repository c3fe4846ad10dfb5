package statefile_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/statefile"
)

const savingChild = "HIRING_TEST_STATEFILE"

// TestChild saves until it is killed. The following test runs it in a process; otherwise
// it does nothing.
func TestChild(t *testing.T) {
	path, told := os.LookupEnv(savingChild)
	if !told {
		return
	}
	file := statefile.At(path)
	state, err := file.Load()
	require.NoError(t, err)
	n := 0
	if state != "" {
		_, err = fmt.Sscanf(state, "%d ", &n)
		require.NoError(t, err)
	}
	for {
		n++
		require.NoError(t, file.Save(stateNumber(n)))
		fmt.Printf("\nsaved %d\n", n)
	}
}

// stateNumber returns a state of the usual length.
func stateNumber(n int) string { return fmt.Sprintf("%d ", n) + strings.Repeat("s", 256<<10) }

// killedWhileSaving runs a process that saves, kills it after some saves, and returns the
// number of the last save that certainly ended.
func killedWhileSaving(t *testing.T, path string, random *rand.Rand) (done int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), savingChild+"="+path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for most := 1 + random.IntN(3); most > 0 && lines.Scan(); {
		if _, err := fmt.Sscanf(lines.Text(), "saved %d", &done); err == nil {
			most--
		}
	}
	time.Sleep(time.Duration(random.IntN(2000)) * time.Microsecond) // At any point of the next save.
	require.NoError(t, cmd.Process.Kill())
	rest, err := io.ReadAll(out)
	require.NoError(t, err)
	require.NotContains(t, string(rest), "FAIL")
	require.Error(t, cmd.Wait())
	return done
}

// TestKilledWhileSaving checks that there is always a complete state, and that files of
// killed saves do not accumulate.
func TestKilledWhileSaving(t *testing.T) {
	t.Parallel()
	kills := 15
	if os.Getenv("HIRING_LONG") != "" {
		kills = 60
	}
	random := rand.New(rand.NewPCG(1, 2))
	folder := t.TempDir()
	path := filepath.Join(folder, "state")
	foreign := filepath.Join(folder, "hiring-checkpoint-00000000-1.tmp") // Of another file.
	require.NoError(t, os.WriteFile(foreign, nil, 0o600))
	require.NoError(t, os.Chtimes(foreign, time.Time{}, time.Now().Add(-time.Hour)))
	most, torn := 0, map[string]bool{}
	for range kills {
		done := killedWhileSaving(t, path, random)
		state, err := statefile.At(path).Load()
		require.NoError(t, err)
		saved := 0
		_, err = fmt.Sscanf(state, "%d ", &saved)
		require.NoError(t, err)
		require.True(t, saved >= done && state == stateNumber(saved), "the state %d of %d bytes after save %d", saved, len(state), done)
		left := names(t, folder)
		most = max(most, len(left)-2)
		for _, name := range left {
			torn[name] = true
		}
	}
	t.Logf("%d kills left %d temporary files, at most %d at a time", kills, len(torn)-2, most)
	require.Greater(t, len(torn), 2, "no kill came in the middle of a save: the test shows nothing")
	assert.LessOrEqual(t, most, 11, "ten, and that of the save that was killed")

	saves(t, path, "x")
	young := names(t, folder)
	for _, name := range young[:len(young)-1] {
		require.NoError(t, os.Chtimes(filepath.Join(folder, name), time.Time{}, time.Now().Add(-9*time.Minute)))
	}
	saves(t, path, "y")
	assert.Equal(t, young, names(t, folder), "they may belong to a save that still goes on")
	for _, name := range young[:len(young)-1] {
		require.NoError(t, os.Chtimes(filepath.Join(folder, name), time.Time{}, time.Now().Add(-11*time.Minute)))
	}
	saves(t, path, "z")
	assert.Equal(t, []string{filepath.Base(foreign), "state"}, names(t, folder))
	loads(t, path, "z")
}
