package statefile_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/statefile"
)

// loads checks the result of loading a path.
func loads(t *testing.T, path, want string) {
	t.Helper()
	state, err := statefile.Load(path)
	require.NoError(t, err, path)
	assert.Equal(t, want, state, path)
}

func saves(t *testing.T, path, state string) {
	t.Helper()
	require.NoError(t, statefile.Save(path, state), path)
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

func TestRejectsStatesThatAreTooLong(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "state")
	longest := strings.Repeat("x", 16<<20)
	saves(t, path, longest)
	loads(t, path, longest)
	require.ErrorContains(t, statefile.Save(path, longest+"x"), "exceeds the limit")
	loads(t, path, longest)
	require.NoError(t, os.Truncate(path, 1<<30)) // A sparse file, which uses no space.
	_, err := statefile.Load(path)
	require.ErrorContains(t, err, "larger than a state file can be")
	assert.Equal(t, []string{"state"}, names(t, folder))
}

func TestWantsItsFolder(t *testing.T) {
	folder := t.TempDir()
	loads(t, filepath.Join(folder, "state"), "")
	link, dangling := filepath.Join(folder, "link"), filepath.Join(folder, "dangling")
	require.NoError(t, os.Symlink("target", link))
	require.NoError(t, os.Symlink("none/target", dangling))
	loads(t, link, "")
	for _, path := range []string{filepath.Join(folder, "none", "state"), dangling} {
		_, err := statefile.Load(path)
		require.ErrorIs(t, err, os.ErrNotExist, path)
		require.ErrorContains(t, err, "create it", path)
		require.ErrorContains(t, err, "folder")
		require.ErrorIs(t, statefile.Save(path, "x"), os.ErrNotExist, path)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "file"), nil, 0o600))
	_, err := statefile.Load(filepath.Join(folder, "file", "state"))
	require.Error(t, err)
}

// TestFollowsLinks includes links of folders, paths with "..", and links to links.
func TestFollowsLinks(t *testing.T) {
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

func TestTakesTheLongestNames(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{strings.Repeat("n", 255), strings.Repeat("é", 127), "*?[x] %s"} {
		saves(t, name, name)
		loads(t, name, name)
	}
	require.Error(t, statefile.Save(strings.Repeat("n", 256), "x"))
	assert.Len(t, names(t, "."), 3)
}

func TestSavesAtOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() { assert.NoError(t, statefile.Save("state", strings.Repeat("x", 1000))) })
	}
	all.Wait()
	loads(t, "state", strings.Repeat("x", 1000))
	assert.Equal(t, []string{"state"}, names(t, "."))
}

// TestWritesBesideTheFile checks that the temporary file is on the same disk, because a
// file cannot be moved to another disk atomically.
func TestWritesBesideTheFile(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	saves(t, "state", "x")
	loads(t, "state", "x")
}

// TestEmptyIsNotAbsent checks that an empty file is an error and not a fresh start, and
// that no save makes one.
func TestEmptyIsNotAbsent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	require.ErrorContains(t, statefile.Save(path, ""), "never empty")
	loads(t, path, "")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err := statefile.Load(path)
	require.ErrorContains(t, err, "is empty: restore it, or delete it")
}

// TestHoldsTheStateAsItIs checks that the file has nothing beside the state.
func TestHoldsTheStateAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	saves(t, path, "a state\n")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "a state\n", string(text))
	loads(t, path, "a state\n")
}
