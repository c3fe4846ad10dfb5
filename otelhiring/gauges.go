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
	limit, remaining, pending, deliveries, invitations, workers metric.Int64ObservableGauge
	deliveriesAge, invitationsAge, overdue                      metric.Float64ObservableGauge
}

func (t *Telemetry) createGauges(meter metric.Meter) error {
	var errs []error
	var all []metric.Observable
	count := func(name, unit, description string) metric.Int64ObservableGauge {
		g, err := meter.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description))
		errs, all = append(errs, err), append(all, g)
		return g
	}
	seconds := func(name, description string) metric.Float64ObservableGauge {
		g, err := meter.Float64ObservableGauge(name, metric.WithUnit("s"), metric.WithDescription(description))
		errs, all = append(errs, err), append(all, g)
		return g
	}
	g := gauges{
		limit:          count("hiring.client.quota.limit", "{request}", "Requests that the rate limit allows in its window."),
		remaining:      count("hiring.client.quota.remaining", "{request}", "Requests that remain in the window of the rate limit."),
		pending:        count("hiring.client.reports.pending", "{report}", "Known reports that are awaited."),
		overdue:        seconds("hiring.poll.overdue", "Time since the next request of a wait, watch or poll was due; negative before it is due."),
		deliveries:     count("hiring.jobs.deliveries", "{delivery}", "Deliveries in the database, by state."),
		deliveriesAge:  seconds("hiring.jobs.deliveries.age", "How long the oldest delivery has been in its state."),
		invitations:    count("hiring.jobs.invitations", "{invitation}", "Invitations in the database that are not sent, by state."),
		invitationsAge: seconds("hiring.jobs.invitations.age", "How long the oldest invitation has been in its state."),
		workers:        count("hiring.jobs.workers", "{process}", "Processes that run jobs, as one of them reads from the database."),
	}
	_, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		t.observe(g, o)
		return nil
	}, all...)
	return errors.Join(append(errs, err)...)
}

func (t *Telemetry) observe(g gauges, o metric.Observer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
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
		pending := 0
		for w := range t.waits {
			pending += w.pending
		}
		o.ObserveInt64(g.pending, int64(pending), t.with())
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
