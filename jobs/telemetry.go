package jobs

import (
	"context"
	"time"
)

// Telemetry receives events of jobs. Any field may be nil. Package jobsotel returns
// one that exports metrics with module otelhiring. The functions must be safe for
// concurrent use. They run within jobs, so they must not wait.
//
// Later versions may add fields to this struct and to the events.
type Telemetry struct {
	// Delivered is called when a delivery is completed.
	Delivered func(context.Context, DeliveredEvent)

	// Job is called for each of the Event constants.
	Job func(context.Context, JobEvent)

	// PollDue is called when an organization is registered, after each successful poll,
	// and twice a minute for polls that wait for longer than a minute. An alert can
	// fire when the time has passed, also after a restart. Several processes share the
	// polls of an organization, so the latest time of all processes counts.
	PollDue func(context.Context, PollDueEvent)

	// Count is called twice a minute in one of the processes, for each organization
	// and each state. A report is out of date after three minutes without another one,
	// because another process may have taken over.
	Count func(context.Context, CountEvent)

	// Workers is called twice a minute in one of the processes.
	Workers func(context.Context, WorkersEvent)
}

// DeliveredEvent is a completed delivery.
type DeliveredEvent struct {
	Organization string     // The name of the organization.
	EvaluatedAt  *time.Time // Nil when the API sent no time of the evaluation.
}

// JobEvent is something that should not happen in a job.
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

// CountEvent is the number of deliveries or invitations in a state.
type CountEvent struct {
	Organization string    // The name of the organization, which may have been removed.
	Kind         string    // KindDelivery or KindInvitations.
	State        string    // One of the Deliveries constants, or of the Invitations constants.
	Count        int       // The number of deliveries or invitations in the state.
	Oldest       time.Time // When the oldest of them entered the state. Zero when Count is 0.
}

// WorkersEvent is the number of processes with workers.
type WorkersEvent struct {
	Alive int // Processes that have written their row of hiring_jobs within a minute. The first job that a process runs starts this.
}

// complete returns t with functions that do nothing in place of nil.
func (t Telemetry) complete() Telemetry {
	return Telemetry{orNothing(t.Delivered), orNothing(t.Job), orNothing(t.PollDue), orNothing(t.Count), orNothing(t.Workers)}
}

func orNothing[E any](f func(context.Context, E)) func(context.Context, E) {
	if f == nil {
		return func(context.Context, E) {}
	}
	return f
}

// Events of jobs, for [JobEvent].
const (
	EventDiscarded = "discarded" // The job failed for the last time.
	EventCancelled = "cancelled" // A handler cancelled the job.
	EventStuck     = "stuck"     // A handler did not return after its timeout. It occupies a goroutine and perhaps a connection until it returns.

	// EventUnreadable is a submission that a poll cannot decode. The row of hiring_jobs with the status unreadable has its id.
	EventUnreadable = "unreadable"
)

// States of deliveries in the database, for [CountEvent].
const (
	DeliveriesWaiting   = "waiting"   // Due and not attempted yet. Oldest is when the first of them became due.
	DeliveriesFailing   = "failing"   // Failed at least once and will be retried. Oldest is the time of the first failure.
	DeliveriesPaused    = "paused"    // The number is 1 while deliveries are paused because the receiver responded with 410. Oldest is the beginning of the pause.
	DeliveriesCancelled = "cancelled" // Cancelled by a handler and kept by River. They are not retried.
	DeliveriesDiscarded = "discarded" // Failed for the last time and kept by River. They are not retried.

	// DeliveriesUnreadable are rows of submissions that polls could not decode. Deliver deletes the row and reads the submission again.
	DeliveriesUnreadable = "unreadable"

	// DeliveriesUnfinished are all of the waiting, running, failing, snoozed and paused ones. Oldest is when the first of them was found.
	DeliveriesUnfinished = "unfinished"
)

// States of invitations in the database, for [CountEvent].
const (
	InvitationsQueued = "queued" // Not sent yet. Oldest is when the first of them was queued.
	InvitationsStuck  = "stuck"  // Queued for an organization whose run has failed, for example because the key is rejected, or has reached the limit of the plan.
)
