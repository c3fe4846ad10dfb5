package limits_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

func TestFill(t *testing.T) {
	for _, length := range []int{0, 1, 4095, 4096, 4097, 100_000} {
		for _, limit := range []int64{1, 4096, 50_000, 100_000, 1 << 20} {
			for name, reader := range map[string]func(io.Reader) io.Reader{
				"at once":       func(r io.Reader) io.Reader { return r },
				"halves":        iotest.HalfReader,
				"EOF with data": iotest.DataErrReader,
			} {
				text := strings.Repeat("abcdefg", length/7+1)[:length]
				var b limits.Buffer
				require.NoError(t, b.Fill(reader(strings.NewReader(text)), limit))
				assert.Equal(t, text[:min(int64(length), limit+1)], string(b.Bytes()), "%s: %d of %d", name, limit, length)
				assert.LessOrEqual(t, b.Grown, 2*max(limit, 4096)+2, "%s: %d of %d", name, limit, length)
				b.Release()
				assert.Nil(t, b.Bytes())
			}
		}
	}
}

// TestFillCountsWhatItAllocates includes the buffers that were too small. Buffers of this
// size are not kept, so all are new.
func TestFillCountsWhatItAllocates(t *testing.T) {
	const length, limit = 3 << 20, 4 << 20
	var b limits.Buffer
	require.NoError(t, b.Fill(strings.NewReader(strings.Repeat("x", length)), limit))
	assert.Len(t, b.Bytes(), length)
	assert.Greater(t, b.Grown, int64(limit+1))
	b.Release()
	b.Release()
	assert.Nil(t, b.Bytes())
	new(limits.Buffer).Release()
}

func TestFillKeepsBytesReadBeforeAnError(t *testing.T) {
	broken := errors.New("broken")
	var b limits.Buffer
	err := b.Fill(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken)), 10)
	require.ErrorIs(t, err, broken)
	assert.Equal(t, "abc", string(b.Bytes()))
}

type closing func() error

func (closing) Read([]byte) (int, error) { return 0, io.EOF }

func (f closing) Close() error { return f() }

func TestOnce(t *testing.T) {
	closed := 0
	o := limits.Once{Body: closing(func() error { closed++; return nil })}
	o.CloseLate()
	o.Close()
	o.CloseLate()
	assert.Equal(t, 1, closed)
}

func TestPanicIsTheCallers(t *testing.T) {
	o := limits.Once{Body: closing(func() error { panic("broken body") })}
	assert.NotPanics(t, o.CloseLate)
	assert.PanicsWithValue(t, "broken body", o.Close)
}
