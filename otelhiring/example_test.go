package otelhiring_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/otelhiring"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Spans and metrics go to the global providers unless options set others.
func ExampleNew() {
	telemetry, err := otelhiring.New(otelhiring.WithOrganization("acme"))
	if err != nil {
		log.Fatal(err)
	}
	client, err := hiring.New("https://hiring.example.com", "sk_test_0123456789", hiring.WithTrace(telemetry.Trace()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.Environment())
	// Output: test
}

// line formats a data point as its value and its attributes.
func line(point metricdata.DataPoint[int64]) string {
	return strings.TrimSpace(fmt.Sprint(point.Value, " ", point.Attributes.Encoded(attribute.DefaultEncoder())))
}

// measured returns the values of one metric, with their attributes.
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

// newTelemetry returns a Telemetry, and a reader of its metrics.
func newTelemetry() (*otelhiring.Telemetry, *sdkmetric.ManualReader) {
	reader := sdkmetric.NewManualReader()
	telemetry, err := otelhiring.New(
		otelhiring.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))))
	if err != nil {
		log.Fatal(err)
	}
	return telemetry, reader
}

// The program calls Delivered for each report that it has handled.
func ExampleTelemetry_Delivered() {
	ctx := context.Background()
	telemetry, reader := newTelemetry()
	client := sandbox.New().Client(hiring.WithTrace(telemetry.Trace()))

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

// A program that calls Poll itself reports when the next poll is due.
func ExampleTelemetry_PollDue() {
	ctx := context.Background()
	telemetry, _ := newTelemetry()
	client := sandbox.New().Client(hiring.WithTrace(telemetry.Trace()))

	telemetry.PollDue(ctx, "acme", time.Now())
	polled, err := client.Submissions.Poll(ctx, "", hiring.WatchOptions{})
	if err != nil {
		log.Fatal(err)
	}
	telemetry.PollDue(ctx, "acme", time.Now().Add(polled.Wait))
	fmt.Println(polled.More)
	// Output: false
}

// Clients of several organizations share one Telemetry.
func ExampleTelemetry_TraceOf() {
	telemetry, reader := newTelemetry()
	client := sandbox.New().Client(hiring.WithTrace(telemetry.TraceOf("acme")))

	if _, err := client.Account.Get(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(measured(reader, "hiring.client.quota.limit"))
	// Output: [1000 hiring.organization=acme,hiring.quota.class=read,server.address=sandbox.invalid]
}

func ExampleTelemetry_Wait() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	telemetry, reader := newTelemetry()
	client := sandbox.New().Client(hiring.WithTrace(telemetry.Trace()))

	options := hiring.WaitOptions{Progress: func(hiring.WaitProgress) { cancel() }} // The example ends after one poll.
	end := telemetry.Wait(&options)
	_, err := client.Submissions.WaitReport(ctx, sandbox.PendingSubmissionID, options)
	fmt.Println(err != nil, measured(reader, "hiring.client.reports.pending"))
	end()
	fmt.Println(measured(reader, "hiring.client.reports.pending"))
	// Output:
	// true [1]
	// []
}

func ExampleWithAttributes() {
	reader := sdkmetric.NewManualReader()
	telemetry, err := otelhiring.New(
		otelhiring.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))),
		otelhiring.WithAttributes(attribute.String("team", "recruiting")))
	if err != nil {
		log.Fatal(err)
	}

	telemetry.Delivered(context.Background(), nil)
	fmt.Println(measured(reader, "hiring.client.reports.delivered"))
	// Output: [1 team=recruiting]
}

// A package with metrics of its own uses the meter and the attributes of a Telemetry, as jobsotel of module jobs does.
func ExampleTelemetry_Meter() {
	telemetry, reader := newTelemetry()

	imported, err := telemetry.Meter().Int64Counter("example.imported")
	if err != nil {
		log.Fatal(err)
	}
	imported.Add(context.Background(), 2, telemetry.Attributes("acme"))
	fmt.Println(measured(reader, "example.imported"))
	// Output: [2 hiring.organization=acme]
}
