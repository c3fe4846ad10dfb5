package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// supervisor runs the attempts of jobs.
type supervisor[TTx any] struct {
	*installation

	organizations *registry
}

// attempt is an attempt of a job of an organization.
type attempt struct {
	row          *rivertype.JobRow
	organization string
	submissionID string                    // Of a delivery.
	retryDelay   func(error) time.Duration // Delay after a failure, for the log. Nil logs no failures.
}

// supervise runs one attempt of a job, and reports discarded and cancelled jobs to the
// telemetry of the organization. A panic is returned as an error, without its text.
func (s supervisor[TTx]) supervise(ctx context.Context, a attempt, work func(o Organization, source int) error) error {
	announce(s.installation, river.ClientFromContext[TTx](ctx))
	t := workerTable[TTx](ctx)
	if err := s.clock.sync(ctx, t); err != nil {
		return err
	}
	o, source, err := s.organizations.find(ctx, a.organization)
	if errors.Is(err, errUnlisted) {
		return s.endUnlisted(ctx, t, a)
	}
	if err != nil {
		o = Organization{Name: a.organization, telemetry: s.organizations.telemetryOf(a.organization)}
	}
	if err == nil {
		err = withoutPanic(func() error { return work(o, source) })
	}
	s.report(ctx, o, a, err)
	return err
}

// report reports the end of an attempt to the telemetry, and logs a failure.
func (s supervisor[TTx]) report(ctx context.Context, o Organization, a attempt, err error) {
	if _, cancelled := errors.AsType[*rivertype.JobCancelError](err); cancelled {
		o.reportEvent(ctx, a.row.Kind, EventCancelled)
		s.logFailure(ctx, a, "jobs: cancelled")
		return
	}
	if err == nil || isSnoozeOrShutdown(ctx, err) || errors.Is(err, errOvertaken) {
		return
	}
	if a.row.Attempt >= a.row.MaxAttempts {
		o.reportEvent(ctx, a.row.Kind, EventDiscarded)
		s.logFailure(ctx, a, "jobs: failed for the last time")
		return
	}
	if a.retryDelay != nil {
		s.logFailure(ctx, a, "jobs: failed, will be retried", "next_attempt", time.Now().Add(a.retryDelay(err)).UTC().Format(time.RFC3339))
	}
}

// logFailure logs the end of an attempt without its error, which may contain candidate
// data. River stores the error in the job.
func (s supervisor[TTx]) logFailure(ctx context.Context, a attempt, text string, more ...any) {
	attributes := []any{"organization", a.organization, "kind", a.row.Kind, "job_id", a.row.ID, "attempt", a.row.Attempt}
	if a.submissionID != "" {
		attributes = append(attributes, "submission_id", a.submissionID)
	}
	s.logger().WarnContext(ctx, text, append(attributes, more...)...)
}

// endUnlisted returns the end of an attempt whose organization this process does not
// list. Another process that lists it gets the job a few seconds later. Where no process
// does, polls and runs of invitations end. Deliveries end after about eight minutes of
// snoozes, because a list that was empty by mistake must not cost results.
func (s supervisor[TTx]) endUnlisted(ctx context.Context, t table, a attempt) error {
	listed, err := t.listedByAny(ctx, a.organization)
	if err != nil {
		return err
	}
	if listed {
		return river.JobSnooze(unlistedSnooze)
	}
	if a.row.Kind == KindDelivery && snoozes(a.row) < unlistedSnoozes {
		return river.JobSnooze(shareDelay(a.row))
	}
	s.logger().WarnContext(ctx, "jobs: the organization is no longer listed: its job ends", "organization", a.organization, "kind", a.row.Kind)
	return river.JobCancel(errUnlisted)
}

var (
	unlistedSnooze  = 3 * time.Second // How long a job waits for a process that lists its organization.
	unlistedSnoozes = 10              // Snoozes before a delivery of a removed organization is cancelled.
)

// panicError is a panic of a handler or of a client.
type panicError struct {
	value string // The type of the value, or the text of a runtime.Error.
	stack []byte
}

func (e *panicError) Error() string { return "jobs: panic: " + e.value + "\n\n" + string(e.stack) }

// withoutPanic calls f, and returns a panic as an error. The text of the panic may
// contain candidate data, which River would log and store, so it is dropped.
func withoutPanic(f func() error) (err error) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		e := &panicError{fmt.Sprintf("a value of type %T, whose text is not stored", value), debug.Stack()}
		if fault, ok := value.(runtime.Error); ok {
			e.value = fault.Error()
		}
		err = e
	}()
	return f()
}

func (o Organization) reportEvent(ctx context.Context, kind, event string) {
	o.telemetry.Job(context.WithoutCancel(ctx), JobEvent{o.Name, kind, event})
}

// reportPollDue reports that the next poll is due after wait.
func (o Organization) reportPollDue(ctx context.Context, wait time.Duration) {
	o.telemetry.PollDue(context.WithoutCancel(ctx), PollDueEvent{o.Name, time.Now().Add(wait)})
}

// isSnoozeOrShutdown reports whether an attempt ended with a snooze or because its
// client stopped. River does not count such an attempt as a failure.
func isSnoozeOrShutdown(ctx context.Context, err error) bool {
	_, snoozed := errors.AsType[*rivertype.JobSnoozeError](err)
	return snoozed || errors.Is(ctx.Err(), context.Canceled)
}
