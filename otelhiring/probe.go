package otelhiring

import (
	"context"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/semconv/v1.43.0/httpconv"
	"go.opentelemetry.io/otel/trace"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Probe is what [hiring.WithProbe] takes.
func (t *Telemetry) Probe() hiring.Probe {
	return hiring.Probe{Call: t.call, Attempt: t.attempt, Pause: t.pause}
}

// call is one under way, guarded by Telemetry.mu.
type call struct {
	operation string
	success   time.Time // When the last request succeeded, or the call began.
	reason    hiring.PauseReason
	since     time.Time // When the wait under way began; zero when there is none.
	until     time.Time
}

type callKey struct{}

func (t *Telemetry) call(ctx context.Context, pc hiring.ProbeCall) (context.Context, func(error)) {
	attributes := append([]attribute.KeyValue{attribute.String("hiring.operation", pc.Operation)}, t.common...)
	if pc.Route != "" {
		attributes = append(attributes, semconv.HTTPRequestMethodKey.String(pc.Method), semconv.URLTemplate(template(pc.Route)))
	}
	ctx, span := t.tracer.Start(ctx, pc.Operation, trace.WithAttributes(attributes...))
	c := &call{operation: pc.Operation, success: time.Now()}
	t.mu.Lock()
	t.calls[c] = struct{}{}
	t.mu.Unlock()
	begun := time.Now()
	ctx = context.WithValue(ctx, callKey{}, c)
	return ctx, func(err error) {
		t.mu.Lock()
		t.rested(c)
		delete(t.calls, c)
		if c.operation == "Submissions.Poll" && err == nil {
			t.polled = time.Now()
		}
		t.mu.Unlock()
		measured := []attribute.KeyValue{attribute.String("hiring.operation", pc.Operation)}
		if err != nil {
			kind := semconv.ErrorTypeKey.String(errorType(err))
			measured = append(measured, kind)
			span.SetAttributes(kind)
			span.SetStatus(codes.Error, kind.Value.AsString()) // Not the text, which may name things.
		}
		t.operations.Record(ctx, time.Since(begun).Seconds(), t.with(measured...))
		span.End()
	}
}

func (t *Telemetry) attempt(ctx context.Context, a hiring.ProbeAttempt) (context.Context, func(hiring.Exchange)) {
	c, _ := ctx.Value(callKey{}).(*call)
	t.mu.Lock()
	t.rested(c)
	t.mu.Unlock()
	host, port := hostPort(a.Server)
	attributes := append([]attribute.KeyValue{
		semconv.HTTPRequestMethodKey.String(a.Method), semconv.URLTemplate(template(a.Route)),
		semconv.ServerAddress(host), semconv.ServerPort(port),
	}, t.common...)
	if a.Number > 1 {
		attributes = append(attributes, semconv.HTTPRequestResendCount(a.Number-1))
	}
	ctx, span := t.tracer.Start(ctx, a.Method+" "+template(a.Route), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...))
	if isAPI(a.Route) {
		t.propagator.Inject(ctx, propagation.HeaderCarrier(a.Header))
	}
	return ctx, func(e hiring.Exchange) {
		t.learn(c, e)
		t.record(ctx, host, port, e)
		describe(span, e)
		span.End()
	}
}

// describe puts on a span how its attempt ended.
func describe(span trace.Span, e hiring.Exchange) {
	if e.Status != 0 {
		span.SetAttributes(semconv.HTTPResponseStatusCode(e.Status))
	}
	if e.RequestID != "" {
		span.SetAttributes(attribute.String("hiring.request_id", e.RequestID))
	}
	if e.Warning != "" {
		span.AddEvent("warning", trace.WithAttributes(attribute.String("hiring.warning", e.Warning)))
	}
	if e.Err != nil {
		kind := attemptErrorType(e)
		span.SetAttributes(semconv.ErrorTypeKey.String(kind))
		span.SetStatus(codes.Error, kind)
	}
}

func (t *Telemetry) record(ctx context.Context, host string, port int, e hiring.Exchange) {
	attributes := append([]attribute.KeyValue{semconv.URLTemplate(template(e.Route))}, t.common...)
	if e.Status != 0 {
		attributes = append(attributes, semconv.HTTPResponseStatusCode(e.Status))
	}
	if e.Err != nil {
		attributes = append(attributes, semconv.ErrorTypeKey.String(attemptErrorType(e)))
	}
	t.attempts.Record(ctx, e.Duration.Seconds(), httpconv.RequestMethodAttr(e.Method), host, port, attributes...)
}

func (t *Telemetry) pause(ctx context.Context, p hiring.ProbePause) {
	trace.SpanFromContext(ctx).AddEvent("wait", trace.WithAttributes(
		attribute.String("hiring.wait.reason", string(p.Reason)),
		attribute.Float64("hiring.wait.seconds", time.Until(p.Until).Seconds())))
	c, _ := ctx.Value(callKey{}).(*call)
	if c == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rested(c)
	c.reason, c.since, c.until = p.Reason, time.Now(), p.Until
}

// rested counts the wait of a call that has ended, if there was one.
func (t *Telemetry) rested(c *call) {
	if c == nil || c.since.IsZero() {
		return
	}
	t.waited[c.reason] += c.lasted(time.Now())
	c.since = time.Time{}
}

// lasted is how long the wait under way has lasted.
func (c *call) lasted(now time.Time) time.Duration {
	if now.After(c.until) {
		now = c.until
	}
	return max(0, now.Sub(c.since))
}

// waitedUntil is the time waited until now, with the waits under way.
func (t *Telemetry) waitedUntil(now time.Time) map[hiring.PauseReason]time.Duration {
	sum := maps.Clone(t.waited)
	for c := range t.calls {
		if !c.since.IsZero() {
			sum[c.reason] += c.lasted(now)
		}
	}
	return sum
}

// archiveRoute is what downloads have in place of a route: their host is another.
const archiveRoute = "archive"

func isAPI(route string) bool { return route != archiveRoute }

// template is the path's: routes are below the version.
func template(route string) string {
	if !isAPI(route) {
		return "/{archive}"
	}
	return "/api/v1" + route
}

func hostPort(server string) (host string, port int) {
	host, text, err := net.SplitHostPort(server)
	if err != nil {
		return server, 0
	}
	port, err = strconv.Atoi(text)
	if err != nil {
		return host, 0
	}
	return host, port
}

// class is the quota that a method counts against.
func class(method string) string {
	if slices.Contains([]string{http.MethodGet, http.MethodHead}, method) {
		return "read"
	}
	return "write"
}
