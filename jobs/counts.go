package jobs

import (
	"cmp"
	"context"
	"time"
)

// This file has all queries of River's table river_job. They only count, and they name their
// columns: args, created_at, errors, finalized_at, metadata, queue, scheduled_at and state.

// jobState is a state of deliveries of an organization. The state of other jobs is empty.
type jobState struct {
	organization string
	state        State
}

// jobCount is a number of jobs or of rows of hiring_jobs.
type jobCount struct {
	n       int
	special int64   // Of polls the largest round, of runs those that have failed or wait for another limit of the plan.
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
	rows, err := in.db.db.QueryContext(ctx, in.table().names.Replace(query))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	counts := make(map[jobState]jobCount)
	for err == nil && rows.Next() {
		var key jobState
		var c jobCount
		err = rows.Scan(&key.organization, &key.state, &c.n, &c.special, &c.seconds)
		counts[key] = c
	}
	return counts, cmp.Or(err, rows.Err())
}

const unfinishedSQL = "state IN ('available', 'pending', 'retryable', 'running', 'scheduled')"

// countPolls counts the unfinished polls of each organization. The next one is due when it is
// scheduled. One that has failed, replaces a discarded one, was snoozed, or was made available more than
// a minute early by a leader whose clock is ahead, is due since the last successful poll, or since the watch began.
func (in *installation[TTx]) countPolls(ctx context.Context) (map[jobState]jobCount, error) {
	t := in.table()
	return in.count(ctx, `SELECT organization, '', sum(n), max(round), max(due) FROM (
			SELECT args->>'organization' AS organization, CASE WHEN state = 'discarded' THEN 0 ELSE 1 END AS n, CAST(args->>'round' AS bigint) AS round,
				CASE WHEN (state = 'scheduled' OR state = 'available' AND `+t.epochSQL("scheduled_at")+` < `+t.epochSQL(t.now())+` + 60) AND `+t.epochSQL("scheduled_at")+` > `+t.epochSQL(t.now())+` + 1 AND metadata->>'snoozes' IS NULL THEN `+t.epochSQL("scheduled_at")+` ELSE 0 END AS due
			FROM river_job WHERE queue = '`+QueuePolls+`' AND (`+unfinishedSQL+` OR state = 'discarded')
			UNION ALL SELECT organization, 0, 0, `+t.epochSQL("updated_at")+` FROM hiring_jobs WHERE assessment_id = '' AND address = '') AS polls GROUP BY 1`)
}

// countDeliveries counts deliveries by state, pauses, and submissions that cannot be decoded.
func (in *installation[TTx]) countDeliveries(ctx context.Context) (map[jobState]jobCount, error) {
	t := in.table()
	firstFailure := "CAST(errors[1]->>'at' AS timestamptz)"
	if t.sqlite {
		firstFailure = "errors->>'$[0].at'"
	}
	return in.count(ctx, `WITH deliveries AS (
			SELECT args->>'organization' AS organization, `+t.epochSQL("created_at")+` AS created,
				CASE WHEN state IN ('cancelled', 'discarded') THEN CAST(state AS text) WHEN errors IS NOT NULL THEN 'failing' WHEN state = 'running' THEN 'running' ELSE 'waiting' END AS condition,
				`+t.epochSQL("CASE WHEN state IN ('cancelled', 'discarded') THEN finalized_at WHEN errors IS NOT NULL THEN "+firstFailure+" ELSE created_at END")+` AS since
			FROM river_job WHERE queue = '`+QueueDeliveries+`' AND (`+unfinishedSQL+` OR state IN ('cancelled', 'discarded')))
		SELECT organization, condition, count(*), 0, min(since) FROM deliveries GROUP BY 1, 2
		UNION ALL SELECT organization, '`+string(DeliveriesUnfinished)+`', count(*), 0, min(created) FROM deliveries WHERE condition NOT IN ('cancelled', 'discarded') GROUP BY 1
		UNION ALL SELECT organization, status, count(*), 0, min(`+t.epochSQL("updated_at")+`) FROM hiring_jobs WHERE status IN ('paused', 'unreadable') AND assessment_id = '' GROUP BY 1, 2`)
}

// stateRuns is the key of the unfinished runs of invitations of an organization.
const stateRuns State = "runs"

// countInvitations counts the invitations without a result of each organization, and its unfinished runs.
func (in *installation[TTx]) countInvitations(ctx context.Context) (map[jobState]jobCount, error) {
	t := in.table()
	return in.count(ctx, `SELECT organization, '`+string(InvitationsQueued)+`', count(*), 0, min(`+t.epochSQL("updated_at")+`) FROM hiring_jobs WHERE `+pendingSQL+` GROUP BY 1
		UNION ALL SELECT args->>'organization', '`+string(stateRuns)+`', sum(CASE WHEN state = 'discarded' THEN 0 ELSE 1 END),
			sum(CASE WHEN errors IS NOT NULL OR metadata->>'`+metadataPlan+`' = 'reached' THEN 1 ELSE 0 END), 0
		FROM river_job WHERE queue = '`+QueueInvitations+`' AND (`+unfinishedSQL+` OR state = 'discarded') GROUP BY 1`)
}

// epochSQL returns SQL that converts a time to seconds since 1970.
func (t table) epochSQL(value string) string {
	if t.sqlite {
		return "unixepoch(" + value + ", 'subsec')"
	}
	return "CAST(extract(epoch FROM CAST(" + value + " AS timestamptz)) AS double precision)"
}
