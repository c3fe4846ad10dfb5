package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// begin inserts the row of a watch that begins now, unless there is one.
func (t table) begin(ctx context.Context, organization string) error {
	now, err := t.databaseTime(ctx)
	if err != nil {
		return err
	}
	return t.insert(ctx, organization, watchAddress, savedRow{status: StatusBegun, detail: now.UTC().Format(time.RFC3339Nano)})
}

var errNoState = errors.New("jobs: the row of this watch in hiring_jobs was deleted, or has neither a usable state nor a time to start from")

// noState returns the error of polls of an organization without a usable row. Its statement starts
// the watch at a time.
func noState(organization string) error {
	return fmt.Errorf(`%w. Restore it, or the key of its account, `+
		`or start a day before the last poll (what River still keeps is not delivered twice): INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail) VALUES ('%s', '', '', 'begun', '2026-01-02T15:04:05Z') `+
		`ON CONFLICT (organization, assessment_id, address) DO UPDATE SET status = excluded.status, detail = excluded.detail, version = hiring_jobs.version + 1`,
		errNoState, strings.ReplaceAll(organization, "'", "''"))
}

// pollFrom returns what a poll of an organization continues from: a state, or options with
// Since. The first poll starts at o.Watch.Since, or at the time in the row when that is
// zero. A time that an operator has written into the row takes precedence.
func (row savedRow) pollFrom(o Organization) (options hiring.WatchOptions, state string, err error) {
	options = o.Watch
	options.Checkpoint = nil // The row holds the state.
	if row.status == StatusWatching && row.detail != "" {
		return options, row.detail, nil
	}
	if row.status == StatusBegun && row.version == 0 && !options.Since.IsZero() {
		return options, "", nil
	}
	options.Since, err = time.Parse(time.RFC3339, row.detail)
	if row.status != StatusBegun || err != nil || options.Since.IsZero() {
		return options, "", noState(o.Name)
	}
	return options, "", nil
}
