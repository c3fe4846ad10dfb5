package jobs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/jobs/jobsotel"
	"github.com/hiring-assessment/hiring-go/otelhiring"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Environment variables of a worker process.
const (
	roleVariable     = "HIRING_JOBS_TEST_ROLE"
	databaseVariable = "HIRING_JOBS_TEST_DATABASE"
	serviceVariable  = "HIRING_JOBS_TEST_SERVICE"
	nameVariable     = "HIRING_JOBS_TEST_NAME"
	untilVariable    = "HIRING_JOBS_TEST_UNTIL"
	settingsVariable = "HIRING_JOBS_TEST_SETTINGS" // The JSON of workerSettings. May be empty.
)

// workerSettings are the optional settings of a worker process.
type workerSettings struct {
	Metrics       string        `json:"metrics"`       // Address of the metrics.
	Webhook       string        `json:"webhook"`       // URL of a receiver of results.
	Organizations []string      `json:"organizations"` // Names of organizations besides acme.
	Production    bool          `json:"production"`    // Default intervals and timeouts.
	Snooze        time.Duration `json:"snooze"`        // The handler snoozes each delivery instead of storing the result.
}

// keyOf returns the API key of an organization.
func keyOf(organization string) string {
	if organization == "acme" {
		return sandbox.LiveKey
	}
	return "sk_live_" + organization
}

// runWorker is the program of a worker process. It runs until the process is killed. The
// status is 1 when it cannot start.
func runWorker() (status int) {
	ctx := context.Background()
	database := os.Getenv(databaseVariable)
	var err error
	if strings.HasPrefix(database, "postgres") {
		s, _, openErr := openPostgres(ctx, database)
		err = openErr
		if err == nil {
			err = runWorkerOn(ctx, s)
		}
	} else {
		s, _, openErr := openSQLite(database)
		err = openErr
		if err == nil {
			err = runWorkerOn(ctx, s)
		}
	}
	if err == nil {
		fmt.Fprintln(os.Stderr, "the workers stopped by themselves")
		return 2
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func runWorkerOn[D riverdriver.Driver[TTx], TTx any](ctx context.Context, s *store[D, TTx]) error {
	var set workerSettings
	if text := os.Getenv(settingsVariable); text != "" {
		if err := json.Unmarshal([]byte(text), &set); err != nil {
			return err
		}
	}
	telemetry, err := serveMetrics(set.Metrics)
	if err != nil {
		return err
	}
	watch := hiring.WatchOptions{Since: time.Now().Add(-4 * time.Hour), MinInterval: 10 * time.Second, MaxInterval: 20 * time.Second}
	config := &river.Config{ID: os.Getenv(nameVariable), TestOnly: true, Logger: slog.New(slog.DiscardHandler)}
	if !set.Production {
		watch.MinInterval, watch.MaxInterval = time.Second, time.Second
		config.JobTimeout, config.RescueStuckJobsAfter = 15*time.Second, 16*time.Second
		jobs.ShortenInvitationTimes(12*time.Second, 2*time.Second)
	}
	var organizations []jobs.Organization
	for _, name := range append([]string{"acme"}, set.Organizations...) {
		client, err := hiring.New(os.Getenv(serviceVariable), keyOf(name), hiring.WithTrace(telemetry.TraceOf(name)),
			hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
				if e.Operation == "Submissions.List" && shouldDie(0.03) {
					time.AfterFunc(time.Duration(rand.IntN(10))*time.Millisecond, killSelf) // Before or after the poll is committed.
				}
			}))
		if err != nil {
			return err
		}
		organizations = append(organizations, jobs.Organization{Name: name, Client: client, Watch: watch})
	}
	results := jobs.Results[TTx]{
		Organizations: organizations,
		Telemetry:     jobsotel.New(telemetry),
		Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			if set.Snooze > 0 {
				return river.JobSnooze(set.Snooze)
			}
			err := s.insertResult(ctx, tx, d)
			if shouldDie(0.001) {
				killSelf()
			}
			return err
		},
	}
	if !set.Production {
		results.Retry.First, results.Retry.Max = time.Second, 4*time.Second
	}
	if set.Webhook != "" {
		hook, err := jobs.NewWebhook(set.Webhook, jobs.WebhookOptions{Secrets: []string{secret}, AllowPrivate: true})
		if err != nil {
			return err
		}
		results.Send = hook.Send
	}
	if err := jobs.Watch[D](config, results); err != nil {
		return err
	}
	if err := jobs.SendInvitations[D, TTx](config, jobs.Invitations{Organizations: organizations, Telemetry: jobsotel.New(telemetry)}); err != nil {
		return err
	}
	workers, err := river.NewClient(s.driver, config)
	if err != nil {
		return err
	}
	if err := workers.Start(ctx); err != nil {
		return err
	}
	<-workers.Stopped()
	return nil
}

// serveMetrics returns a telemetry, and serves its metrics if there is an address.
func serveMetrics(address string) (*otelhiring.Telemetry, error) {
	exporter, err := prometheus.New()
	if err != nil {
		return nil, err
	}
	if address != "" {
		server := &http.Server{Addr: address, Handler: promhttp.Handler(), ReadHeaderTimeout: time.Minute}
		go func() { fmt.Fprintln(os.Stderr, server.ListenAndServe()) }()
	}
	return otelhiring.New(otelhiring.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(exporter))))
}

// shouldDie returns true with a probability, and false after the time in untilVariable.
func shouldDie(probability float64) bool {
	until, err := strconv.ParseInt(os.Getenv(untilVariable), 10, 64)
	return err == nil && time.Now().UnixMilli() < until && rand.Float64() < probability
}

func killSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
}
