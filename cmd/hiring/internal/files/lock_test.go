package files_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
)

// TestLock: one command at a time writes a file, and another is refused or waits.
func TestLock(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "results.csv")
	release, err := files.Lock(name, 0)
	require.NoError(t, err)
	_, err = files.Lock(name, 0)
	require.ErrorIs(t, err, files.ErrLocked)
	require.ErrorIs(t, write(name, "x"), files.ErrLocked)
	assert.NoFileExists(t, name)
	waited := make(chan func())
	go func() {
		release, err := files.Lock(name, time.Minute)
		assert.NoError(t, err)
		waited <- release
	}()
	release()
	(<-waited)()
	assert.NoFileExists(t, name+".lock")
}

// TestALinkInPlaceOfALock is not followed: the lock would create its target.
func TestALinkInPlaceOfALock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(dir, "target"), filepath.Join(dir, "results.csv.lock")))
	_, err := files.Lock(filepath.Join(dir, "results.csv"), 0)
	require.ErrorAs(t, err, new(files.TargetError))
	require.ErrorContains(t, err, "results.csv.lock is not a regular file: remove it")
	assert.NoFileExists(t, filepath.Join(dir, "target"))
}
