package hiring_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
)

// loads checks what a path loads as.
func loads(t *testing.T, path, want string) {
	t.Helper()
	state, err := hiring.FileCheckpoint(path).Load(t.Context())
	require.NoError(t, err, path)
	assert.Equal(t, want, state, path)
}

func saves(t *testing.T, path, state string) {
	t.Helper()
	require.NoError(t, hiring.FileCheckpoint(path).Save(t.Context(), state), path)
}

func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func TestFileCheckpointRefusesWhatIsTooLong(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "state")
	longest := strings.Repeat("x", 1<<20-len("hiring-checkpoint-1 00000000\n"))
	saves(t, path, longest)
	loads(t, path, longest)
	require.ErrorContains(t, hiring.FileCheckpoint(path).Save(t.Context(), longest+"x"), "longer than")
	loads(t, path, longest)
	require.NoError(t, os.Truncate(path, 1<<30)) // It has holes, and takes no room.
	_, err := hiring.FileCheckpoint(path).Load(t.Context())
	require.ErrorContains(t, err, "longer than a state can be")
	assert.Equal(t, []string{"state"}, names(t, folder))
}

func TestFileCheckpointWantsItsFolder(t *testing.T) {
	folder := t.TempDir()
	loads(t, filepath.Join(folder, "state"), "")
	link, dangling := filepath.Join(folder, "link"), filepath.Join(folder, "dangling")
	require.NoError(t, os.Symlink("target", link))
	require.NoError(t, os.Symlink("none/target", dangling))
	loads(t, link, "")
	for _, path := range []string{filepath.Join(folder, "none", "state"), dangling} {
		checkpoint := hiring.FileCheckpoint(path)
		_, err := checkpoint.Load(t.Context())
		require.ErrorIs(t, err, os.ErrNotExist, path)
		require.ErrorContains(t, err, "folder")
		require.ErrorIs(t, checkpoint.Save(t.Context(), "x"), os.ErrNotExist, path)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "file"), nil, 0o600))
	_, err := hiring.FileCheckpoint(filepath.Join(folder, "file", "state")).Load(t.Context())
	require.Error(t, err)
}

// TestFileCheckpointGoesThroughLinks, also through those of folders, before ".."
// too, and from one link to another.
func TestFileCheckpointGoesThroughLinks(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "disk", "deep"), 0o700))
	for name, to := range map[string]string{
		"folder": "disk/deep", "second": "first", "first": filepath.Join(folder, "disk", "state"), "disk/deep/up": "../up-state",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(folder, name)))
	}
	for path, target := range map[string]string{"second": "disk/state", "folder/state": "disk/deep/state", "folder/up": "disk/up-state"} {
		for _, state := range []string{"a", "b"} {
			saves(t, filepath.Join(folder, path), state)
			loads(t, filepath.Join(folder, path), state)
			loads(t, filepath.Join(folder, target), state)
		}
		info, err := os.Lstat(filepath.Join(folder, target))
		require.NoError(t, err)
		assert.True(t, info.Mode().IsRegular(), target)
	}
	for _, path := range []string{"folder", "second", "first", "disk/deep/up"} {
		info, err := os.Lstat(filepath.Join(folder, path))
		require.NoError(t, err)
		assert.Equal(t, os.ModeSymlink, info.Mode().Type(), "%s is still a link", path)
	}
	assert.Equal(t, []string{"disk", "first", "folder", "second"}, names(t, folder))
	assert.Equal(t, []string{"deep", "state", "up-state"}, names(t, filepath.Join(folder, "disk")))
}

func TestFileCheckpointTakesTheLongestNames(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{strings.Repeat("n", 255), strings.Repeat("é", 127), "*?[x] %s"} {
		saves(t, name, name)
		loads(t, name, name)
	}
	require.Error(t, hiring.FileCheckpoint(strings.Repeat("n", 256)).Save(t.Context(), "x"))
	assert.Len(t, names(t, "."), 3)
}

func TestFileCheckpointSavesAtOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	checkpoint := hiring.FileCheckpoint("state")
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() { assert.NoError(t, checkpoint.Save(t.Context(), strings.Repeat("x", 1000))) })
	}
	all.Wait()
	loads(t, "state", strings.Repeat("x", 1000))
	assert.Equal(t, []string{"state"}, names(t, "."))
}
