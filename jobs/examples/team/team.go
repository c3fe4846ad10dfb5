package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/riverqueue/river"
	"riverqueue.com/riverui"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/jobs/jobsotel"
)

// team runs the jobs of one organization.
type team[TTx any] struct {
	service   *service
	database  jobs.Database[TTx]
	schema    string // Empty means the first one of the search_path.
	newClient func(*river.Config) (*river.Client[TTx], error)
	exec      func(ctx context.Context, tx TTx, query string, args ...any) error
}

const results = `CREATE TABLE IF NOT EXISTS results (
	submission_id text PRIMARY KEY,
	candidate text NOT NULL,
	score integer
)`

// stopTimeout is the longest time from SIGTERM to the end of the program.
const stopTimeout = 7 * time.Second

func (t *team[TTx]) run(ctx context.Context) error {
	host, _ := os.Hostname()
	telemetry, err := jobsotel.New(t.service.telemetry)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	config := &river.Config{
		ID:     fmt.Sprintf("%s-%d", host, os.Getpid()), // The log and attempted_by of a job name the process.
		Schema: t.schema, Logger: log, SoftStopTimeout: stopTimeout - 2*time.Second,
	}
	organizations := []jobs.Organization{{Name: "acme", Client: t.service.client, Watch: t.service.watch}}
	if err := jobs.Watch(config, t.database, jobs.Results[TTx]{Organizations: organizations, Handle: t.store, Telemetry: telemetry}); err != nil {
		return err
	}
	if err := jobs.SendInvitations(config, t.database, jobs.Invitations{Organizations: organizations, Telemetry: telemetry}); err != nil {
		return err
	}
	client, err := t.newClient(config)
	if err != nil {
		return err
	}
	// River's page shows the contents of jobs, so in production it needs a login.
	page, err := riverui.NewHandler(&riverui.HandlerOpts{Endpoints: riverui.NewEndpoints(client, nil), Logger: log})
	if err == nil {
		err = page.Start(ctx)
	}
	if err != nil {
		return err
	}
	pageAddress, err := serve(ctx, *listen, page)
	if err != nil {
		return err
	}
	metricsAddress, err := serve(ctx, *metrics, promhttp.Handler())
	if err != nil {
		return err
	}
	fmt.Printf("River's page: http://%s/\nMetrics: http://%s/metrics\nCtrl-C stops.\n\n", pageAddress, metricsAddress)
	if err := client.Start(ctx); err != nil { // The workers stop when ctx ends.
		return err
	}
	if t.service.fake != nil {
		t.service.evaluate(ctx)
	}
	<-ctx.Done()
	select {
	case <-client.Stopped():
	case <-time.After(stopTimeout): // A handler hangs. River rescues its delivery after six minutes.
	}
	fmt.Println("stopped")
	return nil
}

// serve serves a page until the program ends.
func serve(ctx context.Context, listen string, handler http.Handler) (address string, err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().String(), nil
}

var out io.Writer = os.Stdout // Of the handler.

// store is the handler. It stores a result exactly once, because the same transaction
// completes the job.
func (t *team[TTx]) store(ctx context.Context, tx TTx, d jobs.Delivery) error {
	err := t.exec(ctx, tx, "INSERT INTO results (submission_id, candidate, score) VALUES ($1, $2, $3) ON CONFLICT (submission_id) DO UPDATE SET score = excluded.score",
		d.Submission.ID, d.Submission.Candidate.Name, d.Report.ShipScore)
	if err == nil {
		score, _ := d.Report.Score()
		_, _ = fmt.Fprintf(out, "%s  %-12q %3d  %s\n", time.Now().Format(time.TimeOnly), d.Submission.Candidate.Name, score, d.Report.VerdictLabel)
	}
	return err
}
