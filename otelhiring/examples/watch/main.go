// Command watch shows what otelhiring tells: it watches an organization, serves its metrics for Prometheus and, with -spans, writes its
// spans to standard error. Without HIRING_BASE_URL and HIRING_API_KEY it runs on an embedded sandbox in which candidates come and go.
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
	if err := run(ctx, *address, out); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "watch:", err)
		os.Exit(1)
	}
}

// run watches until the context ends or something fails for good.
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

// newTelemetry sends metrics to Prometheus's default registry. A program in
// production sends its spans by OTLP.
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
			fmt.Fprintln(os.Stderr, "watch: the last spans and metrics are lost:", err)
		}
	}, err
}

// newClient is the service's, or that of a sandbox that lives by itself.
func newClient(ctx context.Context, telemetry *otelhiring.Telemetry) (*hiring.Client, error) {
	probe := hiring.WithProbe(telemetry.Probe())
	if os.Getenv("HIRING_BASE_URL") != "" || os.Getenv("HIRING_API_KEY") != "" {
		return hiring.FromEnv(probe)
	}
	server := sandbox.New(sandbox.WithTimeline(sandbox.Timeline{Open: time.Second, Begin: time.Second, Submit: time.Second, Evaluate: time.Second}))
	assessment := server.AddAssessment("Backend engineer")
	recruiter := server.LiveClient()
	go func() {
		for n := 1; ; n++ {
			candidate := hiring.NewInvitation{Email: fmt.Sprintf("candidate-%d@candidates.test", n), Name: fmt.Sprint("Candidate ", n)}
			if _, err := recruiter.Invitations.Send(ctx, assessment, candidate); err != nil {
				return // The context ended, or the hour's writes are used up.
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Minute):
			}
		}
	}()
	return server.LiveClient(probe), nil
}

func serveMetrics(ctx context.Context, address string) (stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.Handler())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }() // It ends with Close alone.
	fmt.Printf("metrics at http://%s/metrics\n", listener.Addr())
	return func() { _ = server.Close() }, nil
}

// watch tells of each report that it was delivered, and names nobody.
func watch(ctx context.Context, client *hiring.Client, telemetry *otelhiring.Telemetry) error {
	var options hiring.WatchOptions
	defer telemetry.Watch(&options)()
	for submission, err := range client.Submissions.Watch(ctx, options) {
		if err != nil {
			return err
		}
		telemetry.Delivered(ctx, submission.EvaluatedAt)
		fmt.Println("delivered a report")
	}
	return nil
}
