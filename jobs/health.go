package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
)

// healthArgs are the arguments of the job that keeps the jobs of this package going.
type healthArgs struct{}

// Kind returns the kind of the job.
func (healthArgs) Kind() string { return KindHealth }

// InsertOpts returns options that allow one unfinished job.
func (healthArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueHealth, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByState: unfinishedStates}}
}

// healthWorker runs twice a minute in one of the processes. It inserts the jobs that
// are missing, and reports what only the database shows: a handler that kills its
// process, and a missing worker. The queue is its own, so that no other job delays it.
type healthWorker[D riverdriver.Driver[TTx], TTx any] struct {
	river.WorkerDefaults[healthArgs]
	*installation
}

// healthInterval is the time between two runs.
var healthInterval = 30 * time.Second

// Work makes one run. A step that fails does not prevent the others.
func (w *healthWorker[D, TTx]) Work(ctx context.Context, _ *river.Job[healthArgs]) error {
	client := river.ClientFromContext[TTx](ctx)
	announce(w.installation, client)
	t := workerTable[TTx](ctx)
	if err := w.clock.sync(ctx, t); err != nil {
		return err
	}
	errs := []error{w.rescue(ctx, t)}
	if w.watched != nil {
		names, err := w.watched.names(ctx)
		errs = append(errs, err, w.insertPolls(ctx, t, client, names), w.reportCounts(ctx, t, names))
	}
	if w.inviting != nil {
		names, err := w.inviting.names(ctx)
		queued, queuedErr := t.queuedInvitations(ctx)
		errs = append(errs, err, queuedErr)
		if queuedErr == nil {
			errs = append(errs, w.reportInvitations(ctx, t, names, queued))
			names = slices.DeleteFunc(names, func(name string) bool { return queued[name].N == 0 })
			names, err = t.withoutJob(ctx, names, QueueInvitations)
			if err == nil {
				err = insertJobs(ctx, client, names, func(name string) river.JobArgs { return inviteArgs{Organization: name} })
			}
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, w.reportWorkers(ctx, t))...)
}

// insertPolls inserts a poll for each organization without one. A poll that replaces a
// discarded one has the same round, so that a deleted row stays an error. The discarded
// polls are read last: one that is discarded in the meantime is not missing yet.
func (w *healthWorker[D, TTx]) insertPolls(ctx context.Context, t table, client *river.Client[TTx], names []string) error {
	names, err := t.withoutJob(ctx, names, QueuePolls)
	if err != nil {
		return err
	}
	var discarded []pollArgs
	err = t.queryJSON(ctx, t.object("'organization', organization, 'round', round"), `
		SELECT args->>'organization' AS organization, max(CAST(args->>'round' AS bigint)) AS round
		FROM river_job WHERE queue = '`+QueuePolls+`' AND state = 'discarded' GROUP BY 1`, &discarded)
	if err != nil {
		return err
	}
	rounds := make(map[string]int64)
	for _, poll := range discarded {
		rounds[poll.Organization] = poll.Round
	}
	return insertJobs(ctx, client, names, func(name string) river.JobArgs { return pollArgs{name, rounds[name]} })
}

