package hiring

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAnOldTimerKeepsANewerAddress: two calls for one address set a timer each. The first drops the address, and then
// a third call makes it anew.
func TestAnOldTimerKeepsANewerAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := newAddresses()
		use := func(send bool) {
			a, err := known.lock(t.Context(), "a", "ada@example.com")
			require.NoError(t, err)
			if send {
				a.last = lastRequest{ended: known.now(), outcome: OutcomeUnknown}
			}
			known.unlock(a)
		}
		use(true)
		time.Sleep(2 * time.Second)
		use(false)
		time.Sleep(addressLifetime - time.Second)
		synctest.Wait()
		assert.Empty(t, known.entries)
		use(true)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Len(t, known.entries, 1)
	})
}
