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

// Status is the status of a row of the table hiring_jobs.
//
// The row of a watch has an empty assessment_id and an empty address. The row of an
// invitation has the id of the assessment and the address in lower case. Its detail
// is a JSON object with the members email and name, and with extra, invitation_id
// and problem where they apply.
type Status string

// Statuses of a watch and of an invitation.
const (
	StatusBegun    Status = "begun"    // There is no state yet. The detail is the time to start from: when the first job was inserted, or what an operator wrote.
	StatusWatching Status = "watching" // The detail is the state after the last poll.
	StatusLost     Status = "lost"     // The state has been deleted. Polls fail until an operator sets the row to begun or watching.

	StatusQueued    Status = "queued"    // The invitation has not been sent yet.
	StatusSent      Status = "sent"      // This module sent the invitation.
	StatusExisting  Status = "existing"  // The address already had an invitation.
	StatusCancelled Status = "cancelled" // The API rejected the invitation. The problem in the detail is the reason.
	StatusUnknown   Status = "unknown"   // The API accepted the invitation but does not list it. Check in the API before you invite the address again.
)

// StatusPaused is the status of the row that pauses the deliveries of an
// organization. Its assessment_id is empty, its address is " receiver", and its
// detail is the error that Send returned.
const StatusPaused Status = "paused"

// receiverAddress is the address of the row that pauses deliveries. It begins with a
// space, unlike the address of a candidate.
const receiverAddress = " receiver"

// paused reports whether the deliveries of an organization are paused.
func (t table) paused(ctx context.Context, organization string) (bool, error) {
	var n int
	return t.scanRow(ctx, `SELECT 1 FROM hiring_jobs WHERE organization = $1 AND assessment_id = '' AND address = $2 AND status = 'paused'`,
		[]any{organization, receiverAddress}, &n)
}

// pause pauses the deliveries of an organization, unless they are paused.
func (t table) pause(ctx context.Context, organization, problem string) error {
	return t.Exec(ctx, strings.ReplaceAll(`INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail)
		VALUES ($1, '', $2, 'paused', $3)
		ON CONFLICT (organization, assessment_id, address) DO NOTHING`, "hiring_jobs", t.name),
		organization, receiverAddress, problem)
}

// resume ends the pause of an organization.
func (t table) resume(ctx context.Context, organization string) error {
	return t.Exec(ctx, strings.ReplaceAll(`DELETE FROM hiring_jobs WHERE organization = $1 AND assessment_id = '' AND address = $2`, "hiring_jobs", t.name),
		organization, receiverAddress)
}

// table reads and writes hiring_jobs. Its SQL is valid for PostgreSQL and SQLite.
type table struct {
	riverdriver.Executor

	name       string // hiring_jobs, with the schema.
	riverTable string // River's table of jobs, with the schema.
	database   string // The driver's name of the database: postgres or sqlite.
}

// tableOf returns the table in the schema of a River client.
func tableOf[TTx any](client *river.Client[TTx], exec riverdriver.Executor) table {
	var schema string
	if s := client.Schema(); s != "" {
		schema = `"` + strings.ReplaceAll(s, `"`, `""`) + `".`
	}
	return table{exec, schema + "hiring_jobs", schema + "river_job", client.Driver().DatabaseName()}
}

// scanRow runs a query and scans its first row. It reports whether there was one.
func (t table) scanRow(ctx context.Context, query string, args []any, to ...any) (found bool, err error) {
	err = t.QueryRow(ctx, strings.ReplaceAll(query, "hiring_jobs", t.name), args...).Scan(to...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// inTx runs do in a transaction, and commits it unless do returns an error.
func inTx[TTx any](ctx context.Context, client *river.Client[TTx], do func(tx TTx, t table) error) error {
	driver := client.Driver()
	exec, err := driver.GetExecutor().Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = exec.Rollback(context.WithoutCancel(ctx)) }() // Has no effect after the commit.
	if err := do(driver.UnwrapTx(exec), tableOf(client, exec)); err != nil {
		return err
	}
	return exec.Commit(ctx)
}

// complete marks a job as completed within tx. It returns errOvertaken when River has
// rescued the job and given it to another worker: the caller must not commit then.
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
