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

	// PollDue is called three times a minute in each process for each listed organization.
	// The time is the last successful poll, by the database's clock, and the wait that this
	// poll chose. An alert can fire when the time has passed by minutes, also after a restart.
	// The latest time of all processes counts. A zero time means that the organization was
	// removed.
	PollDue func(context.Context, PollDueEvent)

	// Count is called twice a minute in one of the processes, for each listed organization
	// and each state, and for an organization that is not listed while it has unfinished
	// deliveries or queued invitations. A report is out of date after three minutes without another one,
	// because another process may have taken over, or the organization was removed.
	Count func(context.Context, CountEvent)

	// Clock is called three times a minute in each process on PostgreSQL.
	Clock func(context.Context, ClockEvent)
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
	Event        Event
}

// PollDueEvent is the time of the next poll.
type PollDueEvent struct {
	Organization string    // The name of the organization.
	At           time.Time // When the next poll is due. Zero when there is none, because the organization was removed.
}

// CountEvent is the number of deliveries or invitations in a state.
type CountEvent struct {
	Organization string    // The name of the organization.
	Kind         string    // KindDelivery or KindInvitations.
	State        State     // One of the Deliveries constants, or of the Invitations constants.
	Count        int       // The number of deliveries or invitations in the state.
	Oldest       time.Time // When the oldest of them entered the state. Zero when Count is 0.
}

// ClockEvent is the difference between the clocks of a process and the database. The process
// corrects the times of its jobs by it. A leading process that is ahead by
// RescueStuckJobsAfter still starts running jobs a second time.
type ClockEvent struct {
	Ahead time.Duration // Of the process. Below zero the database is ahead.
}

// complete returns t with functions that do nothing in place of nil.
func (t Telemetry) complete() Telemetry {
	return Telemetry{orNothing(t.Delivered), orNothing(t.Job), orNothing(t.PollDue), orNothing(t.Count), orNothing(t.Clock)}
}

func orNothing[E any](f func(context.Context, E)) func(context.Context, E) {
	if f == nil {
		return func(context.Context, E) {}
	}
	return f
}

// Event is something that should not happen in a job.
type Event string

// Events of jobs.
const (
	EventDiscarded Event = "discarded" // The job failed for the last time.
	EventCancelled Event = "cancelled" // A handler cancelled the job.
	// A handler did not return after its timeout, again each minute until it returns. It occupies a goroutine and perhaps a connection.
	EventStuck Event = "stuck"

	// EventUnreadable is a submission that a poll cannot decode. The row of hiring_jobs with the status unreadable has its id.
	EventUnreadable Event = "unreadable"

	// EventStateRefused is a poll that left the state of its watch as it is, because this process cannot use it: a newer version has
	// saved it, or it is damaged or of another account. Another process may continue it.
	EventStateRefused Event = "state_refused"
)

// State is the state of a delivery or of an invitation in the database.
type State string

// States of deliveries.
const (
	DeliveriesWaiting State = "waiting" // Never attempted or only snoozed. Oldest: the first was found.
	DeliveriesFailing State = "failing" // Failed and will be retried. Oldest: the first failure.
	// The number is 1 while deliveries are paused, as when the receiver responded with 410. Oldest is the beginning of
	// the pause.
	DeliveriesPaused    State = "paused"
	DeliveriesCancelled State = "cancelled" // Cancelled by a handler, not by an operator, and kept by River. They are not retried.
	DeliveriesDiscarded State = "discarded" // Failed for the last time and kept by River. They are not retried.

	// DeliveriesUnreadable are rows of submissions that polls could not decode. Deliver deletes the row and reads the submission again.
	DeliveriesUnreadable State = "unreadable"

	// Unfinished, and rescued by River at least twice: their attempts ended with their processes, which such a result may kill, or hung.
	DeliveriesRescued State = "rescued"

	// DeliveriesUnfinished are all of the waiting, running, failing and paused ones. Oldest is when the first of them was found.
	DeliveriesUnfinished State = "unfinished"

	// DeliveriesUnlisted are the unfinished ones of an organization that is not listed. They wait until it returns, or are deleted.
	DeliveriesUnlisted State = "unlisted"
)

// States of invitations.
const (
	InvitationsQueued State = "queued" // Not sent yet. Oldest is when the first of them was queued.
	// Queued for an organization whose run fails, for example because the key is rejected, is killed again and again, waits because the
	// API fails, or has reached the limit of the plan, and for one that is not listed, such as a misspelt name.
	InvitationsStuck State = "stuck"
	// InvitationsRejected are those that the API rejected within the last hour. Their rows have the status cancelled and the reason.
	InvitationsRejected State = "rejected"
)
