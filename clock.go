package hiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"
)

// instant is a moment by two clocks. The monotonic one stops while the computer sleeps, and the
// wall clock can be set.
type instant struct{ monotonic, wall time.Time }

// atLeastSince returns the shortest time that can have passed since an earlier moment.
func (i instant) atLeastSince(earlier instant) time.Duration {
	return max(0, min(i.monotonic.Sub(earlier.monotonic), i.wall.Sub(earlier.wall)))
}

// atMostSince returns the longest time that can have passed since an earlier moment.
func (i instant) atMostSince(earlier instant) time.Duration {
	return max(i.monotonic.Sub(earlier.monotonic), i.wall.Sub(earlier.wall))
}

// serverClock estimates the server's clock from the Date headers of responses. Between them it runs
// by the monotonic clock, so that a local clock that is set does not move it. The zero value agrees
// with the local clock. It is safe for concurrent use.
type serverClock struct{ reading atomic.Pointer[clockReading] }

// clockReading is the time of the server's clock at a local time.
type clockReading struct{ server, local time.Time }

// set takes the Date of a response, zero if it has none, to a request that was sent and received at
// local times. Date has whole seconds, so an estimate that it does not contradict is kept.
func (c *serverClock) set(date, sent, received time.Time) {
	server, first := c.at(received), c.reading.Load() == nil
	wrong := server.Before(date) || server.After(date.Add(time.Second+received.Sub(sent)))
	switch {
	case date.IsZero() || !first && !wrong:
		return
	case wrong:
		server = date
	}
	c.reading.Store(&clockReading{server, received})
}

// at returns the server's time at a local time.
func (c *serverClock) at(local time.Time) time.Time {
	if last := c.reading.Load(); last != nil {
		return last.server.Add(local.Sub(last.local))
	}
	return local
}

// timeLeft returns the time until a context ends.
func timeLeft(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	switch {
	case ctx.Err() != nil:
		return 0
	case !ok:
		return math.MaxInt64
	}
	return time.Until(deadline)
}

// sleep waits, and announces the wait if it is long.
func sleep(ctx context.Context, d time.Duration, reason PauseReason) error {
	announceWait(ctx, d, reason)
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return contextError(ctx)
	case <-timer.C:
		return nil
	}
}

// sleepInTime is sleep, but fails at once if the wait would end after the context's deadline.
func sleepInTime(ctx context.Context, d time.Duration, reason PauseReason) error {
	if d >= timeLeft(ctx) {
		return cmp.Or(contextError(ctx), context.DeadlineExceeded)
	}
	return sleep(ctx, d, reason)
}

// contextError returns why the context ended, including its cause, or nil.
func contextError(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause // The cause includes the context's error, as that of signal.NotifyContext does.
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// join adds the reason why the context ended to the last error, unless the last error
// includes it.
func join(ctx context.Context, last error) error {
	ended := contextError(ctx)
	if ended == nil || errors.Is(last, ctx.Err()) && errors.Is(last, context.Cause(ctx)) {
		return last
	}
	return joinContext(ended, last)
}

// joinContext joins the end of a context and the last error. The last error comes first, so that
// errors.As finds it: a context may have ended because of the *Error of another call, as in an
// errgroup.
func joinContext(ended, last error) error {
	return &describedError{trimEnd(last.Error()) + "; the wait ended: " + ended.Error(), []error{last, ended}}
}
