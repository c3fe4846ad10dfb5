package sealed_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/sealed"
)

type state struct {
	Account string
	Count   int `json:",omitzero"`
}

var watch = sealed.Kind{Name: "watch", Version: 1}

func TestOpensWhatWasSealed(t *testing.T) {
	text := watch.Seal(state{"a b", 3})
	assert.Equal(t, `hiring-watch-1 fd830350 {"Account":"a b","Count":3}`, text)
	var got state
	require.NoError(t, watch.Open(text, &got))
	assert.Equal(t, state{"a b", 3}, got)
}

// TestEveryFlippedBitIsAnError also cuts the text at each place.
func TestEveryFlippedBitIsAnError(t *testing.T) {
	text := watch.Seal(state{"a b", 3})
	for bit := range 8 * len(text) {
		damaged := []byte(text)
		damaged[bit/8] ^= 1 << (bit % 8)
		require.Error(t, watch.Open(string(damaged), new(state)), "%q", damaged)
	}
	for i := range text {
		require.Error(t, watch.Open(text[:i], new(state)), "%q", text[:i])
	}
	require.ErrorIs(t, watch.Open(text+" ", new(state)), sealed.ErrDamaged)
}

func TestOtherKindsAreErrors(t *testing.T) {
	text := watch.Seal(state{})
	for _, other := range []sealed.Kind{{Name: "watch", Version: 2}, {Name: "invitations", Version: 1}} {
		require.ErrorIs(t, other.Open(text, new(state)), sealed.ErrKind)
	}
	for _, text := range []string{"", "xyz", `{"kind":"watch"}`} {
		require.ErrorIs(t, watch.Open(text, new(state)), sealed.ErrKind, text)
	}
	for _, text := range []string{"hiring-watch-1", "hiring-watch-1 ", "hiring-watch-1 00000000 "} {
		require.ErrorIs(t, watch.Open(text, new(state)), sealed.ErrDamaged, text)
	}
}

// TestASealedTextOfAnotherShapeIsDamaged: the checksum is right and the JSON is not the
// state's.
func TestASealedTextOfAnotherShapeIsDamaged(t *testing.T) {
	require.ErrorIs(t, watch.Open(watch.Seal([]int{1}), new(state)), sealed.ErrDamaged)
}

func TestWhatCannotBeEncodedPanics(t *testing.T) {
	assert.Panics(t, func() { watch.Seal(func() {}) })
}
