package statefile_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/statefile"
)

func TestRefusesWhatIsNoFile(t *testing.T) {
	folder := t.TempDir()
	fifo := filepath.Join(folder, "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	toDevice := filepath.Join(folder, "to-device")
	require.NoError(t, os.Symlink("/dev/full", toDevice))
	loop := filepath.Join(folder, "loop")
	require.NoError(t, os.Symlink("loop", loop))
	for path, want := range map[string]string{
		folder: "not a regular file", fifo: "not a regular file", "/dev/full": "not a regular file", "/dev/zero": "not a regular file",
		toDevice: "not a regular file", loop: "symbolic links", "": "names no file", folder + "/": "names no file",
	} {
		file := statefile.At(path)
		_, err := file.Load()
		require.ErrorContains(t, err, want, path)
		require.ErrorContains(t, file.Save("x"), want, path)
	}
	assert.Equal(t, []string{"fifo", "loop", "to-device"}, names(t, folder))
	_, err := statefile.At("/proc/self/status").Load() // A file that says it has no bytes.
	require.ErrorContains(t, err, "damaged")
}
