package otelhiring

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
)

// JobDelivered is a report that a job engine has delivered.
type JobDelivered struct {
	Organization string
	EvaluatedAt  *time.Time // Nil when it is not known.
}

// JobEvent is something that should not happen in a job.
type JobEvent struct {
	Organization string
	Kind         string // The kind of the job.
	Event        string // discarded, cancelled, stuck or unreadable.
}

// JobCount is the number of deliveries or invitations in a state.
type JobCount struct {
	Organization string
	Kind         string // hiring_delivery, or hiring_invitations for invitations.
	State        string // Such as waiting, failing, paused, cancelled, discarded, unreadable, unfinished; queued, stuck.
	Count        int
	Oldest       time.Time // When the oldest entered the state. Zero when Count is 0.
}

// JobDelivered counts a report that module jobs has delivered for an organization.
// See [Telemetry.Delivered].
func (t *Telemetry) JobDelivered(ctx context.Context, e JobDelivered) {
	t.countDelivered(ctx, e.EvaluatedAt, organizationOf(e.Organization)...)
}

// JobEvent counts an event of a job.
func (t *Telemetry) JobEvent(ctx context.Context, e JobEvent) {
	t.jobEvents.Add(ctx, 1, t.with(append(organizationOf(e.Organization),
		attribute.String("hiring.job.kind", e.Kind), attribute.String("hiring.job.event", e.Event))...))
}

type countKey struct{ organization, kind, state string }

// counted is the last report about a state.
type counted struct {
	count  int
	oldest time.Time
	at     time.Time // When it was reported.
}

// JobWorkers is the number of processes that run jobs.
type JobWorkers struct {
	Alive int
}

// JobWorkers records how many processes run jobs. Module jobs reports this from its
// database twice a minute, in one process at a time.
func (t *Telemetry) JobWorkers(_ context.Context, e JobWorkers) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.workers = counted{count: e.Alive, at: time.Now()}
}

// JobCount records how many deliveries or invitations of an organization are in a
// state, and since when the oldest is. Module jobs reports this from its database twice a
// minute, in one process at a time. A report that is not renewed for three minutes
// is dropped.
func (t *Telemetry) JobCount(_ context.Context, e JobCount) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[countKey{e.Organization, e.Kind, e.State}] = counted{e.Count, e.Oldest, time.Now()}
}

const countValid = 3 * time.Minute

// age returns how long the oldest has been in its state.
func (d counted) age(now time.Time) time.Duration {
	if d.count == 0 || d.oldest.IsZero() {
		return 0
	}
	return max(0, now.Sub(d.oldest))
}
