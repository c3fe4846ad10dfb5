package jobs

import (
	"cmp"
	"context"
	"time"
)

// This file has all queries of River's table river_job but that of retry. They only count, and they name
// their columns: args, created_at, errors, finalized_at, metadata, queue, scheduled_at and state.

// jobState is a state of deliveries of an organization. The state of other jobs is empty.
type jobState struct {
	organization string
	state        State
}

// jobCount is a number of jobs or of rows of hiring_jobs.
type jobCount struct {
	n       int
	special int64   // Of polls the discarded ones, of runs those that fail, are killed again and again, or wait for another limit of the plan or for an API that fails.
	seconds float64 // When the oldest entered its state, or when the next poll is due, since 1970. 0 without any.
}

// since returns the time of a count, zero when nothing was counted.
func (c jobCount) since() time.Time {
	if c.seconds == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(c.seconds * 1000))
}

// count runs a query whose columns are those of jobState and jobCount.
func (in *installation[TTx]) count(ctx context.Context, query string) (map[jobState]jobCount, error) {
	t := in.table()
	rows, err := in.db.db.QueryContext(ctx, t.names.Replace(query))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	counts := make(map[jobState]jobCount)
	for err == nil && rows.Next() {
		var key jobState
		var c jobCount
		err = rows.Scan(&key.organization, &key.state, &c.n, &c.special, &c.seconds)
		if c.seconds != 0 { // From the database's clock to that of this process, which may be wrong.
			c.seconds += time.Since(in.Now()).Seconds()
		}
		counts[key] = c
	}
	return counts, cmp.Or(err, rows.Err())
}

// notByOperatorSQL is the condition for jobs that no operator cancelled with [river.Client.JobCancel].
const notByOperatorSQL = "metadata->>'cancel_attempted_at' IS NULL"

const unfinishedSQL = "state IN ('available', 'pending', 'retryable', 'running', 'scheduled')"

// countPolls counts the unfinished and the discarded polls of each organization. The next one is due when its wait has passed
// since the last successful poll, or since the watch began. The time for which River has scheduled it does not
// count, because it comes from the clock of a process, and failures move it.
func (in *installation[TTx]) countPolls(ctx context.Context) (map[jobState]jobCount, error) {
	return in.count(ctx, `SELECT organization, '', sum(n), sum(discarded), CASE WHEN max(saved) > 0 THEN max(saved) + sum(wait) ELSE 0 END FROM (
			SELECT args->>'organization' AS organization, 1 AS n, 0 AS discarded, CAST(args->>'wait' AS bigint) AS wait, 0 AS saved
			FROM river_job WHERE queue = '`+QueuePolls+`' AND `+unfinishedSQL+`
			UNION ALL SELECT args->>'organization', 0, 1, 0, 0 FROM river_job WHERE queue = '`+QueuePolls+`' AND state = 'discarded'
			UNION ALL SELECT organization, 0, 0, 0, `+in.table().epochSQL("updated_at")+` FROM hiring_jobs WHERE assessment_id = '' AND address = '') AS polls GROUP BY 1`)
}

// countDeliveries counts deliveries by state, pauses, and submissions that cannot be decoded.
func (in *installation[TTx]) countDeliveries(ctx context.Context) (map[jobState]jobCount, error) {
	t := in.table()
	failed, rescues := t.errorsSQL("min", failedSQL), t.errorsSQL("count", "= '"+rescueError+"'")
	return in.count(ctx, `WITH deliveries AS (
			SELECT args->>'organization' AS organization, `+t.epochSQL("created_at")+` AS created,
				CASE WHEN state IN ('cancelled', 'discarded') THEN CAST(state AS text) WHEN `+failed+` IS NOT NULL THEN 'failing' WHEN state = 'running' OR `+rescues+` > 0 THEN 'running' ELSE 'waiting' END AS condition,
				`+t.epochSQL("CASE WHEN state IN ('cancelled', 'discarded') THEN finalized_at WHEN "+failed+" IS NOT NULL THEN "+failed+" ELSE created_at END")+` AS since,
				`+rescues+` AS rescues
			FROM river_job WHERE queue = '`+QueueDeliveries+`' AND (`+unfinishedSQL+` OR state = 'discarded' OR state = 'cancelled' AND `+notByOperatorSQL+`))
		SELECT organization, condition, count(*), 0, min(since) FROM deliveries GROUP BY 1, 2
		UNION ALL SELECT organization, '`+string(DeliveriesRescued)+`', count(*), 0, min(created) FROM deliveries WHERE rescues > 1 AND condition NOT IN ('cancelled', 'discarded') GROUP BY 1
		UNION ALL SELECT organization, '`+string(DeliveriesUnfinished)+`', count(*), 0, min(created) FROM deliveries WHERE condition NOT IN ('cancelled', 'discarded') GROUP BY 1
		UNION ALL SELECT organization, status, count(*), 0, min(`+t.epochSQL("updated_at")+`) FROM hiring_jobs WHERE status IN ('paused', 'unreadable') AND assessment_id = '' GROUP BY 1, 2`)
}

