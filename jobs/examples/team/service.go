package main

import (
	"context"
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
	url, key  string

	fake       *sandbox.Server // Nil for the API.
	assessment string          // The assessment of the sandbox.
}

// newService returns the API of the environment variables. Without them it returns a
// sandbox whose candidates finish within seconds.
func newService(every time.Duration) (*service, error) {
	s := &service{
		url: os.Getenv("HIRING_BASE_URL"), key: os.Getenv("HIRING_API_KEY"),
		watch: hiring.WatchOptions{MinInterval: every / 2, MaxInterval: every},
	}
	file := os.Getenv("HIRING_API_KEY_FILE")
	if s.url == "" && s.key == "" && file == "" {
		s.fake = sandbox.New(
			sandbox.WithQuota(100_000, 100_000),
			sandbox.WithTimeline(sandbox.Timeline{Open: time.Second, Begin: time.Second, Submit: 2 * time.Second, Evaluate: time.Second}),
		)
		s.assessment = s.fake.AddAssessment("Backend engineer")
		s.url, s.key = s.fake.URL(), sandbox.LiveKey
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
	s.client, err = hiring.New(s.url, s.key, options...)
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

func (s *service) close() {
	if s.fake != nil {
		s.fake.Close()
	}
}
