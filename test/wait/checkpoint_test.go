package wait_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
)

func TestFileCheckpointMindsTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	checkpoint := hiring.FileCheckpoint(filepath.Join(t.TempDir(), "state"))
	require.ErrorIs(t, checkpoint.Save(ctx, "x"), context.Canceled)
	_, err := checkpoint.Load(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestFileCheckpointNamesANilContext(t *testing.T) {
	var none context.Context
	path := filepath.Join(t.TempDir(), "state")
	checkpoint := hiring.FileCheckpoint(path)
	const want = "hiring: nil context: use context.Background or context.TODO"
	assert.PanicsWithValue(t, want, func() { _ = checkpoint.Save(none, "x") })
	assert.NoFileExists(t, path)
	assert.PanicsWithValue(t, want, func() { _, _ = checkpoint.Load(none) })
}

func TestFileCheckpointNamesItselfInErrors(t *testing.T) {
	checkpoint := hiring.FileCheckpoint(t.TempDir())
	_, err := checkpoint.Load(t.Context())
	require.ErrorContains(t, err, "hiring: checkpoint: ")
	require.ErrorContains(t, checkpoint.Save(t.Context(), "x"), "hiring: checkpoint: ")
}
