package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
)

// operate runs a command of an operator. It prints what was done, and the overview, because deliveries that start may wait for the end of
// a pause. Of a job that is cancelled it prints the state: River cancels a running one later.
func operate(ctx context.Context, pool *pgxpool.Pool, command, target string) error {
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Schema: schema})
	if err != nil {
		return err
	}
	byID := map[string]func(context.Context, int64) (*rivertype.JobRow, error){"cancel": client.JobCancel, "delete": client.JobDelete}
	if change := byID[command]; change != nil {
		id, err := strconv.ParseInt(target, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not the id of a job, which is a number: `hiring-team late` with an organization shows the ids", target)
		}
		job, err := change(ctx, id)
		switch {
		case err != nil:
			return err
		case command == "delete":
			job.State = "deleted"
		case job.State == rivertype.JobStateRunning:
			job.State += ", it ends with its handler, or six minutes after its start if its process has died"
		}
		fmt.Printf("%s %d: %s\n", job.Kind, job.ID, job.State)
		return nil
	}
	var done string
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) (err error) {
		if err := checkName(ctx, tx.QueryRow, target); err != nil {
			return err
		}
		switch command {
		case "invite":
			if err := checkUUID("an assessment", flag.Arg(2)); err != nil {
				return err
			}
			var added int
			added, err = jobs.Invite(ctx, client, tx, target, flag.Arg(2), []hiring.NewInvitation{{Email: flag.Arg(3), Name: flag.Arg(4)}}, jobs.InviteOptions{})
			done = []string{"nothing is queued: the address was invited before", "the invitation is queued"}[added]
		case "pause":
			done, err = "its deliveries are paused", jobs.Pause(ctx, client, tx, target)
		case "resume":
			done, err = "its deliveries start now", jobs.Resume(ctx, client, tx, target)
		case "deliver":
			if err := checkUUID("a submission", flag.Arg(2)); err != nil {
				return err
			}
			done, err = "a worker delivers it now, or gives it up if the API does not have it: look at GIVEN UP in a minute. A running delivery, which late shows, goes on", jobs.Deliver(ctx, client, tx, target, flag.Arg(2))
		case "retry-all":
			var started int
			started, err = jobs.RetryAll(ctx, client, tx, target)
			done = fmt.Sprintf("%d jobs start now: those that wait for their time, and deliveries that were given up, also with an unknown id. The effect is in the overview in about a minute", started)
		}
		return err
	})
	if err == nil {
		fmt.Printf("%s: %s\n\n", cmp.Or(target, "all organizations"), done)
		err = overview(ctx, pool, target)
	}
	return err
}

// checkUUID returns an error for a text that is not the id of something of the API.
func checkUUID(of, id string) error {
	if new(pgtype.UUID).Scan(id) != nil {
		return fmt.Errorf("%q is not the id of %s, which is a UUID: the log, alerts.sql and the API show the ids", id, of)
	}
	return nil
}

//go:embed overview.sql
var overviewSQL string

//go:embed late.sql
var lateSQL string

//go:embed rights.sql
var rightsSQL string

// overview prints which process leads, and a line for an organization, or for each if the name is empty.
func overview(ctx context.Context, pool *pgxpool.Pool, organization string) error {
	leads, readOnly, now := "the database is read-only: no job runs", false, time.Time{}
	err := pool.QueryRow(ctx, "SELECT CAST(current_setting('transaction_read_only') AS boolean), now()").Scan(&readOnly, &now)
	if err == nil && !readOnly { // A standby cannot read river_leader.
		err = pool.QueryRow(ctx, "SELECT coalesce((SELECT leader_id || ' leads' FROM hiring.river_leader WHERE expires_at > now()), 'no process leads: none runs')").Scan(&leads)
	}
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s\n\n", now.UTC().Format(time.RFC3339), leads)
	return show(ctx, pool, "ORGANIZATION\tSTATE\tSINCE LAST POLL\tFAILED JOBS\tGIVEN UP\tOLDEST UNDELIVERED\tINVITATIONS\tREJECTED IN A DAY", overviewSQL, organization)
}

// checkName returns an error for the name of an organization that has neither rows nor jobs. An empty name means all organizations.
func checkName(ctx context.Context, queryRow func(context.Context, string, ...any) pgx.Row, organization string) error {
	const query = "SELECT $1 = '' OR EXISTS (SELECT FROM hiring.hiring_jobs WHERE organization = $1) OR EXISTS (SELECT FROM hiring.river_job WHERE args->>'organization' = $1)"
	var known bool
	if err := queryRow(ctx, query, organization).Scan(&known); err != nil || known {
		return err
	}
	return fmt.Errorf("organization %q was never polled: check the name", organization)
}

// show prints the lines of a query for an organization below a header, all with tabs between the columns.
func show(ctx context.Context, pool *pgxpool.Pool, header, query, organization string) error {
	ctx, stop := context.WithTimeoutCause(ctx, 10*time.Second, errors.New("the query waited for 10 s: pg_stat_activity and pg_locks show which transaction holds the lock"))
	defer stop()
	if err := checkName(ctx, pool.QueryRow, organization); err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	rows, _ := pool.Query(ctx, query, organization) // CollectRows returns its error.
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, strings.Join(append([]string{header}, lines...), "\n"))
	return errors.Join(err, context.Cause(ctx), table.Flush())
}
