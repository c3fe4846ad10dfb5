package hiring

import (
	"context"
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
	announceWait(ctx, d, reason)
	timer := time.NewTimer(d)
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

// outlasts reports whether waiting that long would exceed ctx's deadline.
func outlasts(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && wait > 0 && wait >= time.Until(deadline)
}
