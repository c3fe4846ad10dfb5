package otelhiring

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
)

// JobDelivered counts a report that module jobs has delivered for an organization.
// See [Telemetry.Delivered].
func (t *Telemetry) JobDelivered(ctx context.Context, organization string, evaluatedAt *time.Time) {
	t.countDelivered(ctx, evaluatedAt, organizationOf(organization)...)
}

// JobEvent counts a job that did not end as it should. Kind is the kind of the
// job, and event is discarded, cancelled or rescued.
func (t *Telemetry) JobEvent(ctx context.Context, organization, kind, event string) {
	t.jobEvents.Add(ctx, 1, t.with(append(organizationOf(organization),
		attribute.String("hiring.job.kind", kind), attribute.String("hiring.job.event", event))...))
}

type deliveriesKey struct{ organization, state string }

// deliveries is the last report about the deliveries in one state.
type deliveries struct {
	count  int
	oldest time.Time
	at     time.Time // When it was reported.
}

// Deliveries records how many deliveries of an organization are in a state
// (waiting, failing, paused, cancelled or discarded), and since when the oldest
// is. Module jobs reports this from its database about once a minute, in one
// process at a time. A report that is not renewed for three minutes is dropped.
func (t *Telemetry) Deliveries(_ context.Context, organization, state string, count int, oldest time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.deliveries[deliveriesKey{organization, state}] = deliveries{count, oldest, time.Now()}
}

const deliveriesValid = 3 * time.Minute

// age returns how long the oldest delivery is in its state.
func (d deliveries) age(now time.Time) time.Duration {
	if d.count == 0 || d.oldest.IsZero() {
		return 0
	}
	return max(0, now.Sub(d.oldest))
}
