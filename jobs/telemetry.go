package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// Telemetry is told what no probe of a client sees. A Telemetry of module
// otelhiring is one; the rounds and their requests it counts itself, as the probe
// of the organization's client.
type Telemetry interface {
	// Delivered is called when a delivery is completed. The time is that of the
	// evaluation, nil when it is not known.
	Delivered(ctx context.Context, evaluatedAt *time.Time)

	// JobDiscarded is called when a job of this package fails for the last time.
	JobDiscarded(ctx context.Context, kind string)
}

// told does the work of a job, and tells the organization's telemetry when River
// gives it up after that. A panic is a failure.
func (o Organization) told(ctx context.Context, job *rivertype.JobRow, work func() error) (err error) {
	panicked := true
	defer func() {
		failed := panicked || err != nil && !goesOn(ctx, err)
		if o.Telemetry != nil && failed && job.Attempt >= job.MaxAttempts {
			o.Telemetry.JobDiscarded(context.WithoutCancel(ctx), job.Kind)
		}
	}()
	err = work()
	panicked = false
	return err
}

// goesOn tells an error that is no failure for River: a pause, a refusal, or the
// end of the process.
func goesOn(ctx context.Context, err error) bool {
	_, snoozed := errors.AsType[*rivertype.JobSnoozeError](err)
	_, cancelled := errors.AsType[*rivertype.JobCancelError](err)
	return snoozed || cancelled || errors.Is(ctx.Err(), context.Canceled)
}

// delivered tells it of a delivery.
func (o Organization) delivered(ctx context.Context, evaluatedAt *time.Time) {
	if o.Telemetry != nil {
		o.Telemetry.Delivered(ctx, evaluatedAt)
	}
}
