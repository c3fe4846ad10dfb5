package otelhiring_test

import (
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/otelhiring"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// BenchmarkReport reads a report in-process: without telemetry, with metrics only
// (no span is sampled), and with metrics and spans.
func BenchmarkReport(b *testing.B) {
	for _, c := range []struct {
		name    string
		sampler sdktrace.Sampler
	}{{"without", nil}, {"metrics", sdktrace.NeverSample()}, {"metrics and spans", sdktrace.AlwaysSample()}} {
		b.Run(c.name, func(b *testing.B) {
			var options []hiring.Option
			if c.sampler != nil {
				telemetry, err := otelhiring.New(
					otelhiring.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSampler(c.sampler))),
					otelhiring.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))))
				if err != nil {
					b.Fatal(err)
				}
				options = append(options, hiring.WithTrace(telemetry.Trace()))
			}
			client := sandbox.Start(b, sandbox.WithQuota(1_000_000_000, 1)).Client(options...)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := client.Submissions.Report(b.Context(), sandbox.SubmissionID); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
