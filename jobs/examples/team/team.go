package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/jobs/jobsotel"
)

// team runs the jobs of one organization.
type team[D riverdriver.Driver[TTx], TTx any] struct {
	settings

	service *service
	driver  D
	begin   func(ctx context.Context, do func(tx TTx) error) error
	exec    func(ctx context.Context, tx TTx, query string, args ...any) error
}

const results = `CREATE TABLE IF NOT EXISTS results (
	submission_id text PRIMARY KEY,
	candidate text NOT NULL,
	score integer
)`

func (t *team[D, TTx]) run(ctx context.Context) error {
	if err := jobs.Migrate(ctx, t.driver, nil); err != nil {
		return err
	}
	if err := t.createResults(ctx); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	config := &river.Config{Logger: log, SoftStopTimeout: 5 * time.Second}
	organizations := []jobs.Organization{{Name: "acme", Client: t.service.client, Watch: t.service.watch}}
	if err := jobs.Watch[D](config, jobs.Results[TTx]{Organizations: organizations, Handle: t.store, Telemetry: jobsotel.New(t.service.telemetry)}); err != nil {
		return err
	}
	if err := jobs.SendInvitations[D, TTx](config, jobs.Invitations{Organizations: organizations, Telemetry: jobsotel.New(t.service.telemetry)}); err != nil {
		return err
	}
	client, err := river.NewClient(t.driver, config)
	if err != nil {
		return err
	}
	page, err := serveRiver(ctx, t.listen, client, log)
	if err != nil {
		return err
	}
	defer page.close()
	metrics, err := serveMetrics(ctx, t.metrics, log)
	if err != nil {
		return err
	}
	defer metrics.close()
	fmt.Printf("River's page: http://%s/\nMetrics: http://%s/metrics\nCtrl-C stops.\n\n", page.address, metrics.address)
	if err := client.Start(ctx); err != nil { // The workers stop when ctx ends.
		return err
	}
	err = t.invite(ctx, client)
	<-client.Stopped()
	fmt.Println("stopped")
	return err
}

// createResults creates the table of results. When several processes do so at once,
// PostgreSQL rejects all but one, and a second attempt finds the table.
func (t *team[D, TTx]) createResults(ctx context.Context) error {
	create := func(tx TTx) error { return t.exec(ctx, tx, results) }
	if t.begin(ctx, create) == nil {
		return nil
	}
	return t.begin(ctx, create)
}

// store is the handler. It stores a result exactly once, because the same transaction
// completes the job.
func (t *team[D, TTx]) store(ctx context.Context, tx TTx, d jobs.Delivery) error {
	err := t.exec(ctx, tx, "INSERT INTO results (submission_id, candidate, score) VALUES ($1, $2, $3)",
		d.Submission.ID, d.Submission.Candidate.Name, d.Report.ShipScore)
	if err == nil {
		score, _ := d.Report.Score()
		fmt.Printf("%s  %-12q %3d  %s\n", time.Now().Format(time.TimeOnly), d.Submission.Candidate.Name, score, d.Report.VerdictLabel)
	}
	return err
}

// invite invites a candidate of the sandbox every second until ctx ends.
func (t *team[D, TTx]) invite(ctx context.Context, client *river.Client[TTx]) error {
	names := []string{"Ada", "Grace", "Edsger", "Barbara", "Tony", "Frances", "Donald", "Margaret"}
	for n := 0; t.service.fake != nil; n++ {
		name := names[n%len(names)]
		candidate := hiring.NewInvitation{Email: fmt.Sprintf("%s-%d@candidates.test", name, n), Name: name}
		err := t.begin(ctx, func(tx TTx) error { // A program can also write its own rows in this transaction.
			_, err := jobs.Invite(ctx, client, tx, "acme", t.service.assessment, candidate)
			return err
		})
		if err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second):
		}
	}
	<-ctx.Done()
	return nil
}
