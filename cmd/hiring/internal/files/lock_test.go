package files_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
)

const lockChild = "HIRING_TEST_LOCK"

// TestLockChild holds a lock until its standard input ends. TestLock runs it in another
// process.
func TestLockChild(t *testing.T) {
	name := os.Getenv(lockChild)
	if name == "" {
		return
	}
	lock, err := files.TakeLock(name)
	if errors.Is(err, files.ErrLocked) {
		fmt.Println("locked")
		return
	}
	require.NoError(t, err)
	fmt.Println("held")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	lock.Release()
}

// TestLock: one process at a time holds a lock, and killing it releases the lock.
func TestLock(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "results.csv.lock")
	hold := func() (says string, kill func()) {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestLockChild$")
		c.Env = append(os.Environ(), lockChild+"="+name)
		stdout, err := c.StdoutPipe()
		require.NoError(t, err)
		stdin, err := c.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		says, err = bufio.NewReader(stdout).ReadString('\n')
		require.NoError(t, err)
		return says, func() {
			_ = c.Process.Kill()
			_ = c.Wait()
			_ = stdin.Close()
		}
	}
	says, kill := hold()
	assert.Equal(t, "held\n", says)
	second, end := hold()
	assert.Equal(t, "locked\n", second)
	end()
	_, err := files.TakeLock(name)
	require.ErrorIs(t, err, files.ErrLocked)
	kill()
	assert.FileExists(t, name, "a killed process leaves the file")

	lock, err := files.TakeLock(name)
	require.NoError(t, err)
	lock.Release()
	assert.NoFileExists(t, name)
}
