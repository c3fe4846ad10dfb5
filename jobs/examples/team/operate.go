package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// operate runs a command of an operator.
func operate(ctx context.Context, pool *pgxpool.Pool, command, target string) error {
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Schema: schema})
	if err != nil {
		return err
	}
	id, _ := strconv.ParseInt(target, 10, 64) // No job has the id 0.
	switch command {
	case "pause":
		_, err = pool.Exec(ctx, "INSERT INTO "+schema+".hiring_jobs (organization, assessment_id, address, status, detail) VALUES ($1, '', ' receiver', 'paused', 'by hand') ON CONFLICT DO NOTHING", target)
	case "resume":
		_, err = pool.Exec(ctx, "DELETE FROM "+schema+".hiring_jobs WHERE organization = $1 AND status = 'paused'", target)
	case "retry":
		_, err = client.JobRetry(ctx, id)
	case "retry-all":
		err = retryAll(ctx, client, target)
	case "cancel":
		_, err = client.JobCancel(ctx, id)
	case "delete":
		_, err = client.JobDelete(ctx, id)
	default:
		err = fmt.Errorf("unknown command %q", command)
	}
	return err
}

// retryAll starts all waiting polls and runs of invitations of an organization now, and all deliveries that are
// not completed. An empty name means all organizations.
func retryAll(ctx context.Context, client *river.Client[pgx.Tx], organization string) error {
	params := river.NewJobListParams().First(1000).
		States(rivertype.JobStateAvailable, rivertype.JobStateCancelled, rivertype.JobStateDiscarded, rivertype.JobStateRetryable, rivertype.JobStateScheduled).
		Where("(kind = 'hiring_delivery' OR kind IN ('hiring_poll', 'hiring_invitations') AND finalized_at IS NULL) AND @organization IN ('', args->>'organization')",
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
