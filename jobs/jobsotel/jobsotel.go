// Package jobsotel exports the events of module jobs as OpenTelemetry metrics.
//
//	telemetry, err := otelhiring.New()
//	...
//	jobs.Results[pgx.Tx]{Telemetry: jobsotel.New(telemetry), ...}
package jobsotel

import (
	"context"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/otelhiring"
)

// New returns a Telemetry that records its events in t. One t may serve any number
// of organizations.
func New(t *otelhiring.Telemetry) jobs.Telemetry {
	return jobs.Telemetry{
		Delivered: func(ctx context.Context, e jobs.DeliveredEvent) {
			t.JobDelivered(ctx, otelhiring.JobDelivered{Organization: e.Organization, EvaluatedAt: e.EvaluatedAt})
		},
		Job: func(ctx context.Context, e jobs.JobEvent) {
			t.JobEvent(ctx, otelhiring.JobEvent{Organization: e.Organization, Kind: e.Kind, Event: e.Event})
		},
		PollDue: func(ctx context.Context, e jobs.PollDueEvent) { t.PollDue(ctx, e.Organization, e.At) },
		Count: func(ctx context.Context, e jobs.CountEvent) {
			t.JobCount(ctx, otelhiring.JobCount{Organization: e.Organization, Kind: e.Kind, State: e.State, Count: e.Count, Oldest: e.Oldest})
		},
		Workers: func(ctx context.Context, e jobs.WorkersEvent) {
			t.JobWorkers(ctx, otelhiring.JobWorkers{Alive: e.Alive})
		},
	}
}
