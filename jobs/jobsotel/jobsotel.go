// Package jobsotel exports the events of module jobs as OpenTelemetry metrics.
//
//	telemetry, err := otelhiring.New()
//	...
//	jobTelemetry, err := jobsotel.New(telemetry)
//	...
//	jobs.Results[pgx.Tx]{Telemetry: jobTelemetry, ...}
//
// Beside hiring.poll.overdue, hiring.client.reports.delivered and hiring.client.reports.lag of
// package otelhiring, these are the metrics, all but the clock with the attribute
// hiring.organization:
//
//	hiring.jobs.events          {event}      jobs.JobEvent, by hiring.job.kind and hiring.job.event
//	hiring.jobs.deliveries      {delivery}   deliveries in the database, by hiring.delivery.state
//	hiring.jobs.deliveries.age  s            how long the oldest delivery has been in its state
//	hiring.jobs.invitations     {invitation} invitations in the database that are not sent, by hiring.invitation.state
//	hiring.jobs.invitations.age s            how long the oldest invitation has been in its state
//	hiring.jobs.clock.offset    s            how far the clock of the process is ahead of the database's
//
// The states and events are the constants of package jobs. One process at a time reads the
// database, twice a minute. What is not reported again for three minutes is not exported.
package jobsotel

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/otelhiring"
)

// New returns a Telemetry that records its events in t. Create one for each t, and share it
// among any number of organizations. New fails only when the meter provider rejects an
// instrument.
func New(t *otelhiring.Telemetry) (jobs.Telemetry, error) {
	events, err := t.Meter().Int64Counter("hiring.jobs.events", metric.WithUnit("{event}"), metric.WithDescription("Events of jobs that should not happen, such as a discarded job."))
	clock, clockErr := t.Meter().Float64Gauge("hiring.jobs.clock.offset", metric.WithUnit("s"), metric.WithDescription("How far the clock of the process is ahead of the database's."))
	numbers := map[string]*counts{jobs.KindDelivery: {}, jobs.KindInvitations: {}}
	return jobs.Telemetry{
		Delivered: func(ctx context.Context, e jobs.DeliveredEvent) { t.DeliveredFor(ctx, e.Organization, e.EvaluatedAt) },
		PollDue:   func(ctx context.Context, e jobs.PollDueEvent) { t.PollDue(ctx, e.Organization, e.At) },
		Job: func(ctx context.Context, e jobs.JobEvent) {
			events.Add(ctx, 1, t.Attributes(e.Organization, attribute.String("hiring.job.kind", e.Kind), attribute.String("hiring.job.event", string(e.Event))))
		},
		Count: func(_ context.Context, e jobs.CountEvent) { numbers[e.Kind].report(e) },
		Clock: func(ctx context.Context, e jobs.ClockEvent) { clock.Record(ctx, e.Ahead.Seconds(), t.Attributes("")) },
	}, errors.Join(err, clockErr, numbers[jobs.KindDelivery].export(t, "delivery", "deliveries"), numbers[jobs.KindInvitations].export(t, "invitation", "invitations"))
}

// counts are the last reports about deliveries or invitations.
type counts struct {
	mu   sync.Mutex
	last map[string]count // By organization and state.
}

type count struct {
	jobs.CountEvent

	at time.Time // When it was reported.
}

func (c *counts) report(e jobs.CountEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last[e.Organization+"\x00"+string(e.State)] = count{e, time.Now()}
}

// valid is the time after which a report that was not renewed is not exported any more.
const valid = 3 * time.Minute

// export creates the two gauges of a kind, whose name is given in the singular and the plural.
func (c *counts) export(t *otelhiring.Telemetry, one, many string) error {
	c.last = make(map[string]count)
	numbers, err := t.Meter().Int64ObservableGauge("hiring.jobs."+many, metric.WithUnit("{"+one+"}"), metric.WithDescription("Number of "+many+" in the database, by state."))
	ages, ageErr := t.Meter().Float64ObservableGauge("hiring.jobs."+many+".age", metric.WithUnit("s"), metric.WithDescription("How long the oldest "+one+" has been in its state."))
	_, callbackErr := t.Meter().RegisterCallback(func(_ context.Context, o metric.Observer) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, e := range c.last {
			if time.Since(e.at) > valid {
				continue
			}
			age := 0.
			if e.Count > 0 {
				age = max(0, time.Since(e.Oldest).Seconds())
			}
			attributes := t.Attributes(e.Organization, attribute.String("hiring."+one+".state", string(e.State)))
			o.ObserveInt64(numbers, int64(e.Count), attributes)
			o.ObserveFloat64(ages, age, attributes)
		}
		return nil
	}, numbers, ages)
	return errors.Join(err, ageErr, callbackErr)
}
