package jobs

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestShares runs in virtual time.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		s := newShares(10)
		must := func(key string, n int) func(error) {
			t.Helper()
			release, ok := s.take(ctx, key, n)
			require.True(t, ok)
			return release
		}
		refused := func(key string, n int) {
			t.Helper()
			_, ok := s.take(ctx, key, n)
			require.False(t, ok)
		}
		require.Equal(t, 3, s.ofOrganization())
		require.Equal(t, 5, s.ofHost())

		a, b := must("acme", 2), must("acme", 2)
		began := time.Now()
		refused("acme", 2)
		require.Equal(t, sharePatience, time.Since(began), "the running deliveries have just begun")
		began = time.Now()
		refused("acme", 2)
		require.Zero(t, time.Since(began), "the running deliveries are slow, so nothing waits for them")
		must("other", 2)(nil)

		a(nil)
		c := must("acme", 2)
		go func() {
			time.Sleep(sharePatience / 2)
			b(errors.New("failed"))
		}()
		must("acme", 2)(nil)
		c(os.ErrDeadlineExceeded)
		d := must("acme", 2)
		refused("acme", 2) // One at a time after a timeout.
		d(context.DeadlineExceeded)
		d = must("acme", 2)
		d(nil)
		e, f := must("acme", 2), must("acme", 2)
		e(nil)
		f(nil)
		require.NotContains(t, s.shares, "acme", "nothing is kept of an organization without deliveries")

		var slow []func(error)
		for _, key := range []string{"1", "2", "3", "4", "5", "6"} {
			must(key, 3)(context.DeadlineExceeded)
		}
		for _, key := range []string{"1", "2", "3", "4", "5"} {
			slow = append(slow, must(key, 3))
		}
		refused("6", 3) // The slow ones together have half of the workers.
		must("fast", 3)(nil)
		slow[0](nil)
		must("6", 3)(nil)
	})
}

func TestSharesEndWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShares(1)
		release, ok := s.take(t.Context(), "acme", 1)
		require.True(t, ok)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, ok = s.take(ctx, "acme", 1)
		require.False(t, ok)
		release(nil)
	})
}
