package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/riverqueue/river"
	"go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/jobs/jobsotel"
	"github.com/hiring-assessment/hiring-go/otelhiring"
)

// work runs the jobs of one organization until ctx ends.
func work(ctx context.Context, pool *pgxpool.Pool) error {
	reader, err := prometheus.New() // Adds the metrics to Prometheus's default registry.
	if err != nil {
		return err
	}
	telemetry, err := otelhiring.New(otelhiring.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(reader))))
	if err != nil {
		return err
	}
	client, err := newClient(telemetry)
	if err != nil {
		return err
	}
	checkCtx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	var missing string // River's workers would start, and run no job.
	if err := pool.QueryRow(checkCtx, rightsSQL).Scan(&missing); err != nil || missing != "" {
		return cmp.Or(err, fmt.Errorf("the role of DATABASE_URL lacks rights: as the owner of the tables, run: %s", missing))
	}
	if _, err := client.Account.Get(checkCtx); err != nil && !hiring.IsTransient(err) {
		return fmt.Errorf("organization acme, with the key of HIRING_API_KEY_FILE=%q: %w", os.Getenv("HIRING_API_KEY_FILE"), err)
	}
	jobTelemetry, err := jobsotel.New(telemetry)
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	config := &river.Config{
		ID:     fmt.Sprintf("%s-%d", host, os.Getpid()),               // The log and attempted_by of a job name the process.
		Schema: schema, Logger: log, SoftStopTimeout: 5 * time.Second, // The program ends seven seconds after SIGTERM at the latest.
	}
	db := jobs.Postgres(pool)
	organizations := []jobs.Organization{{Name: "acme", Client: client, Watch: hiring.WatchOptions{MinInterval: *every / 2, MaxInterval: *every}}}
	err = errors.Join(
		jobs.Watch(config, db, jobs.Results[pgx.Tx]{Organizations: organizations, Handle: store, Telemetry: jobTelemetry}),
		jobs.SendInvitations(config, db, jobs.Invitations{Organizations: organizations, Telemetry: jobTelemetry}),
	)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *metrics)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: promhttp.Handler(), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // Until the program ends.
	fmt.Printf("Metrics: http://%s/metrics\nCtrl-C stops.\n\n", listener.Addr())
	return jobs.Run(ctx, db, config)
}

var out io.Writer = os.Stdout // Of the handler.

// store is the handler. It stores a result exactly once, because the same transaction
// completes the job.
func store(ctx context.Context, tx pgx.Tx, d jobs.Delivery) error {
	name := strings.ReplaceAll(d.Submission.Candidate.Name, "\x00", "") // PostgreSQL's text cannot hold NUL.
	_, err := tx.Exec(ctx, "INSERT INTO results (submission_id, candidate, score) VALUES ($1, $2, $3) ON CONFLICT (submission_id) DO UPDATE SET score = excluded.score",
		d.Submission.ID, name, d.Report.ShipScore)
	if err == nil {
		score := "not enough data"
		if n, ok := d.Report.Score(); ok {
			score = fmt.Sprint(n)
		}
		_, _ = fmt.Fprintf(out, "%s  %-12q %3s  %s\n", time.Now().Format(time.TimeOnly), name, score, d.Report.VerdictLabel)
	}
	return err
}
