package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
)

// HealthArgs are the arguments of the job that reports the deliveries in the
// database to [Telemetry].
type HealthArgs struct{}

// Kind names the job.
func (HealthArgs) Kind() string { return "hiring_health" }

// InsertOpts make the job the only one.
func (HealthArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueHealth, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByState: alone}}
}

// HealthWorker reports the deliveries in the database to [Telemetry], once a minute
// in one of the processes. The database knows what no process can report: that a
// handler kills its process, and that no worker runs. [Watch] registers it when an
// organization has a Telemetry.
type HealthWorker[D riverdriver.Driver[TTx], TTx any] struct {
	river.WorkerDefaults[HealthArgs]
	supervisor[TTx]
}

// healthEvery is how often the deliveries are counted.
var healthEvery = time.Minute

// watchHealth registers the worker. Its queue is its own, so that no other job
// delays it.
func watchHealth[D riverdriver.Driver[TTx], TTx any](config *river.Config, common supervisor[TTx]) error {
	for _, o := range common.organizations {
		if o.Telemetry != nil {
			addQueue(config, QueueHealth, 1)
			insertAlways(config, HealthArgs{}, healthEvery)
			return river.AddWorkerSafely(config.Workers, &HealthWorker[D, TTx]{supervisor: common})
		}
	}
	return nil
}

// Work reports once.
func (w *HealthWorker[D, TTx]) Work(ctx context.Context, job *river.Job[HealthArgs]) error {
	if err := river.MetadataSet(ctx, attemptKey, job.Attempt); err != nil { // See supervise.
		return err
	}
	client := river.ClientFromContext[TTx](ctx)
	t := tableOf(client, client.Driver().GetExecutor())
	if err := w.clock.sync(ctx, t); err != nil {
		return err
	}
	deliveries, err := t.deliveries(ctx)
	if err != nil {
		return err
	}
	pauses, err := t.pauses(ctx)
	if err != nil {
		return err
	}
	polls, err := t.laterPolls(ctx)
	if err != nil {
		return err
	}
	type key struct{ organization, state string }
	found := make(map[key]tally)
	for _, d := range deliveries {
		found[key{d.organization, d.state}] = d
	}
	for _, p := range pauses { // What failed before the pause is not retried during it.
		found[key{p.organization, DeliveriesPaused}] = p
		delete(found, key{p.organization, DeliveriesFailing})
	}
	for _, o := range w.organizations {
		if o.Telemetry == nil {
			continue
		}
		for _, state := range []string{DeliveriesWaiting, DeliveriesFailing, DeliveriesPaused, DeliveriesCancelled, DeliveriesDiscarded} {
			d := found[key{o.Name, state}]
			o.Telemetry.Deliveries(ctx, o.Name, state, d.count, w.clock.local(d.since))
		}
	}
	for _, p := range polls {
		if o, ok := w.organizations[p.organization]; ok && o.Telemetry != nil {
			o.Telemetry.PollDue(ctx, o.Name, w.clock.local(p.since))
		}
	}
	return nil
}

// tally is a number of jobs of an organization, and the time of the oldest.
type tally struct {
	organization string
	state        string
	count        int
	since        time.Time
}

// deliveries counts the deliveries that are not as they should be.
func (t table) deliveries(ctx context.Context) ([]tally, error) {
	failures, first := "coalesce(cardinality(errors), 0)", "errors[1]->>'at'"
	if t.database == sqlite {
		failures, first = "coalesce(json_array_length(errors), 0)", "errors->>'$[0].at'"
	}
	return t.tallies(ctx, `SELECT args->>'organization' AS organization,
			CASE WHEN state IN ('cancelled', 'discarded') THEN CAST(state AS text) WHEN `+failures+` > 0 THEN 'failing' ELSE 'waiting' END AS condition,
			count(*) AS n,
			min(CASE WHEN state IN ('cancelled', 'discarded') THEN `+t.epoch("finalized_at")+` WHEN `+failures+` > 0 THEN `+t.epoch(first)+` ELSE `+t.epoch("scheduled_at")+` END) AS since
		FROM river_job
		WHERE queue = '`+QueueDeliveries+`' AND state IN ('available', 'cancelled', 'discarded', 'retryable', 'running', 'scheduled')
			AND (state IN ('cancelled', 'discarded') OR `+failures+` > 0 OR state IN ('available', 'scheduled') AND `+t.epoch("scheduled_at")+` <= `+t.epoch("now")+`)
		GROUP BY 1, 2`)
}

// pauses returns the organizations whose deliveries are paused.
func (t table) pauses(ctx context.Context) ([]tally, error) {
	return t.tallies(ctx, `SELECT p.organization, 'paused' AS condition,
			(SELECT count(*) FROM river_job WHERE queue = '`+QueueDeliveries+`' AND state IN ('available', 'retryable', 'running', 'scheduled')
				AND args->>'organization' = p.organization) AS n,
			`+t.epoch("p.updated_at")+` AS since
		FROM hiring_jobs p WHERE p.status = 'paused'`)
}

// laterPolls returns the polls that are due in more than a minute. A process that
// has just started does not know them.
func (t table) laterPolls(ctx context.Context) ([]tally, error) {
	return t.tallies(ctx, `SELECT args->>'organization' AS organization, 'due' AS condition, 1 AS n, `+t.epoch("scheduled_at")+` AS since
		FROM river_job
		WHERE queue = '`+QueuePolls+`' AND state = 'scheduled' AND `+t.epoch("scheduled_at")+` > `+t.epoch("now")+` + 60`)
}

// epoch returns the SQL of a time in seconds since 1970.
func (t table) epoch(of string) string {
	if t.database == sqlite {
		if of == "now" {
			of = "'now'"
		}
		return "unixepoch(" + of + ", 'subsec')"
	}
	if of == "now" {
		of = "now()"
	}
	return "extract(epoch FROM CAST(" + of + " AS timestamptz))"
}

// tallies runs a query with the columns organization, condition, n and since. An
// executor of River reads one row, so the rows come as JSON.
func (t table) tallies(ctx context.Context, query string) ([]tally, error) {
	aggregate := "SELECT CAST(coalesce(json_agg(json_build_array(organization, condition, n, since)), '[]') AS text) FROM ("
	if t.database == sqlite {
		aggregate = "SELECT json_group_array(json_array(organization, condition, n, since)) FROM ("
	}
	var text string
	query = strings.ReplaceAll(strings.ReplaceAll(query, "hiring_jobs", t.name), "river_job", t.rivers)
	if err := t.QueryRow(ctx, aggregate+query+") AS q").Scan(&text); err != nil {
		return nil, err
	}
	var rows [][4]any
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		return nil, err
	}
	all := make([]tally, 0, len(rows))
	for _, row := range rows {
		organization, _ := row[0].(string)
		condition, _ := row[1].(string)
		n, isNumber := row[2].(float64)
		seconds, isTime := row[3].(float64)
		if !isNumber || !isTime {
			return nil, fmt.Errorf("jobs: the database counted %v", row)
		}
		all = append(all, tally{organization, condition, int(n), time.UnixMilli(int64(seconds * 1000))})
	}
	return all, nil
}