// stateRuns is the key of the unfinished runs of invitations of an organization.
const stateRuns State = "runs"

// countInvitations counts the invitations without a result and the newly rejected ones of each organization, and its unfinished runs. A run that fails again
// and again has an error of the last nine minutes: it takes three, and waits for at most five. The cause of an older error may be
// repaired, and the run of a long queue takes hours. overview.sql and alerts.sql have the same nine minutes. A run that is killed
// again and again was rescued twice within twenty minutes, as in alerts.sql.
func (in *installation[TTx]) countInvitations(ctx context.Context) (map[jobState]jobCount, error) {
	t := in.table()
	rescues := t.errorsSQL("count", "= '"+rescueError+"' AND "+t.epochSQL("at")+" > "+t.epochSQL("CURRENT_TIMESTAMP")+" - 1200")
	return in.count(ctx, `SELECT organization, '`+string(InvitationsQueued)+`', count(*), 0, min(`+t.epochSQL("updated_at")+`) FROM hiring_jobs WHERE `+pendingSQL+` GROUP BY 1
		UNION ALL SELECT organization, '`+string(InvitationsRejected)+`', count(*), 0, min(`+t.epochSQL("updated_at")+`) FROM hiring_jobs WHERE status = 'cancelled' AND `+t.epochSQL("updated_at")+` > `+t.epochSQL("CURRENT_TIMESTAMP")+` - 3600 GROUP BY 1
		UNION ALL SELECT args->>'organization', '`+string(stateRuns)+`', sum(CASE WHEN state = 'discarded' THEN 0 ELSE 1 END),
			sum(CASE WHEN `+rescues+` > 1 OR `+t.epochSQL(t.errorsSQL("max", failedSQL))+` > `+t.epochSQL("CURRENT_TIMESTAMP")+` - 540 OR metadata->>'`+metadataWaits+`' NOT IN ('', '`+waitsRateLimit+`') THEN 1 ELSE 0 END), 0
		FROM river_job WHERE queue = '`+QueueInvitations+`' AND (`+unfinishedSQL+` OR state = 'discarded') GROUP BY 1`)
}

// failedSQL is the condition for errors that are failures. That the process of a job was killed is none.
const failedSQL = "<> '" + rescueError + "'"

// errorsSQL returns SQL for an aggregate of the times of a job's errors whose text meets a condition.
func (t table) errorsSQL(aggregate, condition string) string {
	from := "(SELECT CAST(e->>'at' AS timestamptz) AS at, e->>'error' AS error FROM unnest(errors) AS e)"
	if t.sqlite {
		from = "(SELECT e.value->>'at' AS at, e.value->>'error' AS error FROM json_each(errors) AS e)"
	}
	return "(SELECT " + aggregate + "(at) FROM " + from + " AS e WHERE error " + condition + ")"
}

// epochSQL returns SQL that converts a time to seconds since 1970.
func (t table) epochSQL(value string) string {
	if t.sqlite {
		return "unixepoch(" + value + ", 'subsec')"
	}
	return "CAST(extract(epoch FROM CAST(" + value + " AS timestamptz)) AS double precision)"
}
