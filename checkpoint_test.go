package hiring_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
)

// TestFileCheckpointWritesBesideTheFile: a file cannot be moved from one disk to
// another in one step.
func TestFileCheckpointWritesBesideTheFile(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	checkpoint := hiring.FileCheckpoint("state")
	require.NoError(t, checkpoint.Save(t.Context(), "x"))
	state, err := checkpoint.Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "x", state)
}

func TestFileCheckpointCleansUpWhenItFails(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "state")
	require.NoError(t, os.MkdirAll(filepath.Join(path, "full"), 0o700))
	require.Error(t, hiring.FileCheckpoint(path).Save(t.Context(), "x"))
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, left, 1)
}

func TestFileCheckpointMindsTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	checkpoint := hiring.FileCheckpoint(filepath.Join(t.TempDir(), "state"))
	require.ErrorIs(t, checkpoint.Save(ctx, "x"), context.Canceled)
	_, err := checkpoint.Load(ctx)
	require.ErrorIs(t, err, context.Canceled)
}
