package main

import (
	"context"
	"flag"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/hiring-assessment/hiring-go/jobs"
)

// watched selects the row of the polls of an organization.
const watched = " FROM " + schema + ".hiring_jobs WHERE organization = $1 AND assessment_id = '' AND address = ''"

// paused selects the row that pauses its deliveries.
const paused = " FROM " + schema + ".hiring_jobs WHERE organization = $1 AND status = 'paused'"

// operate runs a command of an operator. It prints what was done, or the job and its state: River cancels a running one later.
func operate(ctx context.Context, pool *pgxpool.Pool, command, target string) error {
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Schema: schema})
	if err != nil {
		return err
	}
	var job *rivertype.JobRow
	var done string                           // What a command did to the organization.
	id, _ := strconv.ParseInt(target, 10, 64) // No job has the id 0.
	switch command {
	case "pause":
		err = find(ctx, pool, target, "was never polled", "INSERT INTO "+schema+".hiring_jobs (organization, assessment_id, address, status, detail) SELECT organization, '', ' receiver', 'paused', 'by hand'"+
			watched+" ON CONFLICT (organization, assessment_id, address) DO UPDATE SET status = excluded.status")
		done = "its deliveries are paused"
	case "resume":
		err = find(ctx, pool, target, "is not paused", "DELETE"+paused)
		done = "its deliveries follow within five minutes"
	case "deliver":
		done = "the delivery starts now"
		if find(ctx, pool, target, "is not paused", "SELECT"+paused) == nil {
			done += ", and the pause has ended"
		}
		if err = find(ctx, pool, target, "was never polled", "SELECT"+watched); err == nil {
			err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return jobs.Deliver(ctx, client, tx, target, flag.Arg(2)) })
		}
	case "retry":
		job, err = client.JobRetry(ctx, id)
	case "retry-all":
		if err = find(ctx, pool, target, "is unknown", "SELECT FROM "+schema+".hiring_jobs WHERE $1 IN ('', organization)"); err == nil {
			err = retryAll(ctx, client, target)
		}
	case "cancel":
		job, err = client.JobCancel(ctx, id)
	case "delete":
		job, err = client.JobDelete(ctx, id)
	default:
		err = fmt.Errorf("unknown command %q: it is none of migrate, pause, resume, retry-all, retry, deliver, cancel and delete", command)
	}
	switch {
	case err == nil && job != nil:
		fmt.Printf("%s %d: %s\n", job.Kind, job.ID, job.State)
	case err == nil && done != "":
		fmt.Printf("%s: %s\n", target, done)
	}
	return err
}

// find runs a statement that needs a row of an organization. Without one it returns the problem.
func find(ctx context.Context, pool *pgxpool.Pool, organization, problem, statement string) error {
	found, err := pool.Exec(ctx, statement, organization)
	if err == nil && found.RowsAffected() == 0 {
		err = fmt.Errorf("organization %q %s", organization, problem)
	}
	return err
}

// retryAll starts all waiting polls and runs of invitations of an organization now, all deliveries that are
// not completed, and the jobs that keep the others going. An empty name means all organizations.
func retryAll(ctx context.Context, client *river.Client[pgx.Tx], organization string) error {
	params := river.NewJobListParams().First(1000).
		States(rivertype.JobStateAvailable, rivertype.JobStateCancelled, rivertype.JobStateDiscarded, rivertype.JobStateRetryable, rivertype.JobStateScheduled).
		Where("(kind = 'hiring_delivery' OR kind IN ('hiring_poll', 'hiring_invitations', 'hiring_health') AND finalized_at IS NULL) AND @organization IN ('', coalesce(args->>'organization', @organization))",
			river.NamedArgs{"organization": organization})
	for n := 0; ; {
		list, err := client.JobList(ctx, params)
		if err != nil {
			return err
		}
		for _, job := range list.Jobs {
			if _, err := client.JobRetry(ctx, job.ID); err != nil {
				return err
			}
		}
		if n += len(list.Jobs); len(list.Jobs) < 1000 {
			fmt.Println(n, "jobs start now")
			return nil
		}
		params = params.After(list.LastCursor)
	}
}
