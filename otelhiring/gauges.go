package otelhiring

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	hiring "github.com/hiring-assessment/hiring-go"
)

// gauges are computed from the state of a Telemetry when metrics are collected.
type gauges struct {
	limit, remaining, pending metric.Int64ObservableGauge
	overdue                   metric.Float64ObservableGauge
}

func (t *Telemetry) createGauges(meter metric.Meter) error {
	var g gauges
	var errs [5]error
	g.limit, errs[0] = meter.Int64ObservableGauge("hiring.client.quota.limit", metric.WithUnit("{request}"), metric.WithDescription("Requests that the rate limit allows in its window."))
	g.remaining, errs[1] = meter.Int64ObservableGauge("hiring.client.quota.remaining", metric.WithUnit("{request}"), metric.WithDescription("Requests that remain in the window of the rate limit."))
	g.pending, errs[2] = meter.Int64ObservableGauge("hiring.client.reports.pending", metric.WithUnit("{report}"), metric.WithDescription("Known reports that are awaited."))
	g.overdue, errs[3] = meter.Float64ObservableGauge("hiring.poll.overdue", metric.WithUnit("s"), metric.WithDescription("Time since the next request of a wait, watch or poll was due; negative before it is due."))
	_, errs[4] = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error { return t.observe(g, o) }, g.limit, g.remaining, g.pending, g.overdue)
	return errors.Join(errs[:]...)
}

func (t *Telemetry) observe(g gauges, o metric.Observer) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for key, q := range t.quotas {
		if now.After(q.Reset) { // Nothing is known about the next window before its first response.
			continue
		}
		attributes := t.Attributes(key.organization, attribute.String("hiring.quota.class", key.class), attribute.String("server.address", key.server))
		o.ObserveInt64(g.limit, int64(q.Limit), attributes)
		o.ObserveInt64(g.remaining, int64(q.Remaining), attributes)
	}
	for key, at := range t.due() {
		o.ObserveFloat64(g.overdue, now.Sub(at).Seconds(), t.Attributes(key.organization, attribute.String("hiring.operation", key.operation)))
	}
	if len(t.waits) > 0 {
		pending := 0
		for w := range t.waits {
			pending += w.pending
		}
		o.ObserveInt64(g.pending, int64(pending), t.Attributes(""))
	}
	return nil
}

type quotaKey struct{ organization, server, class string }

// learnQuota keeps the rate limit that a response reports.
func (t *Telemetry) learnQuota(organization string, e hiring.Exchange) {
	if !isAPI(e.Route) || !e.RateLimit.Known() || e.Status == 401 { // A 401 does not describe the rate limit of a key.
		return
	}
	server, _ := hostPort(e.Server)
	t.quotas[quotaKey{organization, server, class(e.Method)}] = e.RateLimit
}
