// Command watch shows what otelhiring records: it watches an organization, serves metrics
// for Prometheus and, with -spans, writes spans to standard error. Without
// HIRING_BASE_URL and HIRING_API_KEY it uses an embedded sandbox with a new candidate
// every minute.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
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
	address := flag.String("listen", "127.0.0.1:9464", "the address of /metrics")
	spans := flag.Bool("spans", false, "write spans to standard error")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	out := io.Discard
	if *spans {
		out = os.Stderr
	}
	if err := run(ctx, *address, out); err != nil {
		fmt.Fprintln(os.Stderr, "watch:", err)
		os.Exit(1)
	}
}

// run watches until the context ends or an error is not transient.
func run(ctx context.Context, address string, spans io.Writer) error {
	telemetry, end, err := newTelemetry(spans)
	if err != nil {
		return err
	}
	defer end(context.WithoutCancel(ctx))
	client, err := newClient(ctx, telemetry)
	if err != nil {
		return err
	}
	stop, err := serveMetrics(ctx, address)
	if err != nil {
		return err
	}
	defer stop()
	return watch(ctx, client, telemetry)
}

// newTelemetry exports metrics to Prometheus's default registry. In production,
// export spans by OTLP instead.
func newTelemetry(spans io.Writer) (telemetry *otelhiring.Telemetry, end func(context.Context), err error) {
	traces, err := stdouttrace.New(stdouttrace.WithWriter(spans))
	if err != nil {
		return nil, nil, err
	}
	metrics, err := exporter.New()
	if err != nil {
		return nil, nil, err
	}
	tracers := sdktrace.NewTracerProvider(sdktrace.WithBatcher(traces))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(metrics))
	telemetry, err = otelhiring.New(otelhiring.WithTracerProvider(tracers), otelhiring.WithMeterProvider(meters))
	return telemetry, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if err := errors.Join(tracers.Shutdown(ctx), meters.Shutdown(ctx)); err != nil {
			fmt.Fprintln(os.Stderr, "watch: exporting the last spans and metrics failed:", err)
		}
	}, err
}

// newClient returns a client of the API, or of an embedded sandbox.
func newClient(ctx context.Context, telemetry *otelhiring.Telemetry) (*hiring.Client, error) {
	trace := hiring.WithTrace(telemetry.Trace())
	if os.Getenv("HIRING_BASE_URL") != "" || os.Getenv("HIRING_API_KEY") != "" {
		return hiring.FromEnv(trace)
	}
	server := sandbox.New(sandbox.WithTimeline(sandbox.Timeline{Open: time.Second, Begin: time.Second, Submit: time.Second,
		Evaluate: time.Second}))
	assessment := server.AddAssessment("Backend engineer")
	recruiter := server.LiveClient()
	go func() {
		for n := 1; ; n++ {
			candidate := hiring.NewInvitation{Email: fmt.Sprintf("candidate-%d@candidates.test", n), Name: fmt.Sprint("Candidate ", n)}
			if _, err := recruiter.Invitations.Send(ctx, assessment, candidate); err != nil {
				return // The context ended, or the rate limit of writes is used up.
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Minute):
			}
		}
	}()
	return server.LiveClient(trace), nil
}

func serveMetrics(ctx context.Context, address string) (stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.Handler())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }() // Serve returns when Close is called.
	fmt.Printf("metrics at http://%s/metrics\n", listener.Addr())
	return func() { _ = server.Close() }, nil
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
