package main

import (
	"cmp"
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

// operate runs a command of an operator. It prints what was done, or the job and its state: River cancels a running one later.
func operate(ctx context.Context, pool *pgxpool.Pool, command, target string) error {
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Schema: schema})
	if err != nil {
		return err
	}
	id, _ := strconv.ParseInt(target, 10, 64) // No job has the id 0.
	byID := map[string]func(context.Context, int64) (*rivertype.JobRow, error){"retry": client.JobRetry, "cancel": client.JobCancel, "delete": client.JobDelete}
	if change := byID[command]; change != nil {
		job, err := change(ctx, id)
		if err == nil && command == "retry" && job.State == rivertype.JobStateRunning {
			err = fmt.Errorf("job %d is running: nothing was changed", id)
		}
		if err == nil {
			fmt.Printf("%s %d: %s\n", job.Kind, job.ID, job.State)
		}
		return err
	}
	var done string
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) (err error) {
		switch command {
		case "pause":
			done = "its deliveries are paused"
			return jobs.Pause(ctx, client, tx, target)
		case "resume":
			done = "its deliveries start now"
			return jobs.Resume(ctx, client, tx, target)
		case "deliver":
			var known bool
			err = tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM "+schema+".hiring_jobs WHERE organization = $1)", target).Scan(&known)
			if err != nil || !known {
				return cmp.Or(err, fmt.Errorf("organization %q was never polled: check the name", target))
			}
			done = "the delivery starts now"
			return jobs.Deliver(ctx, client, tx, target, flag.Arg(2))
		case "retry-all":
			started, err := jobs.RetryAll(ctx, client, tx, target)
			if err == nil && started == 0 && target != "" {
				return fmt.Errorf("no job of organization %q waits: check the name, and whether it is listed", target)
			}
			done = fmt.Sprintf("%d jobs start now", started)
			return err
		}
		return fmt.Errorf("unknown command %q: it is none of migrate, pause, resume, retry-all, retry, deliver, cancel and delete", command)
	})
	if err == nil {
		fmt.Printf("%s: %s\n", cmp.Or(target, "all organizations"), done)
	}
	return err
}
