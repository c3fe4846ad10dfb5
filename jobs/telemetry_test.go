package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/jobs/jobsotel"
	"github.com/hiring-assessment/hiring-go/otelhiring"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// newTelemetry returns a telemetry and a function that returns its metrics in the format
// of Prometheus.
func newTelemetry(t *testing.T) (telemetry *otelhiring.Telemetry, jobTelemetry jobs.Telemetry, scrape func() string) {
	t.Helper()
	registry := prometheus.NewRegistry()
	reader, err := exporter.New(exporter.WithRegisterer(registry), exporter.WithoutScopeInfo())
	require.NoError(t, err)
	telemetry, err = otelhiring.New(otelhiring.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))))
	require.NoError(t, err)
	jobTelemetry, err = jobsotel.New(telemetry)
	require.NoError(t, err)
	return telemetry, jobTelemetry, func() string {
		page := httptest.NewRecorder()
		promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(page, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		return page.Body.String()
	}
}

// TestTelemetryCountsDeliveriesSQLite has a handler that returns an error for one submission, and cancels the delivery of another.
func TestTelemetryCountsDeliveriesSQLite(t *testing.T) {
	t.Parallel()
	s, api := newSQLite(t), newAPI(t)
	ids := api.addEvaluated(t, 20)
	telemetry, jobTelemetry, scrape := newTelemetry(t)
	organization := api.organization("acme")
	var err error
	organization.Client, err = hiring.New(api.URL(), sandbox.LiveKey, hiring.WithTrace(telemetry.Trace()))
	require.NoError(t, err)
	s.watch(t, testConfig(), jobs.Results[*sql.Tx]{
		Organizations: []jobs.Organization{organization}, Retry: attempts(2), Telemetry: jobTelemetry,
		Handle: func(ctx context.Context, tx *sql.Tx, d jobs.Delivery) error {
			switch d.Submission.ID {
			case ids[3]:
				return errors.New("failed")
			case ids[5]:
				return river.JobCancel(errors.New("cancelled"))
			}
			return s.insertResult(ctx, tx, d)
		},
	})
	eventually(t, s.deliveredIs(t, 18))
	eventually(t, func() bool { // Deliveries are counted after their commit.
		return strings.Contains(scrape(), `hiring_client_reports_delivered_total{hiring_organization="acme"} 18`+"\n")
	})
	page := scrape()
	require.Contains(t, page, `hiring_client_reports_lag_seconds_count{hiring_organization="acme"} 18`+"\n")
	require.Contains(t, page, `hiring_client_operation_duration_seconds_count{hiring_operation="Submissions.Poll"}`)
	require.Regexp(t, `hiring_poll_overdue_seconds\{hiring_operation="Submissions.Poll",hiring_organization="acme"\} -?\d`, page)
	eventually(t, func() bool {
		page := scrape()
		return strings.Contains(page, `hiring_jobs_events_total{hiring_job_event="discarded",hiring_job_kind="hiring_delivery",hiring_organization="acme"} 1`) &&
			strings.Contains(page, `hiring_jobs_deliveries{hiring_delivery_state="discarded",hiring_organization="acme"} 1`) &&
			strings.Contains(page, `hiring_jobs_deliveries{hiring_delivery_state="cancelled",hiring_organization="acme"} 1`) &&
			strings.Contains(page, `hiring_jobs_deliveries{hiring_delivery_state="failing",hiring_organization="acme"} 0`)
	})
	for _, secret := range append(ids, "candidate", sandbox.LiveKey) {
		require.NotContains(t, page, secret)
	}
}

// TestCountsThatAreNotRepeatedEnd has the last report of an organization that was removed.
func TestCountsThatAreNotRepeatedEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, telemetry, scrape := newTelemetry(t)
		telemetry.Count(t.Context(), jobs.CountEvent{Organization: "acme", Kind: jobs.KindDelivery, State: jobs.DeliveriesCancelled, Count: 3})
		require.Contains(t, scrape(), "hiring_jobs_deliveries{")
		time.Sleep(3*time.Minute + time.Second)
		require.NotContains(t, scrape(), "hiring_jobs_deliveries{")
	})
}
