// Command watch shows what otelhiring records: it watches an organization, serves metrics
// for Prometheus and writes spans to standard error. Without
// HIRING_BASE_URL and HIRING_API_KEY it uses an embedded sandbox with a result.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/otelhiring"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, "127.0.0.1:9464", os.Stderr); err != nil {
		log.Fatal("watch: ", err)
	}
}

// run watches until the context ends or an error is not transient. It exports metrics to
// Prometheus's default registry. In production, export spans by OTLP instead.
func run(ctx context.Context, address string, spans io.Writer) (err error) {
	traces, err := stdouttrace.New(stdouttrace.WithWriter(spans))
	if err != nil {
		return err
	}
	metrics, err := exporter.New()
	if err != nil {
		return err
	}
	tracers := sdktrace.NewTracerProvider(sdktrace.WithBatcher(traces))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(metrics))
	telemetry, err := otelhiring.New(otelhiring.WithTracerProvider(tracers), otelhiring.WithMeterProvider(meters))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tracers.Shutdown(context.WithoutCancel(ctx))) }() // Exports the last spans.
	client, err := newClient(telemetry)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: promhttp.Handler(), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }() // Until the program ends.
	fmt.Printf("metrics at http://%s/metrics\n", listener.Addr())
	return watch(ctx, client, telemetry)
}

// newClient returns a client of the API, or of an embedded sandbox.
func newClient(telemetry *otelhiring.Telemetry) (*hiring.Client, error) {
	trace := hiring.WithTrace(telemetry.Trace())
	if os.Getenv("HIRING_BASE_URL") != "" || os.Getenv("HIRING_API_KEY") != "" {
		return hiring.FromEnv(trace)
	}
	server := sandbox.New()
	_, err := server.AddResult(server.AddAssessment("Backend engineer"), "candidate@candidates.test", sandbox.Result{})
	return server.LiveClient(trace), err
}

// watch prints a line for each report, without personal data.
func watch(ctx context.Context, client *hiring.Client, telemetry *otelhiring.Telemetry) error {
	var options hiring.WatchOptions
	defer telemetry.Watch(&options)()
	for submission, err := range client.Submissions.Watch(ctx, options) {
		if errors.Is(err, context.Canceled) {
			return nil // SIGTERM
		}
		if err != nil {
			return err
		}
		telemetry.Delivered(ctx, submission.EvaluatedAt)
		fmt.Println("delivered a report")
	}
	return nil
}
