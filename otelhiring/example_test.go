package otelhiring_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/otelhiring"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// It goes to the global providers unless options name others.
func ExampleNew() {
	telemetry, err := otelhiring.New()
	if err != nil {
		log.Fatal(err)
	}
	client, err := hiring.New("https://hiring.example.com", "sk_test_0123456789", hiring.WithProbe(telemetry.Probe()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.Environment())
	// Output: test
}

// A call that was repeated: one span for the call, and one for each attempt.
func ExampleTelemetry_Probe() {
	spans := tracetest.NewSpanRecorder()
	telemetry, err := otelhiring.New(
		otelhiring.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))))
	if err != nil {
		log.Fatal(err)
	}
	server := sandbox.New()
	server.Inject(sandbox.Fault{Route: "GET /submissions/{id}/report", Status: http.StatusServiceUnavailable})
	client := server.Client(
		hiring.WithProbe(telemetry.Probe()),
		hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: time.Millisecond}))

	if _, err := client.Submissions.Report(context.Background(), sandbox.SubmissionID); err != nil {
		log.Fatal(err)
	}
	for _, span := range spans.Ended() {
		fmt.Println(span.SpanKind(), span.Name())
		for _, a := range span.Attributes() {
			switch a.Key {
			case "http.response.status_code", "http.request.resend_count", "error.type":
				fmt.Println(" ", a.Key, a.Value.String())
			}
		}
	}
	// Output:
	// client GET /api/v1/submissions/{id}/report
	//   http.response.status_code 503
	//   error.type 503
	// client GET /api/v1/submissions/{id}/report
	//   http.request.resend_count 1
	//   http.response.status_code 200
	// internal Submissions.Report
}

func ExampleWithTracerProvider() {
	spans := tracetest.NewSpanRecorder()
	telemetry, err := otelhiring.New(
		otelhiring.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))))
	if err != nil {
		log.Fatal(err)
	}
	client := sandbox.New().Client(hiring.WithProbe(telemetry.Probe()))

	_, err = client.Account.Get(context.Background())
	fmt.Println(len(spans.Ended()), "spans", err)
	// Output: 2 spans <nil>
}

func line(point metricdata.DataPoint[int64]) string {
	return strings.TrimSpace(fmt.Sprint(point.Value, " ", point.Attributes.Encoded(attribute.DefaultEncoder())))
}

// measured is what was measured of one metric, with its attributes.
func measured(reader *sdkmetric.ManualReader, name string) (lines []string) {
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		log.Fatal(err)
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name != name {
				continue
			}
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, point := range data.DataPoints {
					lines = append(lines, line(point))
				}
			case metricdata.Gauge[int64]:
				for _, point := range data.DataPoints {
					lines = append(lines, line(point))
				}
			}
		}
	}
	return lines
}

func ExampleWithMeterProvider() {
	reader := sdkmetric.NewManualReader() // In production that of an exporter.
	telemetry, err := otelhiring.New(
		otelhiring.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))))
	if err != nil {
		log.Fatal(err)
	}
	client := sandbox.New().Client(hiring.WithProbe(telemetry.Probe()))

	if _, err := client.Account.Get(context.Background()); err != nil {
		log.Fatal(err)
	}
	for _, line := range measured(reader, "hiring.client.quota.remaining") {
		fmt.Println(strings.Split(line, ",server.address")[0])
	}
	// Output: 999 hiring.quota.class=read
}

// Two organizations of one process have quotas of their own.
func ExampleWithAttributes() {
	reader := sdkmetric.NewManualReader()
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	for _, organization := range []string{"acme", "globex"} {
		telemetry, err := otelhiring.New(
			otelhiring.WithMeterProvider(meters),
			otelhiring.WithAttributes(attribute.String("organization", organization)))
		if err != nil {
			log.Fatal(err)
		}
		telemetry.Delivered(context.Background(), nil)
	}

	for _, line := range measured(reader, "hiring.client.reports.delivered") {
		fmt.Println(line)
	}
	// Unordered output:
	// 1 organization=acme
	// 1 organization=globex
}

