package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/otelhiring"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// service is the API, or an embedded sandbox.
type service struct {
	client    *hiring.Client
	telemetry *otelhiring.Telemetry
	watch     hiring.WatchOptions
	fake      *sandbox.Server // Nil for the API.
}

// newService returns the API of the environment variables, or a sandbox without them.
func newService(every time.Duration) (*service, error) {
	s := &service{watch: hiring.WatchOptions{MinInterval: every / 2, MaxInterval: every}}
	url, key, file := os.Getenv("HIRING_BASE_URL"), os.Getenv("HIRING_API_KEY"), os.Getenv("HIRING_API_KEY_FILE")
	if url == "" && key == "" && file == "" {
		s.fake = sandbox.New(sandbox.WithQuota(100_000, 100_000))
		url, key = s.fake.URL(), sandbox.LiveKey
		s.watch.MinInterval, s.watch.MaxInterval = time.Second, 2*time.Second
	}
	reader, err := prometheus.New()
	if err != nil {
		return nil, err
	}
	s.telemetry, err = otelhiring.New(otelhiring.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(reader))))
	if err != nil {
		return nil, err
	}
	options := []hiring.Option{hiring.WithTrace(s.telemetry.TraceOf("acme"))}
	if file != "" {
		options = append(options, hiring.WithKeySource(keyFrom(file)))
	}
	s.client, err = hiring.New(url, key, options...)
	return s, err
}

// keyFrom returns a key source that reads the key from a file before each attempt.
// A rotated key is therefore used without a restart.
func keyFrom(path string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		key, err := os.ReadFile(path)
		return strings.TrimSpace(string(key)), err
	}
}

// evaluate adds a result to the sandbox every second until ctx ends.
func (s *service) evaluate(ctx context.Context) {
	assessment := s.fake.AddAssessment("Backend engineer")
	for n := 1; ctx.Err() == nil; n++ {
		if _, err := s.fake.AddResult(assessment, fmt.Sprintf("candidate-%d@candidates.test", n), sandbox.Result{}); err != nil {
			slog.Error("adding a result failed", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}
