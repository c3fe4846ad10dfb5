package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	hiring "github.com/hiring-assessment/hiring-go"
)

// loadWatchRow returns the row that the previous poll saved. If there is none, it
// inserts the row of a first poll. A job that replaces a discarded first job finds
// the time of that first job in the row.
func (w *pollWorker[D, TTx]) loadWatchRow(ctx context.Context, job *river.Job[pollArgs]) (savedRow, error) {
	t, key := workerTable[TTx](ctx), rowKey{organization: job.Args.Organization}
	row, err := t.load(ctx, key)
	if err != nil || row.status != "" {
		return row, err
	}
	if job.Args.Round > 0 { // Recorded in the table, because this job will be discarded in the end.
		err = t.save(ctx, key, savedRow{status: StatusLost})
	} else {
		err = t.insert(ctx, key, savedRow{status: StatusBegun, detail: job.CreatedAt.UTC().Format(time.RFC3339Nano)})
	}
	if err != nil {
		return row, err
	}
	return t.load(ctx, key)
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
func (row savedRow) pollFrom(o hiring.WatchOptions) (options hiring.WatchOptions, state string, err error) {
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