// sent is a transport that shows one header.
type sent struct {
	name string
	base http.RoundTripper
}

func (s sent) RoundTrip(r *http.Request) (*http.Response, error) {
	fmt.Println(s.name, r.Header.Get(s.name) != "")
	return s.base.RoundTrip(r)
}

// A service of others that is to know nothing of one's traces.
func ExampleWithPropagator() {
	telemetry, err := otelhiring.New(
		otelhiring.WithTracerProvider(sdktrace.NewTracerProvider()),
		otelhiring.WithPropagator(propagation.NewCompositeTextMapPropagator())) // Of none.
	if err != nil {
		log.Fatal(err)
	}
	server := sandbox.New()
	client := server.Client(
		hiring.WithProbe(telemetry.Probe()),
		hiring.WithHTTPClient(&http.Client{Transport: sent{"Traceparent", server.Transport()}}))

	_, err = client.Account.Get(context.Background())
	fmt.Println(err)
	// Output:
	// Traceparent false
	// <nil>
}

// What a probe cannot see is told: that a report was handed on.
func ExampleTelemetry_Delivered() {
	ctx := context.Background()
	reader := sdkmetric.NewManualReader()
	telemetry, err := otelhiring.New(
		otelhiring.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))))
	if err != nil {
		log.Fatal(err)
	}
	client := sandbox.New().Client(hiring.WithProbe(telemetry.Probe()))

	ids := []string{sandbox.SubmissionID, sandbox.BusySubmissionID}
	for report, err := range client.Submissions.WaitReports(ctx, ids, hiring.WaitOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		// Here the report is written to a database.
		telemetry.Delivered(ctx, report.GeneratedAt)
	}
	fmt.Println(measured(reader, "hiring.client.reports.delivered"))
	// Output: [2]
}

// Of a job engine's error handler.
func ExampleTelemetry_JobDiscarded() {
	reader := sdkmetric.NewManualReader()
	telemetry, err := otelhiring.New(
		otelhiring.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))))
	if err != nil {
		log.Fatal(err)
	}

	telemetry.JobDiscarded(context.Background(), "hiring_deliver")
	fmt.Println(measured(reader, "hiring.jobs.discarded"))
	// Output: [1 hiring.job.kind=hiring_deliver]
}

func ExampleTelemetry_Wait() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	reader := sdkmetric.NewManualReader()
	telemetry, err := otelhiring.New(
		otelhiring.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))))
	if err != nil {
		log.Fatal(err)
	}
	client := sandbox.New().Client(hiring.WithProbe(telemetry.Probe()))

	options := hiring.WaitOptions{Progress: func(hiring.WaitProgress) { cancel() }} // The example waits for one round.
	end := telemetry.Wait(&options)
	_, err = client.Submissions.WaitReport(ctx, sandbox.PendingSubmissionID, options)
	fmt.Println(err != nil, measured(reader, "hiring.client.reports.pending"))
	end()
	fmt.Println(measured(reader, "hiring.client.reports.pending"))
	// Output:
	// true [1]
	// []
}

func ExampleTelemetry_Watch() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	reader := sdkmetric.NewManualReader()
	telemetry, err := otelhiring.New(
		otelhiring.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))))
	if err != nil {
		log.Fatal(err)
	}
	client := sandbox.New().Client(hiring.WithProbe(telemetry.Probe()))

	options := hiring.WatchOptions{Progress: func(hiring.WaitProgress) { cancel() }} // The example watches for one round.
	end := telemetry.Watch(&options)
	for submission, err := range client.Submissions.Watch(ctx, options) {
		if err != nil {
			break
		}
		telemetry.Delivered(ctx, submission.EvaluatedAt)
	}
	fmt.Println(len(measured(reader, "hiring.client.reports.pending")))
	end()
	fmt.Println(len(measured(reader, "hiring.client.reports.pending")))
	// Output:
	// 1
	// 0
}
