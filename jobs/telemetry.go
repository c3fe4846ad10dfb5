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

// Telemetry receives events of jobs. Any field may be nil. Package jobsotel returns
// one that exports metrics with module otelhiring. The functions must be safe for
// concurrent use. They run within jobs, so they must not wait.
//
// Later versions may add fields to this struct and to the events.
type Telemetry struct {
	// Delivered is called when a delivery is completed.
	Delivered func(context.Context, DeliveredEvent)

	// Job is called when a job of this package is discarded, cancelled or rescued.
	Job func(context.Context, JobEvent)

	// PollDue is called when an organization is registered, after each successful poll,
	// and about once a minute for polls that wait for longer than a minute. An alert can
	// fire when the time has passed, also after a restart. Several processes share the
	// polls of an organization, so the latest time of all processes counts.
	PollDue func(context.Context, PollDueEvent)

	// Count is called about once a minute in one of the processes, for each organization
	// and each state. A report is out of date after three minutes without another one,
	// because another process may have taken over.
	Count func(context.Context, CountEvent)
}

// DeliveredEvent is a completed delivery.
type DeliveredEvent struct {
	Organization string     // The name of the organization.
	EvaluatedAt  *time.Time // Nil when the API sent no time of the evaluation.
}

// JobEvent is the end of a job that did not end as it should.
type JobEvent struct {
	Organization string // The name of the organization.
	Kind         string // One of the Kind constants.
	Event        string // One of the Event constants.
}

// PollDueEvent is the time of the next poll.
type PollDueEvent struct {
	Organization string    // The name of the organization.
	At           time.Time // When the next poll is due, on the clock of this process.
}

// CountEvent is the number of deliveries in a state.
type CountEvent struct {
	Organization string    // The name of the organization.
	Kind         string    // KindDelivery.
	State        string    // One of the Deliveries constants.
	Count        int       // The number of deliveries in the state.
	Oldest       time.Time // When the oldest of them entered the state. Zero when Count is 0.
}

func (t Telemetry) delivered(ctx context.Context, e DeliveredEvent) {
	if t.Delivered != nil {
		t.Delivered(ctx, e)
	}
}

func (t Telemetry) job(ctx context.Context, e JobEvent) {
	if t.Job != nil {
		t.Job(context.WithoutCancel(ctx), e)
	}
}

func (t Telemetry) pollDue(ctx context.Context, e PollDueEvent) {
	if t.PollDue != nil {
		t.PollDue(context.WithoutCancel(ctx), e)
	}
}

func (t Telemetry) count(ctx context.Context, e CountEvent) {
	if t.Count != nil {
		t.Count(ctx, e)
	}
}

// Events of jobs, for [JobEvent].
const (
	EventDiscarded = "discarded" // The job failed for the last time.
	EventCancelled = "cancelled" // A handler cancelled the job.
	EventRescued   = "rescued"   // The previous attempt did not end, because its process was killed or hung.
)

// States of deliveries in the database, for [CountEvent].
const (
	DeliveriesWaiting   = "waiting"   // Due and not attempted yet. Oldest is when the first of them became due.
	DeliveriesFailing   = "failing"   // Failed at least once and will be retried. Oldest is the time of the first failure.
	DeliveriesPaused    = "paused"    // Paused because the receiver responded with 410. Oldest is the beginning of the pause.
	DeliveriesCancelled = "cancelled" // Cancelled by a handler and kept by River. They are not retried.
	DeliveriesDiscarded = "discarded" // Failed for the last time and kept by River. They are not retried.
)

// metadataAttempt is the key in a job's metadata of the number of the last attempt
// that ended.
const metadataAttempt = "hiring:attempt"

// supervisor runs the attempts of jobs.
type supervisor[TTx any] struct {
	organizations

	clock *clock
}

// supervise runs one attempt of a job, and reports discarded, cancelled and rescued
// jobs to the telemetry of the organization. A panic counts as a failure.
//
// The metadata that supervise sets also prevents a panic of River 0.47.0. River
// records the end of an attempt with one UPDATE, which waits for the lock of the
// job's row. If another transaction completes the job during that wait, River reads
// the old version of the row, which says running, and panics in its own goroutine.
// The process ends. Such a transaction can be a COMMIT of this package whose context
// was cancelled, River's rescuer, or another worker after a rescue. With metadata to
// merge, the UPDATE applies to the row in any state and returns the current version.
// River 0.48 does not panic, but no released driver for SQLite works with it.
func (s supervisor[TTx]) supervise(ctx context.Context, job *rivertype.JobRow, name string, work func(Organization) error) error {
	if err := river.MetadataSet(ctx, metadataAttempt, job.Attempt); err != nil {
		return err
	}
	o, err := s.find(name)
	if err != nil {
		return err
	}
	if wasRescued(job) {
		o.reportEvent(ctx, job.Kind, EventRescued)
	}
	t := workerTable[TTx](ctx)
	if err := s.clock.sync(ctx, t); err != nil {
		return err
	}
	panicked := true
	defer func() {
		if _, cancelled := errors.AsType[*rivertype.JobCancelError](err); cancelled {
			o.reportEvent(ctx, job.Kind, EventCancelled)
			return
		}
		failed := panicked || err != nil && !isSnoozeOrShutdown(ctx, err)
		if failed && job.Attempt >= job.MaxAttempts {
			o.reportEvent(ctx, job.Kind, EventDiscarded)
		}
	}()
	err = work(o)
	panicked = false
	if errors.Is(err, errOvertaken) {
		t.waitForOtherAttempt(ctx, job)
	}
	return err
}

// waitForOtherAttempt waits while another attempt of a job runs. Otherwise River would
// record the end of this attempt as the end of the other.
func (t table) waitForOtherAttempt(ctx context.Context, job *rivertype.JobRow) {
	for {
		var id int64
		other, err := t.scanRow(ctx, "SELECT id FROM river_job WHERE id = $1 AND state = 'running' AND attempt <> $2", []any{job.ID, job.Attempt}, &id)
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

// wasRescued reports whether the previous attempt did not end: River's rescuer
// recorded an error for it, and the worker recorded no end.
func wasRescued(job *rivertype.JobRow) bool {
	if len(job.Errors) == 0 || !strings.Contains(job.Errors[len(job.Errors)-1].Error, "rescued") {
		return false
	}
	var metadata map[string]json.RawMessage
	_ = json.Unmarshal(job.Metadata, &metadata) // Invalid metadata counts as no ended attempt.
	ended, _ := strconv.Atoi(string(metadata[metadataAttempt]))
	return ended < job.Attempt-1
}

func (o Organization) reportEvent(ctx context.Context, kind, event string) {
	o.telemetry.job(ctx, JobEvent{o.Name, kind, event})
}

// reportPollDue reports that the next poll is due after wait.
func (o Organization) reportPollDue(ctx context.Context, wait time.Duration) {
	o.telemetry.pollDue(ctx, PollDueEvent{o.Name, time.Now().Add(wait)})
}

// isSnoozeOrShutdown reports whether an attempt ended with a snooze or because its
// client stopped. River does not count such an attempt as a failure.
func isSnoozeOrShutdown(ctx context.Context, err error) bool {
	_, snoozed := errors.AsType[*rivertype.JobSnoozeError](err)
	return snoozed || errors.Is(ctx.Err(), context.Canceled)
}
