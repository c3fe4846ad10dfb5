package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// Telemetry receives events that a trace of the client does not show. A Telemetry
// of module otelhiring implements it. Organization is [Organization.Name]. The
// methods are called by several goroutines.
type Telemetry interface {
	// JobDelivered is called when a delivery is completed. EvaluatedAt is nil when
	// the time of the evaluation is not known.
	JobDelivered(ctx context.Context, organization string, evaluatedAt *time.Time)

	// JobEvent is called when a job of this package does not end as it should.
	// Kind is the kind of the job, event is one of the Event constants.
	JobEvent(ctx context.Context, organization, kind, event string)

	// PollDue is called when an organization is registered and after each poll
	// that did not fail, with the time by which its next poll should begin, on the
	// clock of this process. That is never before the time that the job of the poll
	// is scheduled for, also after a restart: an alert fires when the time has
	// passed. Several processes share the polls of an organization: the latest time
	// of all processes counts.
	PollDue(ctx context.Context, organization string, at time.Time)

	// Deliveries is called about once a minute in one of the processes, for each
	// organization and each of the Deliveries constants as state, with the number
	// of deliveries in this state and the time since which the oldest of them is in
	// it. Count may be 0; oldest is the zero time then. A value that was not
	// renewed for three minutes is out of date: another process reports since.
	Deliveries(ctx context.Context, organization, state string, count int, oldest time.Time)
}

// Events of jobs, for [Telemetry.JobEvent].
const (
	EventDiscarded = "discarded" // The job failed for the last time.
	EventCancelled = "cancelled" // A handler cancelled the job.
	EventRescued   = "rescued"   // An earlier attempt did not end: its process was killed, or hung.
)

// States of deliveries in the database, for [Telemetry.Deliveries].
const (
	DeliveriesWaiting   = "waiting"   // Are due and have not been attempted yet. The time is when the oldest became due.
	DeliveriesFailing   = "failing"   // Failed at least once and will be, or are being, retried. The time is that of the first failure.
	DeliveriesPaused    = "paused"    // Wait because the receiver answered 410. The time is the beginning of the pause.
	DeliveriesCancelled = "cancelled" // Will not be retried, as long as River keeps the job.
	DeliveriesDiscarded = "discarded" // Will not be retried, as long as River keeps the job.
)

// attemptKey is the name in a job's metadata of the number of the attempt that
// ended last.
const attemptKey = "hiring:attempt"

// supervisor runs the attempts of jobs.
type supervisor[TTx any] struct {
	organizations

	clock *clock
}

// supervise runs one attempt of a job of an organization, and reports to its
// telemetry what River does not tell the handler. A panic is a failure.
//
// The metadata that supervise sets has a purpose of its own. River records the end
// of an attempt with one UPDATE that waits for the lock of the job's row. When
// another transaction ends the job meanwhile, River 0.47.0 reads the row as it was
// before, running, and panics in a goroutine of its own, which ends the process.
// Transactions that end a job at that moment are our own COMMIT whose context was
// cancelled, River's rescuer, and another worker after a rescue. With metadata to
// merge, the UPDATE applies to the row in any state and returns it as it is.
// River 0.48 does not panic, but has no driver for SQLite that can be had.
func (s supervisor[TTx]) supervise(ctx context.Context, job *rivertype.JobRow, name string, work func(Organization) error) error {
	if err := river.MetadataSet(ctx, attemptKey, job.Attempt); err != nil {
		return err
	}
	o, err := s.find(name)
	if err != nil {
		return err
	}
	if wasRescued(job) {
		o.event(ctx, job.Kind, EventRescued)
	}
	client := river.ClientFromContext[TTx](ctx)
	t := tableOf(client, client.Driver().GetExecutor())
	if err := s.clock.sync(ctx, t); err != nil {
		return err
	}
	panicked := true
	defer func() {
		if _, cancelled := errors.AsType[*rivertype.JobCancelError](err); cancelled {
			o.event(ctx, job.Kind, EventCancelled)
			return
		}
		failed := panicked || err != nil && !goesOn(ctx, err)
		if failed && job.Attempt >= job.MaxAttempts {
			o.event(ctx, job.Kind, EventDiscarded)
		}
	}()
	err = work(o)
	panicked = false
	if errors.Is(err, errOvertaken) {
		t.giveWay(ctx, job)
	}
	return err
}

// giveWay waits while another attempt of a job runs. River would record the end of
// this attempt as the end of the other.
func (t table) giveWay(ctx context.Context, job *rivertype.JobRow) {
	for {
		var id int64
		other, err := t.row(ctx, "SELECT id FROM "+t.rivers+" WHERE id = $1 AND state = 'running' AND attempt <> $2", []any{job.ID, job.Attempt}, &id)
		if err != nil || !other {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

// wasRescued reports whether the attempt before this one did not end: River's
// rescuer has recorded its error, and the worker no end of it.
func wasRescued(job *rivertype.JobRow) bool {
	if len(job.Errors) == 0 || !strings.Contains(job.Errors[len(job.Errors)-1].Error, "rescued") {
		return false
	}
	var metadata map[string]json.RawMessage
	_ = json.Unmarshal(job.Metadata, &metadata) // Without it, no attempt has ended.
	ended, _ := strconv.Atoi(string(metadata[attemptKey]))
	return ended < job.Attempt-1
}

func (o Organization) event(ctx context.Context, kind, event string) {
	if o.Telemetry != nil {
		o.Telemetry.JobEvent(context.WithoutCancel(ctx), o.Name, kind, event)
	}
}

// pollDue reports when the next poll should begin.
func (o Organization) pollDue(ctx context.Context, wait time.Duration) {
	if o.Telemetry != nil {
		o.Telemetry.PollDue(context.WithoutCancel(ctx), o.Name, time.Now().Add(wait))
	}
}

// goesOn reports whether an error is not a failure for River: a snooze or the end
// of the process.
func goesOn(ctx context.Context, err error) bool {
	_, snoozed := errors.AsType[*rivertype.JobSnoozeError](err)
	return snoozed || errors.Is(ctx.Err(), context.Canceled)
}

// delivered reports a completed delivery.
func (o Organization) delivered(ctx context.Context, evaluatedAt *time.Time) {
	if o.Telemetry != nil {
		o.Telemetry.JobDelivered(ctx, o.Name, evaluatedAt)
	}
}
