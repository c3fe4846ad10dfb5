package hiring

import (
	"errors"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counter returns a next function that counts to the last number, and then fails if it
// should.
type counter struct {
	at, last int
	fails    error
}

func (c *counter) next() (int, bool, error) {
	if c.at == c.last && c.fails != nil {
		return 0, true, c.fails
	}
	c.at++
	return c.at, c.at == c.last && c.fails == nil, nil
}

func TestEach(t *testing.T) {
	failure := errors.New("no more")
	for _, n := range []int{1, 2, 10} {
		for _, fails := range []error{nil, failure} {
			c, got := counter{last: 5, fails: fails}, 0
			err := prefetchEach(n, func() {}, c.next, func(page int) bool {
				got++
				require.Equal(t, got, page)
				return true
			})
			require.ErrorIs(t, err, fails)
			assert.Equal(t, 5, got, "what came before the failure comes first")
		}
	}
}

func TestReadsSoManyAheadAndNoMore(t *testing.T) {
	for _, n := range []int{1, 2, 10} {
		synctest.Test(t, func(t *testing.T) {
			c, canceled := counter{last: 100}, false
			err := prefetchEach(n, func() { canceled = true }, func() (int, bool, error) {
				if canceled {
					return 0, true, errors.New("canceled")
				}
				return c.next()
			}, func(int) bool {
				synctest.Wait()
				assert.Equal(t, 1+n, c.at, "the page at hand, and those ahead")
				return false
			})
			require.NoError(t, err)
			assert.True(t, canceled)
		})
	}
}

func TestPanicIsTheCallers(t *testing.T) {
	assert.PanicsWithValue(t, "broken", func() {
		_ = prefetchEach(2, func() {}, func() (int, bool, error) { panic("broken") }, func(int) bool { return true })
	})
}

func TestGoexitIsTheCallers(t *testing.T) {
	returned, ended := false, make(chan struct{})
	go func() {
		defer close(ended)
		_ = prefetchEach(2, func() {}, func() (int, bool, error) { runtime.Goexit(); return 0, true, nil }, func(int) bool { return true })
		returned = true
	}()
	<-ended
	assert.False(t, returned)
}
