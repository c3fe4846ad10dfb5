package otelhiring_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/hiring-assessment/hiring-go/otelhiring"
)

// bench is a telemetry whose spans lie in memory and whose metrics can be scraped.
type bench struct {
	*otelhiring.Telemetry

	spans    *tracetest.SpanRecorder
	handler  http.Handler
	instance string // Whose scrapes these are.
}

func newBench(t *testing.T, more ...otelhiring.Option) *bench {
	t.Helper()
	registry := prometheus.NewRegistry()
	reader, err := exporter.New(exporter.WithRegisterer(registry))
	require.NoError(t, err)
	b := &bench{spans: tracetest.NewSpanRecorder(), handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), instance: "a:1"}
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(b.spans))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	b.Telemetry, err = otelhiring.New(append(more, otelhiring.WithTracerProvider(tracers), otelhiring.WithMeterProvider(meters))...)
	require.NoError(t, err)
	return b
}

// scrape returns the samples by their series.
func (b *bench) scrape(t *testing.T) map[string]string {
	t.Helper()
	recorded := httptest.NewRecorder()
	b.handler.ServeHTTP(recorded, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Equal(t, 200, recorded.Code, recorded.Body)
	samples := make(map[string]string)
	for line := range strings.Lines(recorded.Body.String()) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			at := strings.LastIndex(line, " ")
			samples[line[:at]] = line[at+1:]
		}
	}
	return samples
}

// value is the sample of the one series with this name and these labels.
func value(t *testing.T, samples map[string]string, name string, labels ...string) string {
	t.Helper()
	var found []string
	for series, sample := range samples {
		has := strings.HasPrefix(series, name+"{")
		for _, label := range labels {
			has = has && strings.Contains(series, label)
		}
		if has {
			found = append(found, sample)
		}
	}
	require.Len(t, found, 1, "series %s %v in %v", name, labels, samples)
	return found[0]
}

// promtool runs Prometheus's own tool, which it installs where it is missing.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("promtool"); err != nil {
		for _, install := range [][]string{{"update", "-qq"}, {"install", "-y", "-qq", "--no-install-recommends", "prometheus"}} {
			cmd := exec.CommandContext(t.Context(), "apt-get", install...)
			cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "promtool is needed: install Debian's package prometheus\n%s", out)
		}
	}
	out, err := exec.CommandContext(t.Context(), "promtool", args...).CombinedOutput()
	require.NoError(t, err, "promtool %v\n%s", args, out)
}
