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

// noState returns the error of polls of an organization without a usable row. Its statement starts the watch a day before the last successful poll, in
// whose transaction the failing one was inserted. A poll that replaces a discarded one is younger. It has no double quotes, which a log
// would escape.
func (t table) noState(organization string) error {
	detail := `replace(to_char(min(created_at) AT TIME ZONE 'UTC' - interval '1 day', 'YYYY-MM-DD HH24:MI:SS'), ' ', 'T') || 'Z'`
	if t.sqlite {
		detail = `strftime('%Y-%m-%dT%H:%M:%SZ', min(created_at), '-1 day')`
	}
	name := "'" + strings.ReplaceAll(organization, "'", "''") + "'"
	return fmt.Errorf(`%w. Restore it, or the key of its account, `+
		`or start a day before the last poll (what River still keeps is not delivered twice): INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail) `+
		`SELECT %s, '', '', 'begun', %s FROM river_job WHERE kind = '%s' AND state <> 'completed' AND args->>'organization' = %[2]s `+
		`ON CONFLICT (organization, assessment_id, address) DO UPDATE SET status = excluded.status, detail = excluded.detail, version = hiring_jobs.version + 1`,
		errNoState, name, detail, KindPoll)
}

// pollFrom returns what a poll of an organization continues from: a state, or options with
// Since. The first poll starts at o.Watch.Since, or at the time in the row when that is
// zero. A time that an operator has written into the row takes precedence.
func (t table) pollFrom(row savedRow, o Organization) (options hiring.WatchOptions, state string, err error) {
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
		return options, "", t.noState(o.Name)
	}
	return options, "", nil
}
