package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// Status is what became of a row of the table hiring_jobs.
//
// The row of a watch has an empty assessment_id and address. That of an invitation
// has the assessment's id, the address in lower case, and as its detail a JSON
// object with email, name, extra, invitation_id and problem, as far as there are
// any.
type Status string

// The statuses of a watch, and of an invitation.
const (
	StatusBegun    Status = "begun"    // There is no state yet. The detail is when the first job was inserted, or where somebody had it begin anew.
	StatusWatching Status = "watching" // The detail is the state after the last round.
	StatusLost     Status = "lost"     // The state was there and is gone: nothing is read until somebody makes the row begun or watching.

	StatusQueued    Status = "queued"    // Not sent yet.
	StatusSent      Status = "sent"      // By this module.
	StatusExisting  Status = "existing"  // The address had an invitation already.
	StatusCancelled Status = "cancelled" // The service refuses it; the problem says why.
	StatusUnknown   Status = "unknown"   // The service took it but does not list it: look before it is invited again.
)

// table reads and writes hiring_jobs. Its SQL is understood by both stores.
type table struct {
	riverdriver.Executor

	name string
}

// tableOf is the table beside a client's own ones.
func tableOf[TTx any](client *river.Client[TTx], exec riverdriver.Executor) table {
	name := "hiring_jobs"
	if schema := client.Schema(); schema != "" {
		name = `"` + strings.ReplaceAll(schema, `"`, `""`) + `".` + name
	}
	return table{exec, name}
}

// row runs a query for one row at most.
func (t table) row(ctx context.Context, query string, args []any, to ...any) (found bool, err error) {
	err = t.QueryRow(ctx, strings.ReplaceAll(query, "hiring_jobs", t.name), args...).Scan(to...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// inTx runs do in a transaction of the client's database.
func inTx[TTx any](ctx context.Context, client *river.Client[TTx], do func(tx TTx, t table) error) error {
	driver := client.Driver()
	exec, err := driver.GetExecutor().Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = exec.Rollback(context.WithoutCancel(ctx)) }() // Nothing, once it is committed.
	if err := do(driver.UnwrapTx(exec), tableOf(client, exec)); err != nil {
		return err
	}
	return exec.Commit(ctx)
}

// complete marks a job as completed within tx. A worker that was taken for dead
// and comes back finds that its job has been given to another one, and must not
// commit what it did.
func complete[D riverdriver.Driver[TTx], TTx any, A river.JobArgs](ctx context.Context, tx TTx, job *river.Job[A]) error {
	done, err := river.JobCompleteTx[D](ctx, tx, job)
	if err != nil {
		return fmt.Errorf("jobs: completing the job: %w", err)
	}
	if done.State != rivertype.JobStateCompleted || done.Attempt != job.Attempt {
		return errOvertaken
	}
	return nil
}
