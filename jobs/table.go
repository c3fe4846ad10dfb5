package jobs

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	hiring "github.com/hiring-assessment/hiring-go"
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
	// There is no state yet. The detail is the time to start from: when the organization was added, by the database's
	// clock, or what an operator wrote.
	StatusBegun    Status = "begun"
	StatusWatching Status = "watching" // The detail is the state after the last poll.

	StatusQueued  Status = "queued"  // The invitation has not been sent yet.
	StatusSending Status = "sending" // A request may have been sent at updated_at, and its result is not known yet.
	StatusSent    Status = "sent"    // This module sent the invitation.
	// The address already had an invitation, perhaps from a process that died during its request.
	StatusExisting  Status = "existing"
	StatusCancelled Status = "cancelled" // The API rejected the invitation. The problem in the detail is the reason.
	// The API accepted the invitation but does not list it. Check in the API before you invite the address again.
	StatusUnknown Status = "unknown"
)

// StatusUnreadable is the status of the row of a submission that a poll could not decode.
// Its assessment_id is empty, its address is " unreadable " and the submission's id, and
// its detail is the error. [Deliver] deletes the row and delivers the submission.
const StatusUnreadable Status = "unreadable"

// unreadableAddress is the beginning of the address of such a row. It begins with a space,
// unlike the address of a candidate.
const unreadableAddress = " unreadable "

// StatusPaused is the status of the row that pauses the deliveries of an
// organization. Its assessment_id is empty, its address is " receiver", and its
// detail is the error that Send returned.
const StatusPaused Status = "paused"

// receiverAddress is the address of the row that pauses deliveries. It begins with a
// space, unlike the address of a candidate.
const receiverAddress = " receiver"

// pause pauses the deliveries of an organization, unless they are paused.
func (t table) pause(ctx context.Context, organization, problem string) error {
	return t.insert(ctx, organization, receiverAddress, savedRow{status: StatusPaused, detail: problem, version: 1})
}

// table reads and writes hiring_jobs. Its SQL is valid for PostgreSQL and SQLite.
type table struct {
	querier

	sqlite bool
	names  *strings.Replacer // Adds the schema to hiring_jobs and river_job in SQL.
}

func newTable(q querier, sqlite bool, schema string) table {
	if schema != "" {
		schema = pgx.Identifier{schema}.Sanitize() + "."
	}
	return table{q, sqlite, strings.NewReplacer("hiring_jobs", schema+"hiring_jobs", "river_job", schema+"river_job")}
}

// callerTable returns the table in a transaction of the caller, in the schema of a client.
func callerTable[TTx any](client *river.Client[TTx], tx TTx) table {
	q := querierOf(tx)
	_, postgres := q.(pgxQuerier)
	return newTable(q, !postgres, client.Schema())
}

// exec executes a statement, and returns the number of rows that it changed.
func (t table) exec(ctx context.Context, statement string, args ...any) (rows int64, err error) {
	return t.querier.exec(ctx, t.names.Replace(statement), args...)
}

// scanRow runs a query and scans its first row. It reports whether there was one.
func (t table) scanRow(ctx context.Context, query string, args []any, to ...any) (found bool, err error) {
	err = t.queryRow(ctx, t.names.Replace(query), args...).Scan(to...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// watchAddress is the address of the row of a watch.
const watchAddress = ""

// savedRow is a row of hiring_jobs other than those of invitations. An empty status means that there is no row.
type savedRow struct {
	status  Status
	detail  string
	version int64 // Of a watch: 0 before the first poll, unless an operator has changed the row.
	failed  bool  // From a poll that failed, for save.
}

// rowOf is the condition of a savedRow.
const rowOf = " FROM hiring_jobs WHERE organization = $1 AND assessment_id = '' AND address = $2"

func (t table) load(ctx context.Context, organization, address string) (row savedRow, err error) {
	_, err = t.scanRow(ctx, "SELECT status, detail, version"+rowOf, []any{organization, address}, &row.status, &row.detail, &row.version)
	return row, err
}

// remove deletes a row, and reports whether there was one.
func (t table) remove(ctx context.Context, organization, address string) (bool, error) {
	deleted, err := t.exec(ctx, "DELETE"+rowOf, organization, address)
	return deleted > 0, err
}

// insert inserts a row, unless it exists.
func (t table) insert(ctx context.Context, organization, address string, row savedRow) error {
	_, err := t.exec(ctx, `INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail, version)
		VALUES ($1, '', $2, $3, $4, $5) ON CONFLICT (organization, assessment_id, address) DO NOTHING`,
		organization, address, string(row.status), row.detail, row.version)
	return err
}

// insertUnreadable inserts a row for each submission that a poll could not decode.
func (t table) insertUnreadable(ctx context.Context, organization string, problems []error) error {
	for _, problem := range problems {
		item, _ := errors.AsType[*hiring.ItemError](problem) // Each of them is one.
		row := savedRow{status: StatusUnreadable, detail: errorText(item.Err), version: 1}
		if err := t.insert(ctx, organization, unreadableAddress+storable(item.ID), row); err != nil {
			return err
		}
	}
	return nil
}

// errOvertaken is returned when another attempt or an operator has changed the row
// in the meantime. The transaction is rolled back.
var errOvertaken = errors.New("jobs: another attempt of this job, or an operator, has changed its row")

// save replaces the row of a watch whose version is row.version, and increments the version. It
// inserts the row if there is none. updated_at becomes the current time unless the row is
// from a failed poll.
func (t table) save(ctx context.Context, organization string, row savedRow) error {
	saved, err := t.scanRow(ctx, `INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail, version)
		VALUES ($1, '', '', $2, $3, $4)
		ON CONFLICT (organization, assessment_id, address) DO UPDATE
		SET status = excluded.status, detail = excluded.detail, version = excluded.version,
			updated_at = CASE WHEN $5 THEN hiring_jobs.updated_at ELSE CURRENT_TIMESTAMP END
		WHERE hiring_jobs.version = excluded.version - 1
		RETURNING version`,
		[]any{organization, string(row.status), row.detail, row.version + 1, row.failed}, &row.version)
	if err == nil && !saved {
		err = errOvertaken
	}
	return err
}

// databaseTime returns the current time by the clock of the database.
func (t table) databaseTime(ctx context.Context) (time.Time, error) {
	var c jobCount
	err := t.queryRow(ctx, "SELECT "+t.epochSQL(t.now())).Scan(&c.seconds)
	return c.since(), err
}

// now returns SQL for the current time, in the format that River uses.
func (t table) now() string {
	if t.sqlite {
		return "strftime('%Y-%m-%d %H:%M:%f', 'now')"
	}
	return "now()"
}

// seconds returns a duration as an SQL literal in seconds.
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }

// txEnded is the beginning of the text of errTxEnded.
const txEnded = "jobs: the handler ended the transaction"

var errTxEnded = errors.New(txEnded + ": do not commit or roll back, the transaction is jobs'. " +
	"What it committed is stored, so the delivery is cancelled and not retried")

// ended reports whether a transaction was committed or rolled back. Drivers then
// return such an error for every statement. So does database/sql after the context has ended.
func (t table) ended(ctx context.Context) bool {
	_, err := t.exec(ctx, "SELECT 1")
	return ctx.Err() == nil && (errors.Is(err, sql.ErrTxDone) || errors.Is(err, pgx.ErrTxClosed))
}
