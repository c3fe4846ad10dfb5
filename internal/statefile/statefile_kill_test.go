package statefile_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/statefile"
)

// TestKilledWhileSaving copies the folder after each step of a save, because a process that
// is killed there leaves these files. Each copy has a complete state, and later saves remove
// the temporary file when it is old.
func TestKilledWhileSaving(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "state")
	foreign := "hiring-checkpoint-00000000-1.tmp" // Of another state file.
	require.NoError(t, os.WriteFile(filepath.Join(folder, foreign), nil, 0o600))
	require.NoError(t, os.Chtimes(filepath.Join(folder, foreign), time.Time{}, time.Now().Add(-time.Hour)))
	saves(t, path, "old")
	unchanged := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Link(path, unchanged))

	var steps []string
	left := map[string]string{} // The copy of the folder by step.
	require.NoError(t, statefile.Stepping(path, func(step string) {
		steps = append(steps, step)
		left[step] = t.TempDir()
		require.NoError(t, os.CopyFS(left[step], os.DirFS(folder)))
	}).Save("new"))
	loads(t, path, "new")
	loads(t, unchanged, "old") // A save within the old file could be cut short.

	require.Equal(t, []string{"create", "write", "close", "rename"}, steps)
	for step, folder := range left {
		path := filepath.Join(folder, "state")
		files := names(t, folder)
		temporary := slices.DeleteFunc(slices.Clone(files), func(name string) bool { return name == "state" || name == foreign })
		if step == "rename" {
			loads(t, path, "new")
			assert.Empty(t, temporary)
			continue
		}
		loads(t, path, "old")
		require.Len(t, temporary, 1, step)
		ages := func(age time.Duration) {
			for _, name := range []string{temporary[0], foreign} {
				require.NoError(t, os.Chtimes(filepath.Join(folder, name), time.Time{}, time.Now().Add(-age)))
			}
		}
		ages(9 * time.Minute)
		saves(t, path, "later")
		assert.Equal(t, files, names(t, folder), "after %s: the save may still be running", step)
		ages(11 * time.Minute)
		saves(t, path, "latest")
		assert.Equal(t, []string{foreign, "state"}, names(t, folder), "after %s", step)
		loads(t, path, "latest")
	}
}
