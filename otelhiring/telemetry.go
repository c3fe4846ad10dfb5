package otelhiring

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/semconv/v1.43.0/httpconv"
	"go.opentelemetry.io/otel/trace"

	hiring "github.com/hiring-assessment/hiring-go"
)

const scope = "github.com/hiring-assessment/hiring-go/otelhiring"

// Telemetry records the calls of a client as spans and metrics. It is safe for
// concurrent use. One Telemetry can serve several clients: see
// [Telemetry.TraceOf].
type Telemetry struct {
	settings

	tracer trace.Tracer

	attempts   httpconv.ClientRequestDuration
	operations metric.Float64Histogram
	lag        metric.Float64Histogram
	waited     metric.Float64Counter
	delivered  metric.Int64Counter

	mu      sync.Mutex
	calls   map[*call]struct{} // Calls in progress.
	quotas  map[quotaKey]hiring.RateLimit
	waits   map[*wait]struct{}
	failed  map[string]time.Time // Operations that ended with an error and must be called again; when a request was due.
	pollDue map[string]time.Time // By organization.
}

// Option changes the Telemetry that [New] returns.
type Option func(*settings)

type settings struct {
	tracers trace.TracerProvider
	meters  metric.MeterProvider
	common  []attribute.KeyValue
}

// WithTracerProvider sets the tracer provider. The default is the global one.
func WithTracerProvider(p trace.TracerProvider) Option { return func(s *settings) { s.tracers = p } }

// WithMeterProvider sets the meter provider. The default is the global one.
func WithMeterProvider(p metric.MeterProvider) Option { return func(s *settings) { s.meters = p } }

// WithOrganization adds the attribute hiring.organization to every span and
// metric. The alerts name the organization by it. To share one Telemetry among
// several organizations, use [Telemetry.TraceOf] instead. The name is exported as
// it is.
func WithOrganization(name string) Option {
	return WithAttributes(attribute.String(organizationKey, name))
}

// WithAttributes adds attributes to every span and metric.
func WithAttributes(a ...attribute.KeyValue) Option {
	return func(s *settings) { s.common = append(s.common, a...) }
}

// New returns a Telemetry. It fails only when the meter provider rejects an
// instrument.
func New(options ...Option) (*Telemetry, error) {
	s := settings{tracers: otel.GetTracerProvider(), meters: otel.GetMeterProvider()}
	for _, option := range options {
		option(&s)
	}
	t := &Telemetry{
		settings: s,
		tracer:   s.tracers.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL)),
		calls:    make(map[*call]struct{}),
		quotas:   make(map[quotaKey]hiring.RateLimit),
		waits:    make(map[*wait]struct{}),
		failed:   make(map[string]time.Time),
		pollDue:  make(map[string]time.Time),
	}
	meter := t.Meter()
	return t, errors.Join(t.createInstruments(meter), t.createGauges(meter))
}

func (t *Telemetry) createInstruments(meter metric.Meter) error {
	var errs [5]error
	t.attempts, errs[0] = httpconv.NewClientRequestDuration(meter)
	t.operations, errs[1] = meter.Float64Histogram("hiring.client.operation.duration", metric.WithUnit("s"), metric.WithDescription("Duration of calls, including all their requests and waits."),
		metric.WithExplicitBucketBoundaries(.01, .05, .1, .5, 1, 5, 30, 60, 300, 1800, 3600))
	t.lag, errs[2] = meter.Float64Histogram("hiring.client.reports.lag", metric.WithUnit("s"), metric.WithDescription("Time from the evaluation of a submission to the delivery of its report."),
		metric.WithExplicitBucketBoundaries(5, 15, 30, 60, 120, 300, 600, 1800, 3600, 14400))
	t.delivered, errs[3] = meter.Int64Counter("hiring.client.reports.delivered", metric.WithUnit("{report}"), metric.WithDescription("Reports that were delivered."))
	t.waited, errs[4] = meter.Float64Counter("hiring.client.wait.time", metric.WithUnit("s"), metric.WithDescription("Length of the waits between requests, counted when they begin."))
	return errors.Join(errs[:]...)
}

// Delivered counts a report that the program has dealt with, and measures the time
// since its evaluation. EvaluatedAt is nil when that time is not known.
//
// A loop over WaitReports or Watch that calls Delivered for each result is not
// overdue while it works through many results.
func (t *Telemetry) Delivered(ctx context.Context, evaluatedAt *time.Time) {
	t.postpone()
	t.DeliveredFor(ctx, "", evaluatedAt)
}

// DeliveredFor is Delivered for a program that works for several organizations, each result
// in a call of its own. Module jobs calls it. With an empty organization, the attribute of
// [WithOrganization] applies.
func (t *Telemetry) DeliveredFor(ctx context.Context, organization string, evaluatedAt *time.Time) {
	attributes := t.Attributes(organization)
	t.delivered.Add(ctx, 1, attributes)
	if evaluatedAt != nil {
		t.lag.Record(ctx, max(0, time.Since(*evaluatedAt).Seconds()), attributes)
	}
}

// Meter returns the meter of t, for metrics of other packages such as jobsotel of module jobs.
func (t *Telemetry) Meter() metric.Meter {
	return t.meters.Meter(scope, metric.WithSchemaURL(semconv.SchemaURL))
}

// Attributes returns the attributes of a measurement of an organization: those of
// [WithAttributes] and a, which replaces those of the same name. With an empty organization, the
// attribute of [WithOrganization] applies.
func (t *Telemetry) Attributes(organization string, a ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributes(slices.Concat(t.common, organizationOf(organization), a)...)
}

const organizationKey = "hiring.organization"

// organizationOf returns the attribute for an organization, and none for the empty
// name.
func organizationOf(name string) []attribute.KeyValue {
	if name == "" {
		return nil
	}
	return []attribute.KeyValue{attribute.String(organizationKey, name)}
}
