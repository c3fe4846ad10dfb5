package hiring

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestKeyIsFoundWhereverItIs(t *testing.T) {
	const letters = "sk_x9"
	random := rand.New(rand.NewPCG(1, 2))
	text := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[random.IntN(len(letters))]
		}
		return b
	}
	found := 0
	for range 20_000 {
		c, err := newCredential(string(text(6)), "")
		require.NoError(t, err)
		b := text(random.IntN(60))
		if random.IntN(2) == 0 {
			copy(b[random.IntN(len(b)+1):], c.key)
		}
		want := bytes.Contains(b, []byte(c.key))
		if want {
			found++
		}
		require.Equal(t, want, c.in(b), "%s in %s", c.key, b)
	}
	assert.Greater(t, found, 1000)
	assert.Equal(t, 14, rarestIn("sk_test_sandbox"))
}
