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

// StatusPaused is the status of the row that stops the deliveries of an
// organization. Its assessment_id is empty, its address is " receiver", and its
// detail is the error of the receiver.
const StatusPaused Status = "paused"

// receiver is the address of the row of a pause. No candidate's address begins with
// a space.
const receiver = " receiver"

// paused reports whether the deliveries of an organization are paused.
func (t table) paused(ctx context.Context, organization string) (bool, error) {
	var n int
	return t.row(ctx, `SELECT 1 FROM hiring_jobs WHERE organization = $1 AND assessment_id = '' AND address = $2 AND status = 'paused'`,
		[]any{organization, receiver}, &n)
}

// pause stops the deliveries of an organization, unless they are stopped.
func (t table) pause(ctx context.Context, organization, problem string) error {
	return t.Exec(ctx, strings.ReplaceAll(`INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail)
		VALUES ($1, '', $2, 'paused', $3)
		ON CONFLICT (organization, assessment_id, address) DO NOTHING`, "hiring_jobs", t.name),
		organization, receiver, problem)
}

// resume ends a pause.
func (t table) resume(ctx context.Context, organization string) error {
	return t.Exec(ctx, strings.ReplaceAll(`DELETE FROM hiring_jobs WHERE organization = $1 AND assessment_id = '' AND address = $2`, "hiring_jobs", t.name),
		organization, receiver)
}

// table reads and writes hiring_jobs. Its SQL is understood by both stores.
type table struct {
	riverdriver.Executor

	name     string
	rivers   string // The name of River's table of jobs.
	database string // As the driver calls it.
}

// tableOf returns the table in the schema of a client.
func tableOf[TTx any](client *river.Client[TTx], exec riverdriver.Executor) table {
	var schema string
	if s := client.Schema(); s != "" {
		schema = `"` + strings.ReplaceAll(s, `"`, `""`) + `".`
	}
	return table{exec, schema + "hiring_jobs", schema + "river_job", client.Driver().DatabaseName()}
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
