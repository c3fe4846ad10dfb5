package statefile_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReplacesTheFile checks that a save does not write to the old file, which a kill would cut short.
func TestReplacesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	saves(t, path, "old")
	old := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Link(path, old))
	saves(t, path, "new")
	loads(t, path, "new")
	loads(t, old, "old")
}

// TestAfterAKilledSave has the temporary file of a save that was killed, or still runs, beside the state.
func TestAfterAKilledSave(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "state")
	killed := "hiring-checkpoint-a393d2fb-1.tmp"
	foreign := "hiring-checkpoint-00000000-1.tmp" // Of another state file.
	saves(t, path, "old")
	age := func(age time.Duration) {
		for _, name := range []string{killed, foreign} {
			require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("ne"), 0o600))
			require.NoError(t, os.Chtimes(filepath.Join(folder, name), time.Time{}, time.Now().Add(-age)))
		}
	}
	age(9 * time.Minute)
	loads(t, path, "old")
	saves(t, path, "later")
	assert.Equal(t, []string{foreign, killed, "state"}, names(t, folder), "the save may still be running")
	age(11 * time.Minute)
	saves(t, path, "latest")
	assert.Equal(t, []string{foreign, "state"}, names(t, folder))
	loads(t, path, "latest")
}
