package jobs

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync/atomic"
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
			release, _ := s.take(t.Context(), organization)
			require.NotNil(t, release)
			return release
		}
		refused := func(organization string) {
			t.Helper()
			release, _ := s.take(t.Context(), organization)
			require.Nil(t, release)
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
		release, _ := s.take(ctx, "ended")
		require.Nil(t, release)
	})
}

// TestBurstUsesTheShareOfItsOrganization delivers a burst with ten workers in virtual time. It makes snoozed deliveries available as River
// does: at their time when it comes within five seconds, otherwise when the scheduler runs.
func TestBurstUsesTheShareOfItsOrganization(t *testing.T) {
	for name, c := range map[string]struct {
		results int
		handler time.Duration
	}{"short": {100, 1500 * time.Millisecond}, "long": {1000, 1500 * time.Millisecond}, "slow handler": {100, 20 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, began := newShares(10), time.Now()
				due := slices.Repeat([]time.Time{began}, c.results) // Of deliveries that do not run.
				workers, snoozed := make(chan struct{}, 10), new(atomic.Int64)
				again, done := make(chan time.Time, c.results), make(chan struct{}, c.results)
				for len(done) < c.results {
					now := time.Now()
					for _, at := range due {
						if at.After(now) {
							again <- at
							continue
						}
						workers <- struct{}{}
						go func() {
							defer func() { <-workers }()
							release, turn := s.take(t.Context(), "acme")
							if release == nil {
								at := time.Now().Add(turn)
								if turn > schedulerInterval {
									at = began.Add((at.Sub(began) + schedulerInterval - 1).Truncate(schedulerInterval))
								}
								snoozed.Add(1)
								again <- at
								return
							}
							time.Sleep(c.handler)
							release(nil)
							done <- struct{}{}
						}()
					}
					time.Sleep(sharePollInterval)
					synctest.Wait()
					due = due[:0]
					for range len(again) {
						due = append(due, <-again)
					}
				}
				ideal := time.Duration(c.results) * c.handler / 3
				require.Less(t, time.Since(began), ideal*6/5+2*time.Second)
				require.Less(t, snoozed.Load(), int64(8*c.results))
				t.Logf("%d results took %s of at least %s, with %d snoozes", c.results, time.Since(began), ideal, snoozed.Load())
			})
		})
	}
}
