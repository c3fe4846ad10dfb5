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
		s := newShares(10)
		must := func(organization string) func(error) {
			t.Helper()
			release, ok := s.take(t.Context(), organization)
			require.True(t, ok)
			return release
		}
		refused := func(organization string) {
			t.Helper()
			_, ok := s.take(t.Context(), organization)
			require.False(t, ok)
		}
		a, b, c := must("acme"), must("acme"), must("acme")
		began := time.Now()
		refused("acme")
		require.Equal(t, sharePatience, time.Since(began), "the running deliveries have just begun")
		began = time.Now()
		refused("acme")
		require.Zero(t, time.Since(began), "the running deliveries are slow, so nothing waits for them")
		must("other")(nil)

		a(nil)
		a = must("acme")
		go func() {
			time.Sleep(sharePatience / 2)
			b(errors.New("failed"))
		}()
		must("acme")(nil)
		a(nil)
		c(os.ErrDeadlineExceeded)
		d := must("acme")
		refused("acme") // One at a time after a timeout.
		d(context.DeadlineExceeded)
		d = must("acme")
		d(nil)
		must("acme")(nil)
		require.Empty(t, s.organizations, "nothing is kept of an organization without deliveries")

		slow := make(map[string]func(error))
		for _, name := range []string{"1", "2", "3", "4", "5", "6"} {
			must(name)(context.DeadlineExceeded)
		}
		for _, name := range []string{"1", "2", "3", "4", "5"} {
			slow[name] = must(name)
		}
		refused("6") // The slow ones together have half of the workers.
		must("fast")(nil)
		slow["1"](nil)
		must("6")(nil)

		for range 3 {
			must("ended")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, ok := s.take(ctx, "ended")
		require.False(t, ok)
	})
}
