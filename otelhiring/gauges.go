package otelhiring

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// gauges are computed from the state of a Telemetry when metrics are collected.
type gauges struct {
	waited                    metric.Float64ObservableCounter
	limit, remaining          metric.Int64ObservableGauge
	pending, deliveries       metric.Int64ObservableGauge
	pendingAge, deliveriesAge metric.Float64ObservableGauge
	invitations, workers      metric.Int64ObservableGauge
	invitationsAge            metric.Float64ObservableGauge
	overdue                   metric.Float64ObservableGauge
}

func (t *Telemetry) createGauges(meter metric.Meter) error {
	var g gauges
	var errs [12]error
	g.waited, errs[0] = meter.Float64ObservableCounter("hiring.client.wait.time", metric.WithUnit("s"),
		metric.WithDescription("Time that calls waited between requests."))
	g.limit, errs[1] = meter.Int64ObservableGauge("hiring.client.quota.limit", metric.WithUnit("{request}"),
		metric.WithDescription("Requests that the rate limit allows in its window."))
	g.remaining, errs[2] = meter.Int64ObservableGauge("hiring.client.quota.remaining", metric.WithUnit("{request}"),
		metric.WithDescription("Requests that remain in the window of the rate limit."))
	g.pending, errs[3] = meter.Int64ObservableGauge("hiring.client.reports.pending", metric.WithUnit("{report}"),
		metric.WithDescription("Known reports that are awaited."))
	g.pendingAge, errs[4] = meter.Float64ObservableGauge("hiring.client.reports.pending.age", metric.WithUnit("s"),
		metric.WithDescription("How long the oldest pending report of WaitReport and WaitReports has been awaited."))
	g.overdue, errs[5] = meter.Float64ObservableGauge("hiring.poll.overdue", metric.WithUnit("s"),
		metric.WithDescription("Time since the next request of a wait, watch or poll was due; negative before it is due."))
	g.deliveries, errs[6] = meter.Int64ObservableGauge("hiring.jobs.deliveries", metric.WithUnit("{delivery}"),
		metric.WithDescription("Deliveries in the database, by state."))
	g.deliveriesAge, errs[7] = meter.Float64ObservableGauge("hiring.jobs.deliveries.age", metric.WithUnit("s"),
		metric.WithDescription("How long the oldest delivery has been in its state."))
	g.invitations, errs[8] = meter.Int64ObservableGauge("hiring.jobs.invitations", metric.WithUnit("{invitation}"),
		metric.WithDescription("Invitations in the database that are not sent, by state."))
	g.invitationsAge, errs[9] = meter.Float64ObservableGauge("hiring.jobs.invitations.age", metric.WithUnit("s"),
		metric.WithDescription("How long the oldest invitation has been in its state."))
	g.workers, errs[10] = meter.Int64ObservableGauge("hiring.jobs.workers", metric.WithUnit("{process}"),
		metric.WithDescription("Processes that run jobs, as one of them reads from the database."))
	_, errs[11] = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		t.observe(g, o)
		return nil
	}, g.waited, g.limit, g.remaining, g.pending, g.pendingAge, g.overdue, g.deliveries, g.deliveriesAge, g.invitations, g.invitationsAge, g.workers)
	return errors.Join(errs[:]...)
}

func (t *Telemetry) observe(g gauges, o metric.Observer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for reason, d := range t.waitedUntil(now) {
		o.ObserveFloat64(g.waited, d.Seconds(), t.with(attribute.String("hiring.wait.reason", string(reason))))
	}
	for key, q := range t.quotas {
		if now.After(q.Reset) { // Nothing is known about the next window before its first response.
			continue
		}
		attributes := t.with(append(organizationOf(key.organization),
			attribute.String("hiring.quota.class", key.class), attribute.String("server.address", key.server))...)
		o.ObserveInt64(g.limit, int64(q.Limit), attributes)
		o.ObserveInt64(g.remaining, int64(q.Remaining), attributes)
	}
	for key, at := range t.due() {
		attributes := append(organizationOf(key.organization), attribute.String("hiring.operation", key.operation))
		o.ObserveFloat64(g.overdue, now.Sub(at).Seconds(), t.with(attributes...))
	}
	if len(t.waits) > 0 {
		pending, age := t.pendingReports(now)
		o.ObserveInt64(g.pending, int64(pending), t.with())
		o.ObserveFloat64(g.pendingAge, age.Seconds(), t.with())
	}
	for key, d := range t.counts {
		if now.Sub(d.at) > countValid {
			continue
		}
		numbers, ages, attribute := g.deliveries, g.deliveriesAge, attribute.String("hiring.delivery.state", key.state)
		if key.kind == kindInvitations {
			numbers, ages, attribute = g.invitations, g.invitationsAge, invitationState.String(key.state)
		}
		attributes := t.with(append(organizationOf(key.organization), attribute)...)
		o.ObserveInt64(numbers, int64(d.count), attributes)
		o.ObserveFloat64(ages, d.age(now).Seconds(), attributes)
	}
	if now.Sub(t.workers.at) <= countValid {
		o.ObserveInt64(g.workers, int64(t.workers.count), t.with())
	}
}

// kindInvitations is the kind of the job that sends invitations.
const kindInvitations = "hiring_invitations"

const invitationState = attribute.Key("hiring.invitation.state")
