package jobs_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/jobs/jobsotel"
	"github.com/hiring-assessment/hiring-go/otelhiring"
)

// newTelemetry returns a telemetry and a function that returns its metrics in the format
// of Prometheus.
func newTelemetry(t *testing.T) (jobTelemetry jobs.Telemetry, scrape func() string) {
	t.Helper()
	registry := prometheus.NewRegistry()
	reader, err := exporter.New(exporter.WithRegisterer(registry), exporter.WithoutScopeInfo())
	require.NoError(t, err)
	telemetry, err := otelhiring.New(otelhiring.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))))
	require.NoError(t, err)
	jobTelemetry, err = jobsotel.New(telemetry)
	require.NoError(t, err)
	return jobTelemetry, func() string {
		page := httptest.NewRecorder()
		promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(page, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		return page.Body.String()
	}
}

// TestEventsAreExported reports an event of each kind. A number that is not repeated ends, as that of an organization that was removed.
func TestEventsAreExported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		telemetry, scrape := newTelemetry(t)
		now := time.Now()
		telemetry.Delivered(t.Context(), jobs.DeliveredEvent{Organization: "acme", EvaluatedAt: &now})
		telemetry.PollDue(t.Context(), jobs.PollDueEvent{Organization: "acme", At: now})
		telemetry.Job(t.Context(), jobs.JobEvent{Organization: "acme", Kind: jobs.KindDelivery, Event: jobs.EventDiscarded})
		telemetry.Count(t.Context(), jobs.CountEvent{Organization: "acme", Kind: jobs.KindDelivery, State: jobs.DeliveriesCancelled, Count: 3})
		for _, line := range []string{
			`hiring_client_reports_delivered_total{hiring_organization="acme"} 1`,
			`hiring_client_reports_lag_seconds_count{hiring_organization="acme"} 1`,
			`hiring_poll_overdue_seconds{hiring_operation="Submissions.Poll",hiring_organization="acme"} 0`,
			`hiring_jobs_events_total{hiring_job_event="discarded",hiring_job_kind="hiring_delivery",hiring_organization="acme"} 1`,
			`hiring_jobs_deliveries{hiring_delivery_state="cancelled",hiring_organization="acme"} 3`,
		} {
			require.Contains(t, scrape(), line+"\n")
		}
		time.Sleep(3*time.Minute + time.Second)
		require.NotContains(t, scrape(), "hiring_jobs_deliveries{")
	})
}
