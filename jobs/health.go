package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
)

// healthArgs are the arguments of the job that reports the deliveries in the
// database to [Telemetry].
type healthArgs struct{}

// Kind returns the kind of the job.
func (healthArgs) Kind() string { return KindHealth }

// InsertOpts returns options that allow one unfinished job.
func (healthArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueHealth, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByState: unfinishedStates}}
}

// healthWorker reports the deliveries in the database to [Telemetry], once a minute
// in one of the processes. The database shows failures that no process can report: a
// handler that kills its process, and a missing worker. [Watch] registers it when a
// Results has a Telemetry with Count or PollDue.
type healthWorker[D riverdriver.Driver[TTx], TTx any] struct {
	river.WorkerDefaults[healthArgs]
	supervisor[TTx]
}

// healthInterval is the time between two reports.
var healthInterval = time.Minute

// watchHealth registers the worker with a queue of its own, so that no other job
// delays it.
func watchHealth[D riverdriver.Driver[TTx], TTx any](config *river.Config, common supervisor[TTx]) error {
	for _, o := range common.organizations {
		if o.telemetry.Count != nil || o.telemetry.PollDue != nil {
			addQueue(config, QueueHealth, 1)
			addPeriodicJob(config, healthArgs{}, healthInterval)
			return river.AddWorkerSafely(config.Workers, &healthWorker[D, TTx]{supervisor: common})
		}
	}
	return nil
}

// Work makes one report.
func (w *healthWorker[D, TTx]) Work(ctx context.Context, job *river.Job[healthArgs]) error {
	if err := river.MetadataSet(ctx, metadataAttempt, job.Attempt); err != nil { // See supervise.
		return err
	}
	t := workerTable[TTx](ctx)
	if err := w.clock.sync(ctx, t); err != nil {
		return err
	}
	counts, err := t.countJobs(ctx)
	if err != nil {
		return err
	}
	for _, o := range w.organizations {
		if _, paused := counts[jobState{o.Name, DeliveriesPaused}]; paused { // Failed deliveries are not retried during a pause.
			delete(counts, jobState{o.Name, DeliveriesFailing})
		}
		for _, state := range []string{DeliveriesWaiting, DeliveriesFailing, DeliveriesPaused, DeliveriesCancelled, DeliveriesDiscarded} {
			c := counts[jobState{o.Name, state}]
			o.telemetry.count(ctx, CountEvent{o.Name, KindDelivery, state, c.n, w.clock.toLocal(c.since)})
		}
		if poll, scheduled := counts[jobState{o.Name, pollScheduled}]; scheduled {
			o.telemetry.pollDue(ctx, PollDueEvent{o.Name, w.clock.toLocal(poll.since)})
		}
	}
	return nil
}

// jobState is the state of some jobs of an organization: one of the Deliveries constants
// or pollScheduled.
type jobState struct{ organization, state string }

// pollScheduled is the state of a poll that is due in more than a minute.
const pollScheduled = "scheduled"

// jobCount is the number of jobs in a state.
type jobCount struct {
	n     int       // 0 for a pause without deliveries.
	since time.Time // When the oldest of them entered the state, or when the poll is due; zero when n is 0.
}

// countJobs counts the deliveries that are overdue, failing, cancelled or discarded, all
// unfinished deliveries of each paused organization, and the scheduled polls. A process
// that has just started has not scheduled these polls itself.
func (t table) countJobs(ctx context.Context) (map[jobState]jobCount, error) {
	now, failures, first := "now()", "coalesce(cardinality(errors), 0)", "errors[1]->>'at'"
	aggregate := "coalesce(json_agg(json_build_object('organization', organization, 'state', condition, 'n', n, 'since', since)), '[]')"
	if t.database == sqlite {
		now, failures, first = "'now'", "coalesce(json_array_length(errors), 0)", "errors->>'$[0].at'"
		aggregate = "json_group_array(json_object('organization', organization, 'state', condition, 'n', n, 'since', since))"
	}
	scheduled := t.epochSQL("scheduled_at")
	var text string // The rows as one JSON array, because River's executor reads only one row.
	err := t.QueryRow(ctx, `SELECT CAST(`+aggregate+` AS text) FROM (
		SELECT args->>'organization' AS organization,
			CASE WHEN state IN ('cancelled', 'discarded') THEN CAST(state AS text)
				WHEN `+failures+` > 0 THEN 'failing' ELSE 'waiting' END AS condition,
			count(*) AS n,
			min(CASE WHEN state IN ('cancelled', 'discarded') THEN `+t.epochSQL("finalized_at")+`
				WHEN `+failures+` > 0 THEN `+t.epochSQL(first)+` ELSE `+scheduled+` END) AS since
		FROM river_job
		WHERE queue = '`+QueueDeliveries+`' AND state IN ('available', 'cancelled', 'discarded', 'retryable', 'running', 'scheduled')
			AND (state IN ('cancelled', 'discarded') OR `+failures+` > 0
				OR state IN ('available', 'scheduled') AND `+scheduled+` <= `+t.epochSQL(now)+`)
		GROUP BY 1, 2
		UNION ALL
		SELECT p.organization, 'paused',
			(SELECT count(*) FROM river_job WHERE queue = '`+QueueDeliveries+`' AND state IN ('available', 'retryable', 'running', 'scheduled')
				AND args->>'organization' = p.organization),
			`+t.epochSQL("p.updated_at")+`
		FROM hiring_jobs p WHERE p.status = 'paused'
		UNION ALL
		SELECT args->>'organization', '`+pollScheduled+`', 1, `+scheduled+`
		FROM river_job WHERE queue = '`+QueuePolls+`' AND state = 'scheduled' AND `+scheduled+` > `+t.epochSQL(now)+` + 60
	) AS q`).Scan(&text)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		Organization string   `json:"organization"`
		State        string   `json:"state"`
		N            int      `json:"n"`
		Since        *float64 `json:"since"`
	}
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		return nil, err
	}
	counts := make(map[jobState]jobCount, len(rows))
	for _, row := range rows {
		if row.Since == nil {
			return nil, fmt.Errorf("jobs: counting jobs: unexpected row %+v", row)
		}
		count := jobCount{n: row.N}
		if count.n > 0 {
			count.since = time.UnixMilli(int64(*row.Since * 1000))
		}
		counts[jobState{row.Organization, row.State}] = count
	}
	return counts, nil
}

// epochSQL returns SQL that converts a time to seconds since 1970.
func (t table) epochSQL(value string) string {
	if t.database == sqlite {
		return "unixepoch(" + value + ", 'subsec')"
	}
	return "extract(epoch FROM CAST(" + value + " AS timestamptz))"
}
