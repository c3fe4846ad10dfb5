package otelhiring_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/otelhiring"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// recorder is a Telemetry whose spans are in memory and whose metrics can be scraped.
type recorder struct {
	*otelhiring.Telemetry

	spans   *tracetest.SpanRecorder
	handler http.Handler
}

func newRecorder(t *testing.T, more ...otelhiring.Option) *recorder {
	t.Helper()
	registry := prometheus.NewRegistry()
	reader, err := exporter.New(exporter.WithRegisterer(registry))
	require.NoError(t, err)
	b := &recorder{spans: tracetest.NewSpanRecorder(), handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{})}
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(b.spans))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	b.Telemetry, err = otelhiring.New(append(more, otelhiring.WithTracerProvider(tracers), otelhiring.WithMeterProvider(meters))...)
	require.NoError(t, err)
	return b
}

// scrape returns the samples of a scrape by series.
func (b *recorder) scrape(t *testing.T) map[string]string {
	t.Helper()
	recorded := httptest.NewRecorder()
	b.handler.ServeHTTP(recorded, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Equal(t, 200, recorded.Code, recorded.Body)
	samples := make(map[string]string)
	for line := range strings.Lines(recorded.Body.String()) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			at := strings.LastIndex(line, " ")
			samples[line[:at]] = line[at+1:]
		}
	}
	return samples
}

// everyMetric returns the samples of a program that produces each metric.
func everyMetric(t *testing.T) (samples map[string]string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b, evaluated := newRecorder(t), time.Now()
		client := sandbox.Start(t).Client(hiring.WithTrace(b.Trace()))
		_, err := client.Submissions.Get(t.Context(), sandbox.UnknownID)
		require.ErrorIs(t, err, hiring.ErrNotFound)
		b.DeliveredFor(t.Context(), "acme", &evaluated)
		b.PollDue(t.Context(), "acme", evaluated)
		var options hiring.WaitOptions
		end := b.Wait(&options)
		stop := background(t, func(ctx context.Context) {
			_, _ = client.Submissions.WaitReport(ctx, sandbox.PendingSubmissionID, options) // Ends with the context.
		})
		time.Sleep(2 * time.Minute)
		samples = b.scrape(t)
		stop()
		end()
	})
	return samples
}

// errorTypes returns the attribute error.type of the ended spans, in order.
func (b *recorder) errorTypes(t *testing.T) (types []string) {
	t.Helper()
	for _, span := range b.spans.Ended() {
		if kind, ok := attributesOf(span)["error.type"]; ok {
			types = append(types, kind)
		}
	}
	return types
}

// value returns the sample of the only series with this name and these labels.
func value(t *testing.T, samples map[string]string, name string, labels ...string) string {
	t.Helper()
	var found, named []string
	for series, sample := range samples {
		if !strings.HasPrefix(series, name+"{") {
			continue
		}
		named = append(named, series)
		if !slices.ContainsFunc(labels, func(label string) bool { return !strings.Contains(series, label) }) {
			found = append(found, sample)
		}
	}
	require.Len(t, found, 1, "series %s %v in %v", name, labels, named)
	return found[0]
}

// findPromtool returns the path of promtool. Where it is not installed, the test is skipped, or fails
// if HIRING_SKIP_NOTHING is set.
func findPromtool(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("promtool")
	if err != nil && os.Getenv("HIRING_SKIP_NOTHING") == "" {
		t.Skip("promtool is missing: apt-get install prometheus; .ci/run does that")
	}
	require.NoError(t, err)
	return program
}

// promtool runs promtool.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), findPromtool(t), args...).CombinedOutput()
	require.NoError(t, err, "promtool %v\n%s", args, out)
}