// withoutJob returns the organizations that have no unfinished job in a queue.
func (t table) withoutJob(ctx context.Context, names []string, queue string) (missing []string, err error) {
	var unfinished []string
	err = t.queryJSON(ctx, "args->>'organization'", `SELECT args FROM river_job
		WHERE queue = '`+queue+`' AND state IN ('available', 'pending', 'retryable', 'running', 'scheduled')`, &unfinished)
	if err != nil {
		return nil, err
	}
	slices.Sort(unfinished)
	for _, name := range names {
		if _, exists := slices.BinarySearch(unfinished, name); !exists {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

// insertJobs inserts a job for each organization.
func insertJobs[TTx any](ctx context.Context, client *river.Client[TTx], names []string, args func(name string) river.JobArgs) error {
	if len(names) == 0 {
		return nil
	}
	inserted := make([]river.InsertManyParams, len(names))
	for i, name := range names {
		inserted[i].Args = args(name)
	}
	_, err := client.InsertMany(ctx, inserted)
	return err
}

// queryJSON computes a value of each row of a query, and decodes the values as a JSON
// array, because River's executor reads only one row.
func (t table) queryJSON(ctx context.Context, value, query string, to any) error {
	aggregate := "coalesce(json_agg(" + value + "), '[]')"
	if t.database == sqlite {
		aggregate = "json_group_array(" + value + ")"
	}
	var text string
	if err := t.QueryRow(ctx, "SELECT CAST("+aggregate+" AS text) FROM ("+query+") AS q").Scan(&text); err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), to)
}

// object returns SQL for a JSON object of pairs of a quoted name and a value.
func (t table) object(pairs string) string {
	if t.database == sqlite {
		return "json_object(" + pairs + ")"
	}
	return "json_build_object(" + pairs + ")"
}

// pollScheduled is the state of a poll that is due in more than a minute.
const pollScheduled = "scheduled"

// jobState is the state of some jobs of an organization: one of the Deliveries constants or
// pollScheduled.
type jobState struct {
	Organization string `json:"organization"`
	State        string `json:"state"`
}

// jobCount is a row of a query that counts.
type jobCount struct {
	jobState

	N     int     `json:"n"`
	Since float64 `json:"since"` // When the oldest entered the state, or when the poll is due, in seconds since 1970.
}

// since returns the time of a count on the clock of this process, zero when nothing was counted.
func (in *installation) since(c jobCount) time.Time {
	if c.N == 0 {
		return time.Time{}
	}
	return in.clock.toLocal(time.UnixMilli(int64(c.Since * 1000)))
}

// countJobs counts deliveries by state, pauses, submissions that cannot be decoded, and the
// scheduled polls. A process that has just started has not scheduled these polls itself.
func (t table) countJobs(ctx context.Context) (map[jobState]jobCount, error) {
	failures, first := "coalesce(cardinality(errors), 0)", "errors[1]->>'at'"
	if t.database == sqlite {
		failures, first = "coalesce(json_array_length(errors), 0)", "errors->>'$[0].at'"
	}
	now, scheduled := t.epochSQL(t.now()), t.epochSQL("scheduled_at")
	isFailing := "attempt > 0 AND " + failures + " > 0" // Deliver sets attempt to 0.
	var rows []jobCount
	err := t.queryJSON(ctx, t.object("'organization', organization, 'state', condition, 'n', n, 'since', since"), `
		WITH deliveries AS (
			SELECT args->>'organization' AS organization, `+t.epochSQL("created_at")+` AS created,
				CASE WHEN state IN ('cancelled', 'discarded') THEN CAST(state AS text) WHEN `+isFailing+` THEN 'failing'
					WHEN state IN ('available', 'scheduled') AND `+scheduled+` <= `+now+` THEN 'waiting' ELSE 'snoozed' END AS condition,
				CASE WHEN state IN ('cancelled', 'discarded') THEN `+t.epochSQL("finalized_at")+` WHEN `+isFailing+` THEN `+t.epochSQL(first)+` ELSE `+scheduled+` END AS since
			FROM river_job WHERE queue = '`+QueueDeliveries+`' AND state IN ('available', 'cancelled', 'discarded', 'retryable', 'running', 'scheduled'))
		SELECT organization, condition, count(*) AS n, min(since) AS since FROM deliveries GROUP BY 1, 2
		UNION ALL SELECT organization, '`+DeliveriesUnfinished+`', count(*), min(created) FROM deliveries WHERE condition NOT IN ('cancelled', 'discarded') GROUP BY 1
		UNION ALL SELECT organization, status, count(*), min(`+t.epochSQL("updated_at")+`) FROM hiring_jobs WHERE status IN ('paused', 'unreadable') AND assessment_id = '' GROUP BY 1, 2
		UNION ALL SELECT args->>'organization', '`+pollScheduled+`', 1, `+scheduled+` FROM river_job WHERE queue = '`+QueuePolls+`' AND state = 'scheduled' AND `+scheduled+` > `+now+` + 60`, &rows)
	counts := make(map[jobState]jobCount, len(rows))
	for _, row := range rows {
		counts[row.jobState] = row
	}
	return counts, err
}

// deliveryStates are the states that are reported for each organization.
var deliveryStates = []string{
	DeliveriesWaiting, DeliveriesFailing, DeliveriesPaused, DeliveriesCancelled, DeliveriesDiscarded, DeliveriesUnreadable, DeliveriesUnfinished,
}

// reportCounts reports the deliveries and the scheduled polls of all organizations, and
// of those that are not listed any more.
func (w *healthWorker[D, TTx]) reportCounts(ctx context.Context, t table, names []string) error {
	counts, err := t.countJobs(ctx)
	if err != nil {
		return err
	}
	for key := range counts {
		names = append(names, key.Organization)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		telemetry := w.watched.telemetryOf(name)
		for _, state := range deliveryStates {
			c := counts[jobState{name, state}]
			telemetry.Count(ctx, CountEvent{name, KindDelivery, state, c.N, w.since(c)})
		}
		if poll, scheduled := counts[jobState{name, pollScheduled}]; scheduled {
			telemetry.PollDue(ctx, PollDueEvent{name, w.since(poll)})
		}
	}
	return nil
}

// queuedInvitations counts the invitations without a result of each organization.
func (t table) queuedInvitations(ctx context.Context) (map[string]jobCount, error) {
	var rows []jobCount
	err := t.queryJSON(ctx, t.object("'organization', organization, 'n', n, 'since', since"),
		`SELECT organization, count(*) AS n, min(`+t.epochSQL("updated_at")+`) AS since FROM hiring_jobs WHERE `+pendingSQL+` GROUP BY 1`, &rows)
	queued := make(map[string]jobCount, len(rows))
	for _, row := range rows {
		queued[row.Organization] = row
	}
	return queued, err
}

// reportInvitations reports the queued invitations, and those whose run has failed or
// waits for another limit of the plan.
func (w *healthWorker[D, TTx]) reportInvitations(ctx context.Context, t table, names []string, queued map[string]jobCount) error {
	failures := "cardinality(errors)"
	if t.database == sqlite {
		failures = "json_array_length(errors)"
	}
	var failing []string
	err := t.queryJSON(ctx, "organization", `SELECT DISTINCT args->>'organization' AS organization FROM river_job WHERE queue = '`+QueueInvitations+`'
		AND state IN ('available', 'retryable', 'running', 'scheduled', 'discarded')
		AND (`+failures+` > 0 OR metadata->>'`+metadataPlan+`' = 'reached')`, &failing)
	if err != nil {
		return err
	}
	for _, name := range names {
		telemetry, c, stuck := w.inviting.telemetryOf(name), queued[name], jobCount{}
		if slices.Contains(failing, name) {
			stuck = c
		}
		telemetry.Count(ctx, CountEvent{name, KindInvitations, InvitationsQueued, c.N, w.since(c)})
		telemetry.Count(ctx, CountEvent{name, KindInvitations, InvitationsStuck, stuck.N, w.since(stuck)})
	}
	return nil
}

// reportWorkers reports how many processes are alive, and forgets those that are long gone.
func (w *healthWorker[D, TTx]) reportWorkers(ctx context.Context, t table) error {
	var alive int
	if err := t.QueryRow(ctx, "SELECT count(*) FROM hiring_jobs WHERE "+t.aliveSQL()).Scan(&alive); err != nil {
		return err
	}
	for _, r := range w.registries() {
		for _, s := range r.sources {
			s.telemetry.Workers(ctx, WorkersEvent{Alive: alive})
		}
	}
	return t.Exec(ctx, "DELETE FROM hiring_jobs WHERE organization = '' AND assessment_id = '"+workerAssessment+"' AND "+
		t.epochSQL("updated_at")+" < "+t.epochSQL(t.now())+" - 3600")
}

// epochSQL returns SQL that converts a time to seconds since 1970.
func (t table) epochSQL(value string) string {
	if t.database == sqlite {
		return "unixepoch(" + value + ", 'subsec')"
	}
	return "extract(epoch FROM CAST(" + value + " AS timestamptz))"
}
