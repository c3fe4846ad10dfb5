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

// StatusUnreadable is the status of the row of a submission that polls cannot decode.
// Its assessment_id is empty, and its address is " unreadable " and the submission's id.
// The row is deleted when the submission is found.
const StatusUnreadable Status = "unreadable"

// unreadableAddress is the beginning of the address of such a row.
const unreadableAddress = " unreadable "

// saveUnreadable inserts the rows of submissions that a poll could not decode, and
// deletes those of submissions that it found.
func (t table) saveUnreadable(ctx context.Context, organization string, polled hiring.PollResult) error {
	for _, id := range polled.Unreadable {
		key := rowKey{organization, "", unreadableAddress + id}
		if err := t.insert(ctx, key, savedRow{status: StatusUnreadable, version: 1}); err != nil {
			return err
		}
	}
	if len(polled.Submissions) == 0 {
		return nil
	}
	var address string
	exist, err := t.scanRow(ctx, "SELECT address FROM hiring_jobs WHERE organization = $1 AND assessment_id = '' AND status = 'unreadable' LIMIT 1",
		[]any{organization}, &address)
	if err != nil || !exist {
		return err
	}
	for _, s := range polled.Submissions {
		err := t.Exec(ctx, "DELETE FROM hiring_jobs WHERE organization = $1 AND assessment_id = '' AND address = $2", organization, unreadableAddress+s.ID)
		if err != nil {
			return err
		}
	}
	return nil
}
