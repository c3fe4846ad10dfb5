package jobs

import (
	"cmp"
	"context"
	"time"

	"github.com/riverqueue/river"
)

// Run runs the workers of a configuration, which [Watch] and [SendInvitations] have completed, until ctx
// ends. Running handlers then have SoftStopTimeout until their contexts end, and Run returns at the latest two seconds
// later, also while a handler does not return. Afterwards end the process without closing the database: Close of a
// pool waits for such a handler.
//
// If SoftStopTimeout is zero, Run sets it to ten seconds.
//
// Run returns nil after ctx has ended, and before that the error with which the workers cannot start. Call it once for a
// configuration. To insert jobs, use another client that is not started, or in a handler
// [river.ClientFromContext].
func Run[TTx any](ctx context.Context, db Database[TTx], config *river.Config) error {
	config.SoftStopTimeout = cmp.Or(config.SoftStopTimeout, 10*time.Second)
	workers, err := db.client(config)
	if err != nil {
		return err
	}
	if err := workers.Start(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	<-ctx.Done()
	select {
	case <-workers.Stopped():
	case <-time.After(config.SoftStopTimeout + 2*time.Second):
	}
	return nil
}
