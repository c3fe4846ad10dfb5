package hiring

import (
	"context"
	"math/rand/v2"
	"time"
)

// sleep waits, and reports the wait if it is long. Except when polling, a wait that
// would end after the context's deadline fails at once.
func sleep(ctx context.Context, d time.Duration, reason PauseReason) error {
	return sleepUntilMoved(ctx, d, reason, nil)
}

// sleepUntilMoved is like sleep, but returns when moved is closed, which means that a
// test has moved the clock. With a moved that is not nil, a wait that would end after
// the context's deadline does not fail at once, because the test may shorten it.
func sleepUntilMoved(ctx context.Context, d time.Duration, reason PauseReason, moved <-chan struct{}) error {
	if reason != PausePoll && moved == nil && outlasts(ctx, d) {
		return context.DeadlineExceeded
	}
	timer := time.NewTimer(beginWait(ctx, d, reason, moved))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return contextError(ctx)
	case <-moved:
		return nil
	case <-timer.C:
		return nil
	}
}

// pauseListener is called before a wait of more than a second and every minute of
// it, in the goroutine of the call.
type pauseListener func(reason PauseReason, until time.Time)

type pauseListenerKey struct{}

// beginWait tells the tracers and the listener of ctx that the call waits, and returns how
// long is left to wait. With a listener, which hears of every minute, all but the last
// minute has passed when it returns, unless ctx ended or moved was closed.
func beginWait(ctx context.Context, d time.Duration, reason PauseReason, moved <-chan struct{}) (left time.Duration) {
	if d <= time.Second || ctx.Err() != nil {
		return d
	}
	until := time.Now().Add(d)
	if call, ok := ctx.Value(tracedCallKey{}).(tracedCall); ok {
		for _, hook := range call.hooks.all {
			if hook.Pause != nil {
				hook.Pause(ctx, TracePause{call.operation, reason, until})
			}
		}
	}
	listen, ok := ctx.Value(pauseListenerKey{}).(pauseListener)
	if !ok {
		return d
	}
	for {
		listen(reason, until)
		left = time.Until(until)
		if left <= time.Minute {
			return left
		}
		timer := time.NewTimer(time.Minute)
		select {
		case <-ctx.Done():
			timer.Stop()
			return left
		case <-moved:
			timer.Stop()
			return left
		case <-timer.C:
		}
	}
}

// outlasts reports whether waiting that long would exceed ctx's deadline.
func outlasts(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && wait > 0 && wait >= time.Until(deadline)
}

// jitter returns a random number in [0, 1).
func jitter() float64 { return rand.Float64() } //nolint:gosec // spreads retries; nothing secret depends on it
