package statefile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/statefile"
)

func TestRejectsPathsThatAreNotRegularFiles(t *testing.T) {
	folder := t.TempDir()
	fifo := filepath.Join(folder, "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	toFifo := filepath.Join(folder, "to-fifo")
	require.NoError(t, os.Symlink(fifo, toFifo))
	loop := filepath.Join(folder, "loop")
	require.NoError(t, os.Symlink("loop", loop))
	for path, want := range map[string]string{
		folder: "not a regular file", fifo: "not a regular file", toFifo: "not a regular file", loop: "symbolic links", "": "has no file name", folder + "/": "has no file name",
	} {
		_, err := statefile.Load(path)
		require.ErrorContains(t, err, want, path)
		require.ErrorContains(t, statefile.Save(path, "x"), want, path)
	}
	assert.Equal(t, []string{"fifo", "loop", "to-fifo"}, names(t, folder))
	for _, device := range []string{"/dev/full", "/dev/zero"} { // Never saved to, because a wrong implementation would replace these files.
		_, err := statefile.Load(device)
		require.ErrorContains(t, err, "not a regular file", device)
	}
	text, err := statefile.Load("/proc/self/comm") // A file that reports a size of 0.
	require.NoError(t, err)
	require.NotEmpty(t, text)
}

// TestAMountedFile saves to a file that is a mount point, in a process with its own mounts.
func TestAMountedFile(t *testing.T) {
	if path := os.Getenv("HIRING_MOUNTED_FILE"); path != "" {
		require.NoError(t, syscall.Mount(path+".host", path, "", syscall.MS_BIND, ""))
		defer func() { require.NoError(t, syscall.Unmount(path, 0)) }()
		loads(t, path, "x")
		err := statefile.Save(path, "y")
		require.ErrorContains(t, err, "is a mount point, so that no save can replace it: mount its folder")
		require.ErrorIs(t, err, syscall.EBUSY)
		return
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "state")
	saves(t, path, "x")
	saves(t, path+".host", "x")
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAMountedFile$", "-test.count=1")
	child.Env = append(os.Environ(), "HIRING_MOUNTED_FILE="+path)
	child.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := child.CombinedOutput()
	require.NoError(t, err, "%s", out)
	loads(t, path, "x")
	assert.Equal(t, []string{"state", "state.host"}, names(t, folder))
}

// TestADiskThatIsFull checks that a failed save leaves the old state and no other file.
// It is not parallel, because the limit applies to the process.
func TestADiskThatIsFull(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "state")
	saves(t, path, "old")
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 64 << 10, Max: limit.Max}))
	err = statefile.Save(path, strings.Repeat("s", 256<<10))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	require.ErrorIs(t, err, syscall.EFBIG)
	loads(t, path, "old")
	assert.Equal(t, []string{"state"}, names(t, folder))
}

// TestLeavesNoFileOpen checks the file and its folder.
func TestLeavesNoFileOpen(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // The collector would close a forgotten file.
	path := filepath.Join(t.TempDir(), "state")
	before := names(t, "/proc/self/fd")
	for range 10 {
		saves(t, path, "x")
		loads(t, path, "x")
	}
	assert.Len(t, names(t, "/proc/self/fd"), len(before))
}
