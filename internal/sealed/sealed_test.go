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

// TestASealedTextOfAnotherShapeIsDamaged: the checksum is right and the JSON is not the
// state's.
func TestASealedTextOfAnotherShapeIsDamaged(t *testing.T) {
	require.ErrorIs(t, watch.Open(watch.Seal([]int{1}), new(state)), sealed.ErrDamaged)
}

func TestWhatCannotBeEncodedPanics(t *testing.T) {
	assert.Panics(t, func() { watch.Seal(func() {}) })
}
