package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func newTarget(t *testing.T) target {
	t.Helper()
	dir, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { _ = dir.Close() })
	return target{dir, "list.jsonl"}
}

func TestStateEqualsTheSavedOne(t *testing.T) {
	t.Parallel()
	to := newTarget(t)
	got, err := to.load()
	require.NoError(t, err)
	require.Equal(t, state{}, got, "before the first page")

	for _, want := range []state{{10, "abc"}, {20, "def"}} {
		require.NoError(t, to.save(want))
		got, err := to.load()
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestOpenTruncatesToTheSavedSize(t *testing.T) {
	t.Parallel()
	to := newTarget(t)
	require.NoError(t, to.dir.WriteFile("list.jsonl.part", []byte("one\ntwo\nthr"), 0o600))
	part, err := to.open(state{size: 8, token: "abc"})
	require.NoError(t, err)
	_, err = part.WriteString("new\n")
	require.NoError(t, err)
	require.NoError(t, part.Close())
	text, err := to.dir.ReadFile("list.jsonl.part")
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\nnew\n", string(text))

	_, err = to.open(state{size: 100, token: "abc"})
	require.ErrorContains(t, err, "list.jsonl.state is damaged: delete it")
}

func TestDamagedStateIsNoFreshStart(t *testing.T) {
	t.Parallel()
	to := newTarget(t)
	require.NoError(t, to.save(state{10, "abc"}))
	good, err := to.dir.ReadFile("list.jsonl.state")
	require.NoError(t, err)
	for i := range good[:len(good)-1] { // The last rune is the line break.
		torn := append([]byte{}, good...)
		torn[i] ^= 1
		for _, text := range [][]byte{torn, good[:i]} {
			require.NoError(t, to.dir.WriteFile("list.jsonl.state", text, 0o600))
			_, err := to.load()
			require.ErrorContains(t, err, "list.jsonl.state is damaged: delete it", "%q", text)
		}
	}
}

func TestCompleteNeedsNoState(t *testing.T) {
	t.Parallel()
	to := newTarget(t)
	for _, saved := range []bool{false, true} {
		require.NoError(t, to.dir.WriteFile("list.jsonl.part", nil, 0o600))
		if saved {
			require.NoError(t, to.save(state{10, "abc"}))
		}
		require.NoError(t, to.complete())
		done, err := to.exists()
		require.NoError(t, err)
		require.True(t, done)
		left, err := to.load()
		require.NoError(t, err)
		require.Equal(t, state{}, left)
		require.NoError(t, to.dir.Remove("list.jsonl"))
	}
	require.ErrorIs(t, to.complete(), os.ErrNotExist, "there is nothing to complete")
}
