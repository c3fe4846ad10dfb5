package otelhiring

import (
	"context"
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

// Trace returns the argument of [hiring.WithTrace].
func (t *Telemetry) Trace() hiring.Trace { return t.TraceOf("") }

// TraceOf returns the argument of [hiring.WithTrace] for the client of one of several
// organizations that share t. The organization is an attribute of spans, of the rate
// limits, and of attempts with status 401, so that alerts on keys and rate limits name
// it. Other metrics add up all organizations, because they have many series. With an
// empty organization, the attribute of [WithOrganization] applies.
func (t *Telemetry) TraceOf(organization string) hiring.Trace {
	o := organizationTrace{t, organization}
	return hiring.Trace{Call: o.call, Attempt: o.attempt, Pause: t.pause}
}

// organizationTrace is the trace of the client of an organization.
type organizationTrace struct {
	*Telemetry

	organization string // Empty for the one of the Telemetry.
}

// spanAttributes returns attributes with those of all spans of the organization.
func (t organizationTrace) spanAttributes(a ...attribute.KeyValue) []attribute.KeyValue {
	return slices.Concat(a, t.common, organizationOf(t.organization))
}

type callKey struct{}

func (t organizationTrace) call(ctx context.Context, traced hiring.TraceCall) (context.Context, func(error)) {
	operation := attribute.String("hiring.operation", traced.Operation)
	attributes := t.spanAttributes(operation)
	if traced.Route != "" {
		attributes = append(attributes, semconv.HTTPRequestMethodKey.String(traced.Method), semconv.URLTemplate(template(traced.Route)))
	}
	ctx, span := t.tracer.Start(ctx, traced.Operation, trace.WithAttributes(attributes...))
	began := time.Now()
	c := t.callBegan(traced.Operation)
	ctx = context.WithValue(ctx, callKey{}, c)
	return ctx, func(err error) {
		t.callEnded(c, err)
		measured := []attribute.KeyValue{operation}
		if err != nil {
			kind := semconv.ErrorTypeKey.String(errorType(err))
			measured = append(measured, kind)
			span.SetAttributes(kind)
			span.SetStatus(codes.Error, kind.Value.AsString()) // Not the message, which may name people.
		}
		t.operations.Record(ctx, time.Since(began).Seconds(), t.Attributes("", measured...))
		span.End()
	}
}

func (t organizationTrace) attempt(ctx context.Context, a hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) {
	c, _ := ctx.Value(callKey{}).(*call)
	if c != nil {
		t.mu.Lock()
		c.handling = false
		t.mu.Unlock()
	}
	host, port := hostPort(a.Server)
	attributes := t.spanAttributes(
		semconv.HTTPRequestMethodKey.String(a.Method), semconv.URLTemplate(template(a.Route)),
		semconv.ServerAddress(host), semconv.ServerPort(port),
	)
	if a.Number > 1 {
		attributes = append(attributes, semconv.HTTPRequestResendCount(a.Number-1))
	}
	ctx, span := t.tracer.Start(ctx, a.Method+" "+template(a.Route), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attributes...))
	if isAPI(a.Route) {
		propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(a.Header))
	}
	return ctx, func(e hiring.Exchange) {
		t.mu.Lock()
		if c != nil {
			c.attemptEnded(e, time.Now())
		}
		t.learnQuota(t.organization, e)
		t.mu.Unlock()
		t.record(ctx, host, port, e)
		describe(span, e)
		span.End()
	}
}

// describe records the end of an attempt in its span.
func describe(span trace.Span, e hiring.Exchange) {
	span.SetAttributes(resultOf(e)...)
	if e.RequestID != "" {
		span.SetAttributes(attribute.String("hiring.request_id", e.RequestID))
	}
	if e.Warning != "" {
		span.AddEvent("hiring.warning", trace.WithAttributes(attribute.String("hiring.warning", e.Warning)))
	}
	if e.Err != nil {
		span.SetStatus(codes.Error, errorType(e.Err))
	}
}

// resultOf returns the attributes of the result of an attempt.
func resultOf(e hiring.Exchange) []attribute.KeyValue {
	var attributes []attribute.KeyValue
	if e.Status != 0 {
		attributes = append(attributes, semconv.HTTPResponseStatusCode(e.Status))
	}
	if e.Err != nil {
		attributes = append(attributes, semconv.ErrorTypeKey.String(errorType(e.Err)))
	}
	return attributes
}

func (t organizationTrace) record(ctx context.Context, host string, port int, e hiring.Exchange) {
	attributes := slices.Concat([]attribute.KeyValue{semconv.URLTemplate(template(e.Route))}, t.common, resultOf(e))
	if e.Status == http.StatusUnauthorized {
		attributes = append(attributes, organizationOf(t.organization)...)
	}
	t.attempts.Record(ctx, e.Duration.Seconds(), httpconv.RequestMethodAttr(e.Method), host, port, attributes...)
}

func (t *Telemetry) pause(ctx context.Context, p hiring.TracePause) {
	reason, length := attribute.String("hiring.wait.reason", string(p.Reason)), time.Until(p.Until).Seconds()
	trace.SpanFromContext(ctx).AddEvent("hiring.wait", trace.WithAttributes(reason, attribute.Float64("hiring.wait.duration", length)))
	t.waited.Add(ctx, max(0, length), t.Attributes("", reason))
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		t.mu.Lock()
		defer t.mu.Unlock()
		c.pauseBegan(p)
	}
}

// archiveRoute is the route of downloads, which go to a storage and not to the API.
const archiveRoute = "archive"

func isAPI(route string) bool { return route != archiveRoute }

// template returns the template of the path, which begins with the version.
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
	port, _ = strconv.Atoi(text) // 0 when there is none.
	return host, port
}

// class returns the class of rate limit that a method counts against.
func class(method string) string {
	if method == http.MethodGet || method == http.MethodHead {
		return "read"
	}
	return "write"
}
