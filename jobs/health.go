package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
)

// HealthArgs are the arguments of the job that reports the deliveries in the
// database to [Telemetry].
type HealthArgs struct{}

// Kind returns the kind of the job.
func (HealthArgs) Kind() string { return "hiring_health" }

// InsertOpts returns options that allow one unfinished job.
func (HealthArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueHealth, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByState: unfinishedStates}}
}

// HealthWorker reports the deliveries in the database to [Telemetry], once a minute
// in one of the processes. The database shows failures that no process can report: a
// handler that kills its process, and a missing worker. [Watch] registers it when an
// organization has a Telemetry.
type HealthWorker[D riverdriver.Driver[TTx], TTx any] struct {
	river.WorkerDefaults[HealthArgs]
	supervisor[TTx]
}

// healthInterval is the time between two reports.
var healthInterval = time.Minute

// watchHealth registers the worker with a queue of its own, so that no other job
// delays it.
func watchHealth[D riverdriver.Driver[TTx], TTx any](config *river.Config, common supervisor[TTx]) error {
	for _, o := range common.organizations {
		if o.Telemetry != nil {
			addQueue(config, QueueHealth, 1)
			addPeriodicJob(config, HealthArgs{}, healthInterval)
			return river.AddWorkerSafely(config.Workers, &HealthWorker[D, TTx]{supervisor: common})
		}
	}
	return nil
}

// Work makes one report.
func (w *HealthWorker[D, TTx]) Work(ctx context.Context, job *river.Job[HealthArgs]) error {
	if err := river.MetadataSet(ctx, metadataAttempt, job.Attempt); err != nil { // See supervise.
		return err
	}
	t := workerTable[TTx](ctx)
	if err := w.clock.sync(ctx, t); err != nil {
		return err
	}
	deliveries, err := t.countDeliveries(ctx)
	if err != nil {
		return err
	}
	paused, err := t.countPaused(ctx)
	if err != nil {
		return err
	}
	polls, err := t.scheduledPolls(ctx)
	if err != nil {
		return err
	}
	type key struct{ organization, state string }
	found := make(map[key]jobCount)
	for _, d := range deliveries {
		found[key{d.organization, d.state}] = d
	}
	for _, p := range paused { // Deliveries that failed before the pause are not retried during it.
		found[key{p.organization, DeliveriesPaused}] = p
		delete(found, key{p.organization, DeliveriesFailing})
	}
	for _, o := range w.organizations {
		if o.Telemetry == nil {
			continue
		}
		for _, state := range []string{DeliveriesWaiting, DeliveriesFailing, DeliveriesPaused, DeliveriesCancelled, DeliveriesDiscarded} {
			d := found[key{o.Name, state}]
			o.Telemetry.Deliveries(ctx, o.Name, state, d.count, w.clock.toLocal(d.since))
		}
	}
	for _, p := range polls {
		if o, ok := w.organizations[p.organization]; ok && o.Telemetry != nil {
			o.Telemetry.PollDue(ctx, o.Name, w.clock.toLocal(p.since))
		}
	}
	return nil
}

// jobCount is the number of jobs of an organization in a state.
type jobCount struct {
	organization string
	state        string
	count        int
	since        time.Time // When the oldest of them entered the state.
}

// countDeliveries counts the deliveries that are overdue, failing, cancelled or
// discarded.
func (t table) countDeliveries(ctx context.Context) ([]jobCount, error) {
	failures, first := "coalesce(cardinality(errors), 0)", "errors[1]->>'at'"
	if t.database == sqlite {
		failures, first = "coalesce(json_array_length(errors), 0)", "errors->>'$[0].at'"
	}
	return t.queryCounts(ctx, `SELECT args->>'organization' AS organization,
			CASE WHEN state IN ('cancelled', 'discarded') THEN CAST(state AS text) WHEN `+failures+` > 0 THEN 'failing' ELSE 'waiting' END AS condition,
			count(*) AS n,
			min(CASE WHEN state IN ('cancelled', 'discarded') THEN `+t.epochSQL("finalized_at")+` WHEN `+failures+` > 0 THEN `+t.epochSQL(first)+` ELSE `+t.epochSQL("scheduled_at")+` END) AS since
		FROM river_job
		WHERE queue = '`+QueueDeliveries+`' AND state IN ('available', 'cancelled', 'discarded', 'retryable', 'running', 'scheduled')
			AND (state IN ('cancelled', 'discarded') OR `+failures+` > 0 OR state IN ('available', 'scheduled') AND `+t.epochSQL("scheduled_at")+` <= `+t.epochSQL("now")+`)
		GROUP BY 1, 2`)
}

// countPaused counts the unfinished deliveries of each paused organization.
func (t table) countPaused(ctx context.Context) ([]jobCount, error) {
	return t.queryCounts(ctx, `SELECT p.organization, 'paused' AS condition,
			(SELECT count(*) FROM river_job WHERE queue = '`+QueueDeliveries+`' AND state IN ('available', 'retryable', 'running', 'scheduled')
				AND args->>'organization' = p.organization) AS n,
			`+t.epochSQL("p.updated_at")+` AS since
		FROM hiring_jobs p WHERE p.status = 'paused'`)
}

// scheduledPolls returns the polls that are due in more than a minute. A process that
// has just started has not scheduled them itself.
func (t table) scheduledPolls(ctx context.Context) ([]jobCount, error) {
	return t.queryCounts(ctx, `SELECT args->>'organization' AS organization, 'due' AS condition, 1 AS n, `+t.epochSQL("scheduled_at")+` AS since
		FROM river_job
		WHERE queue = '`+QueuePolls+`' AND state = 'scheduled' AND `+t.epochSQL("scheduled_at")+` > `+t.epochSQL("now")+` + 60`)
}

// epochSQL returns SQL that converts a time to seconds since 1970. The argument is a
// column, an expression or "now".
func (t table) epochSQL(value string) string {
	if t.database == sqlite {
		if value == "now" {
			value = "'now'"
		}
		return "unixepoch(" + value + ", 'subsec')"
	}
	if value == "now" {
		value = "now()"
	}
	return "extract(epoch FROM CAST(" + value + " AS timestamptz))"
}

// queryCounts runs a query with the columns organization, condition, n and since. The
// database returns the rows as one JSON array, because River's executor reads only
// one row.
func (t table) queryCounts(ctx context.Context, query string) ([]jobCount, error) {
	aggregate := "SELECT CAST(coalesce(json_agg(json_build_array(organization, condition, n, since)), '[]') AS text) FROM ("
	if t.database == sqlite {
		aggregate = "SELECT json_group_array(json_array(organization, condition, n, since)) FROM ("
	}
	var text string
	if err := t.QueryRow(ctx, aggregate+query+") AS q").Scan(&text); err != nil {
		return nil, err
	}
	var rows [][4]any
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		return nil, err
	}
	all := make([]jobCount, 0, len(rows))
	for _, row := range rows {
		organization, _ := row[0].(string)
		condition, _ := row[1].(string)
		n, isNumber := row[2].(float64)
		seconds, isTime := row[3].(float64)
		if !isNumber || !isTime {
			return nil, fmt.Errorf("jobs: counting jobs: unexpected row %v", row)
		}
		all = append(all, jobCount{organization, condition, int(n), time.UnixMilli(int64(seconds * 1000))})
	}
	return all, nil
}
