package otelhiring

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/semconv/v1.43.0/httpconv"
	"go.opentelemetry.io/otel/trace"

	hiring "github.com/hiring-assessment/hiring-go"
)

const scope = "github.com/hiring-assessment/hiring-go/otelhiring"

// Telemetry turns what a client does into spans and metrics. It is safe for
// concurrent use, and one may serve several clients of one key.
type Telemetry struct {
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
	common     []attribute.KeyValue

	attempts   httpconv.ClientRequestDuration
	operations metric.Float64Histogram
	lag        metric.Float64Histogram
	delivered  metric.Int64Counter
	discarded  metric.Int64Counter

	mu     sync.Mutex
	calls  map[*call]struct{} // Those under way.
	waited map[hiring.PauseReason]time.Duration
	quotas map[quotaKey]quota
	waits  map[*wait]struct{}
	polled time.Time // When the last Poll had its answer.
}

// Option changes what [New] makes.
type Option func(*settings)

type settings struct {
	tracers    trace.TracerProvider
	meters     metric.MeterProvider
	propagator propagation.TextMapPropagator
	common     []attribute.KeyValue
}

// WithTracerProvider is used instead of the global provider.
func WithTracerProvider(p trace.TracerProvider) Option { return func(s *settings) { s.tracers = p } }

// WithMeterProvider is used instead of the global provider.
func WithMeterProvider(p metric.MeterProvider) Option { return func(s *settings) { s.meters = p } }

// WithPropagator is used instead of W3C's trace context. One that sends baggage
// sends it to the service.
func WithPropagator(p propagation.TextMapPropagator) Option {
	return func(s *settings) { s.propagator = p }
}

// WithAttributes adds attributes to every span and metric: it tells apart two
// clients of one process whose keys have quotas of their own.
func WithAttributes(a ...attribute.KeyValue) Option {
	return func(s *settings) { s.common = append(s.common, a...) }
}

// New makes the instruments. It fails only when the meter provider refuses one.
func New(options ...Option) (*Telemetry, error) {
	s := settings{tracers: otel.GetTracerProvider(), meters: otel.GetMeterProvider(), propagator: propagation.TraceContext{}}
	for _, option := range options {
		option(&s)
	}
	t := &Telemetry{
		tracer: s.tracers.Tracer(scope), propagator: s.propagator, common: s.common,
		calls: make(map[*call]struct{}), waited: make(map[hiring.PauseReason]time.Duration),
		quotas: make(map[quotaKey]quota), waits: make(map[*wait]struct{}),
	}
	return t, t.makeInstruments(s.meters.Meter(scope))
}

func (t *Telemetry) makeInstruments(meter metric.Meter) error {
	var errs [6]error
	t.attempts, errs[0] = httpconv.NewClientRequestDuration(meter)
	t.operations, errs[1] = meter.Float64Histogram("hiring.client.operation.duration", metric.WithUnit("s"),
		metric.WithDescription("How long calls took, with all that they sent and waited."),
		metric.WithExplicitBucketBoundaries(.01, .05, .1, .5, 1, 5, 30, 60, 300, 1800, 3600))
	t.lag, errs[2] = meter.Float64Histogram("hiring.client.reports.lag", metric.WithUnit("s"),
		metric.WithDescription("From the evaluation of a submission to its delivery."),
		metric.WithExplicitBucketBoundaries(5, 15, 30, 60, 120, 300, 600, 1800, 3600, 14400))
	t.delivered, errs[3] = meter.Int64Counter("hiring.client.reports.delivered", metric.WithUnit("{report}"),
		metric.WithDescription("Reports delivered."))
	t.discarded, errs[4] = meter.Int64Counter("hiring.jobs.discarded", metric.WithUnit("{job}"),
		metric.WithDescription("Jobs given up after their last attempt."))
	errs[5] = t.observeState(meter)
	return errors.Join(errs[:]...)
}

// Delivered counts a report that was handed on, and how long ago it was
// evaluated; nil when that is not known.
func (t *Telemetry) Delivered(ctx context.Context, evaluatedAt *time.Time) {
	t.delivered.Add(ctx, 1, t.with())
	if evaluatedAt != nil {
		t.lag.Record(ctx, max(0, time.Since(*evaluatedAt).Seconds()), t.with())
	}
}

// JobDiscarded counts a job that was given up after its last attempt. Kind is its
// kind, never an id.
func (t *Telemetry) JobDiscarded(ctx context.Context, kind string) {
	t.discarded.Add(ctx, 1, t.with(attribute.String("hiring.job.kind", kind)))
}

func (t *Telemetry) with(a ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributes(append(a, t.common...)...)
}
