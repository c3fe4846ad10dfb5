package jobs

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/riverqueue/river"

	hiring "github.com/hiring-assessment/hiring-go"
)

// watchRow is the row of a watch in hiring_jobs. An empty status means that there
// is no row.
type watchRow struct {
	status  Status
	detail  string
	version int64 // 0 before the first poll, unless an operator has changed the row.
}

func (t table) watchRow(ctx context.Context, organization string) (row watchRow, err error) {
	_, err = t.scanRow(ctx, `SELECT status, detail, version FROM hiring_jobs
		WHERE organization = $1 AND assessment_id = '' AND address = ''`,
		[]any{organization}, &row.status, &row.detail, &row.version)
	return row, err
}

// insertWatchRow records when a watch began, unless the row exists.
func (t table) insertWatchRow(ctx context.Context, organization string, began time.Time) error {
	return t.Exec(ctx, strings.ReplaceAll(`INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail, version)
		VALUES ($1, '', '', 'begun', $2, 0)
		ON CONFLICT (organization, assessment_id, address) DO NOTHING`, "hiring_jobs", t.name),
		organization, began.UTC().Format(time.RFC3339Nano))
}

// errOvertaken is returned when another attempt or an operator has changed the row
// in the meantime. The transaction is rolled back.
var errOvertaken = errors.New("jobs: another attempt of this job, or an operator, has changed its row")

// saveWatchRow replaces the row whose version is row.version.
func (t table) saveWatchRow(ctx context.Context, organization string, row watchRow) error {
	saved, err := t.scanRow(ctx, `INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail, version)
		VALUES ($1, '', '', $2, $3, $4)
		ON CONFLICT (organization, assessment_id, address) DO UPDATE
		SET status = excluded.status, detail = excluded.detail, version = excluded.version, updated_at = CURRENT_TIMESTAMP
		WHERE hiring_jobs.version = excluded.version - 1
		RETURNING version`,
		[]any{organization, string(row.status), row.detail, row.version + 1}, &row.version)
	if err == nil && !saved {
		err = errOvertaken
	}
	return err
}

// loadWatchRow returns the row that the previous poll saved. If there is none, it
// inserts the row of a first poll. A job that replaces a discarded first job finds
// the time of that first job in the row.
func (w *PollWorker[D, TTx]) loadWatchRow(ctx context.Context, job *river.Job[PollArgs]) (watchRow, error) {
	client := river.ClientFromContext[TTx](ctx)
	t := tableOf(client, client.Driver().GetExecutor())
	row, err := t.watchRow(ctx, job.Args.Organization)
	if err != nil || row.status != "" {
		return row, err
	}
	if job.Args.Round > 0 { // Recorded in the table, because this job will be discarded in the end.
		err = t.saveWatchRow(ctx, job.Args.Organization, watchRow{status: StatusLost})
	} else {
		err = t.insertWatchRow(ctx, job.Args.Organization, job.CreatedAt)
	}
	if err != nil {
		return row, err
	}
	return t.watchRow(ctx, job.Args.Organization)
}

var (
	errLost = errors.New("jobs: the state of this watch is lost: restore its row of hiring_jobs from a backup, or " +
		"set the row to begun, as the module's README says")
	errInvalidStart = errors.New("jobs: the row of this watch in hiring_jobs has the status begun, but its detail is not a " +
		"time such as 2026-01-02T15:04:05Z")
)

// pollFrom returns what a poll continues from: a state, or options with Since. The
// first poll starts at o.Since, or at the time in the row when o.Since is zero. A
// time that an operator has written into the row takes precedence over o.Since.
func (row watchRow) pollFrom(o hiring.WatchOptions) (options hiring.WatchOptions, state string, err error) {
	switch {
	case row.status == StatusWatching && row.detail != "":
		return o, row.detail, nil
	case row.status != StatusBegun:
		return o, "", errLost
	case !o.Since.IsZero() && row.version == 0:
		return o, "", nil
	}
	if o.Since, err = time.Parse(time.RFC3339, row.detail); err != nil || o.Since.IsZero() {
		return o, "", errInvalidStart
	}
	return o, "", nil
}
