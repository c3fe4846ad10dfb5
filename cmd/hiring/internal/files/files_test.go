package files_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
)

func write(name, text string) error {
	return files.Write(name, func(to *os.File) error {
		_, err := to.WriteString(text)
		return err
	})
}

// TestSpecialFilesAreNeverReplaced checks each kind of special file, also behind a
// symbolic link.
func TestSpecialFilesAreNeverReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fifo, folder, device, looped := dir+"/fifo", dir+"/folder", dir+"/device", dir+"/loop"
	require.NoError(t, exec.CommandContext(t.Context(), "mkfifo", fifo).Run())
	require.NoError(t, os.Mkdir(folder, 0o700))
	require.NoError(t, os.Symlink(os.DevNull, device))
	require.NoError(t, os.Symlink("fifo", dir+"/link"))
	require.NoError(t, os.Symlink(looped, looped))
	require.NoError(t, os.Symlink("not-there-yet", dir+"/dangling"))
	for _, path := range []string{fifo, folder, device, dir + "/link", dir + "/dangling", looped, "/dev/stdout", "/proc/self/fd/2"} {
		err := write(path, "text")
		require.ErrorAs(t, err, new(files.TargetError), path)
		require.ErrorContains(t, err, path+" is not a regular file")
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 6, "no temporary file is left")
	info, err := os.Lstat(fifo)
	require.NoError(t, err)
	assert.Equal(t, os.ModeNamedPipe, info.Mode().Type())
	info, err = os.Stat(os.DevNull)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeDevice)
}

// TestWriteIsAtomic: a failed write leaves the old content, and a link and the mode of the
// file stay. A new file is private.
func TestWriteIsAtomic(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link := dir+"/"+strings.Repeat("n", 250), dir+"/link"
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o644))
	require.NoError(t, os.Symlink(filepath.Base(file), link))
	errFull := errors.New("full")
	require.ErrorIs(t, files.Write(link, func(*os.File) error { return errFull }), errFull)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "old", string(text))

	require.NoError(t, write(link, "new"))
	text, err = os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "new", string(text))
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), info.Mode())
	info, err = os.Lstat(link)
	require.NoError(t, err)
	assert.Equal(t, os.ModeSymlink, info.Mode().Type())

	for _, left := range []string{"/new.hiring-part", "/new.mine.part"} { // The former is of a killed command.
		require.NoError(t, os.WriteFile(dir+left, nil, 0o600))
	}
	require.NoError(t, write(dir+"/new", "made"))
	info, err = os.Stat(dir + "/new")
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 4, "no temporary file and no lock is left")
	require.ErrorContains(t, write(dir+"/none/file", "x"), "none/file: the folder does not exist")
}

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
