package jobs

import (
	"context"
	"errors"
	"os"
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

// burst delivers the results of an organization with ten workers, in virtual time. It makes snoozed deliveries available as River does: at
// their time when it comes within five seconds, otherwise when the scheduler runs.
type burst struct {
	shares  *shares
	handler time.Duration // How long a delivery takes.
	began   time.Time

	workers chan struct{}  // Those that are busy.
	again   chan time.Time // When deliveries that do not run are available.
	done    chan struct{}
	snoozes atomic.Int64
}

// attempt is one attempt of a delivery.
func (b *burst) attempt(ctx context.Context) {
	defer func() { <-b.workers }()
	release, turn := b.shares.take(ctx, "acme")
	if release != nil {
		time.Sleep(b.handler)
		release(nil)
		b.done <- struct{}{}
		return
	}
	at := time.Now().Add(turn)
	if turn > schedulerInterval {
		at = b.began.Add((at.Sub(b.began) + schedulerInterval - 1).Truncate(schedulerInterval))
	}
	b.snoozes.Add(1)
	b.again <- at
}

// fetch starts the deliveries that are available.
func (b *burst) fetch(ctx context.Context) {
	now := time.Now()
	for range len(b.again) {
		at := <-b.again
		if at.After(now) {
			b.again <- at
			continue
		}
		b.workers <- struct{}{}
		go b.attempt(ctx)
	}
}

func TestBurstUsesTheShareOfItsOrganization(t *testing.T) {
	for name, c := range map[string]struct {
		results int
		handler time.Duration
	}{"short": {100, 1500 * time.Millisecond}, "long": {1000, 1500 * time.Millisecond}, "slow handler": {100, 20 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &burst{
					shares: newShares(10), handler: c.handler, began: time.Now(),
					workers: make(chan struct{}, 10), again: make(chan time.Time, 2*c.results), done: make(chan struct{}, c.results),
				}
				release, _ := b.shares.take(t.Context(), "acme")
				time.Sleep(10 * time.Millisecond) // The mean of before says little about the deliveries that follow.
				release(nil)
				for range c.results {
					b.again <- b.began
				}
				for len(b.done) < c.results {
					b.fetch(t.Context())
					time.Sleep(sharePollInterval)
					synctest.Wait()
				}
				ideal := time.Duration(c.results) * c.handler / 3
				require.Less(t, time.Since(b.began), ideal*6/5+2*time.Second)
				require.Less(t, b.snoozes.Load(), int64(8*c.results))
				t.Logf("%d results took %s of at least %s, with %d snoozes", c.results, time.Since(b.began), ideal, b.snoozes.Load())
			})
		})
	}
}
