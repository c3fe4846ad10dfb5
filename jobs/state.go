package jobs

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/riverqueue/river"

	hiring "github.com/hiring-assessment/hiring-go"
)

// watched is the row of a watch. There is none when the status is empty.
type watched struct {
	status  Status
	detail  string
	version int64 // 0 before the first round, unless somebody has changed the row.
}

func (t table) watched(ctx context.Context, organization string) (w watched, err error) {
	_, err = t.row(ctx, `SELECT status, detail, version FROM hiring_jobs
		WHERE organization = $1 AND assessment_id = '' AND address = ''`,
		[]any{organization}, &w.status, &w.detail, &w.version)
	return w, err
}

// begin keeps when a watch began, unless there is a row.
func (t table) begin(ctx context.Context, organization string, at time.Time) error {
	return t.Exec(ctx, strings.ReplaceAll(`INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail, version)
		VALUES ($1, '', '', 'begun', $2, 0)
		ON CONFLICT (organization, assessment_id, address) DO NOTHING`, "hiring_jobs", t.name),
		organization, at.UTC().Format(time.RFC3339Nano))
}

// errOvertaken ends a round that another one was faster than: nothing of it is
// kept.
var errOvertaken = errors.New("jobs: another worker was faster")

// save keeps what follows on w, unless somebody else has done so.
func (t table) save(ctx context.Context, organization string, w watched) error {
	found, err := t.row(ctx, `INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail, version)
		VALUES ($1, '', '', $2, $3, $4)
		ON CONFLICT (organization, assessment_id, address) DO UPDATE
		SET status = excluded.status, detail = excluded.detail, version = excluded.version, updated_at = CURRENT_TIMESTAMP
		WHERE hiring_jobs.version = excluded.version - 1
		RETURNING version`,
		[]any{organization, string(w.status), w.detail, w.version + 1}, &w.version)
	if err == nil && !found {
		err = errOvertaken
	}
	return err
}

// take reads what the last round left. A job that replaces one that was given up
// before it came to a state finds when that one was inserted.
func (w *PollWorker[D, TTx]) take(ctx context.Context, job *river.Job[PollArgs]) (watched, error) {
	client := river.ClientFromContext[TTx](ctx)
	t := tableOf(client, client.Driver().GetExecutor())
	before, err := t.watched(ctx, job.Args.Organization)
	if err != nil || before.status != "" {
		return before, err
	}
	if job.Args.Round > 0 { // The row outlives this job, which will be discarded at last.
		err = t.save(ctx, job.Args.Organization, watched{status: StatusLost})
	} else {
		err = t.begin(ctx, job.Args.Organization, job.CreatedAt)
	}
	if err != nil {
		return before, err
	}
	return t.watched(ctx, job.Args.Organization)
}

// Both refuse to begin anew as if nothing had been delivered yet.
var (
	errLost  = errors.New("jobs: the state of this watch is lost: put it back into its row of hiring_jobs, or make the row begun, as the module's README says")
	errBegun = errors.New("jobs: the row of this watch in hiring_jobs is begun, but its detail is no time as 2026-01-02T15:04:05Z")
)

// from says what a round goes on from: a state, or else a time. That is Since at
// first, and when there is none, the one in the row; but what somebody wrote into
// the row later goes before Since.
func (w watched) from(o hiring.WatchOptions) (options hiring.WatchOptions, state string, err error) {
	switch {
	case w.status == StatusWatching && w.detail != "":
		return o, w.detail, nil
	case w.status != StatusBegun:
		return o, "", errLost
	case !o.Since.IsZero() && w.version == 0:
		return o, "", nil
	}
	if o.Since, err = time.Parse(time.RFC3339, w.detail); err != nil || o.Since.IsZero() {
		return o, "", errBegun
	}
	return o, "", nil
}
